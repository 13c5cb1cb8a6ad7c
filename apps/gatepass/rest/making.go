package rest

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// making are the addresses of who makes passes.
func (s *Answers) making(a *api.API) {
	create := route("createGatePass", http.MethodPost, "/hr/gatepass/create", "Make a gate pass", store.ActMake)
	create.Status, create.Text = http.StatusCreated, "It waits for approval. Whether somebody comes back is never guessed: is_returnable "+
		"has no default."
	create.Body = `{"person_name":"Asha Rao","description":"To the bank","is_returnable":true}`
	api.Serve(a, create, s.create)
	list := route("listGatePasses", http.MethodGet, "/hr/gatepass/list", "List gate passes, the newest first", store.ActRead)
	list.Text = "A bare array. X-Next-Cursor says where the next part begins, X-Total-Count how many there are."
	api.Serve(a, list, s.list(false))
	api.Serve(a, route("getGatePass", http.MethodGet, "/hr/gatepass/{pass_number}", "Read a gate pass", store.ActRead), s.get(found))
	s.printing(a, "printGatePass", "/hr/gatepass/{pass_number}/print", store.ActRead)
}

// A CreateBody asks for a pass.
type CreateBody struct {
	PersonName       string     `json:"person_name" doc:"1 to 120 characters."`
	Description      string     `json:"description" doc:"What for; 1 to 500 characters."`
	IsReturnable     *bool      `json:"is_returnable,omitempty" doc:"Whether the person comes back. It must be said."`
	Type             pass.Type  `json:"type,omitempty" doc:"employee_out, visitor, contractor, material or vehicle; else the first."`
	EmployeeRef      string     `json:"employee_ref,omitempty"`
	HostRef          string     `json:"host_ref,omitempty"`
	SiteID           string     `json:"site_id,omitempty" doc:"The organisation's first site if it is left out."`
	ValidFrom        *time.Time `json:"valid_from,omitempty" doc:"Now, if it is left out."`
	ValidUntil       *time.Time `json:"valid_until,omitempty" doc:"The end of the site's day, if it is left out."`
	ExpectedReturnAt *time.Time `json:"expected_return_at,omitempty"`
	VehiclePlate     string     `json:"vehicle_plate,omitempty"`
	Items            []ItemBody `json:"items,omitempty" maxItems:"200"`
}

type createInput struct{ Body CreateBody }

func (s *Answers) create(ctx context.Context, who identity.Actor, in *createInput) (*passOutput, error) {
	b := in.Body
	items, err := itemsIn(b.Items)
	if err != nil {
		return nil, err
	}
	k, err := s.desk.Make(ctx, who, pass.Draft{PersonName: b.PersonName, Description: b.Description, IsReturnable: b.IsReturnable,
		Type: b.Type, SiteID: b.SiteID,
		EmployeeRef: b.EmployeeRef, HostRef: b.HostRef, VehiclePlate: b.VehiclePlate, Items: items, ValidFrom: given(b.ValidFrom),
		ValidUntil:       given(b.ValidUntil),
		ExpectedReturnAt: given(b.ExpectedReturnAt)})
	if err != nil {
		return nil, err
	}
	out := s.answer(k, "")
	out.Location = Base + "/hr/gatepass/" + k.ID
	return out, nil
}

func itemsIn(all []ItemBody) ([]item.Item, error) {
	var out []item.Item
	for _, b := range all {
		qty, err := item.ParseQuantity(strconv.FormatFloat(b.Qty, 'f', -1, 64))
		if err != nil {
			return nil, fault.From(fault.Invalid, err, "items: a quantity is above zero and has at most three decimals").
				On("items", "quantity",
					b.ID)
		}
		out = append(out, item.Item{ID: item.ID(b.ID), Name: b.Name, Quantity: qty, Unit: b.Unit, Serial: b.Serial, Asset: b.Asset,
			Returnable:   b.Returnable,
			ConditionOut: b.Condition})
	}
	return out, nil
}

// given is a time that may be none.
func given(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Microsecond)
}

// A ListInput narrows a list.
type ListInput struct {
	Status  []string `query:"status,explode" doc:"pending, approved, rejected, exited or returned; may be repeated."`
	Query   string   `query:"q" maxLength:"120" doc:"In the number or the name, also where it is spelt otherwise."`
	From    string   `query:"from" doc:"Made at or after."`
	To      string   `query:"to" doc:"Made before."`
	Site    string   `query:"site_id" maxLength:"64"`
	Overdue bool     `query:"overdue" doc:"Only those who should have been back."`
	Limit   int      `query:"limit" minimum:"1" maximum:"500" default:"100"`
	Cursor  string   `query:"cursor" maxLength:"200"`
	Vocab   string   `query:"vocab" enum:"canonical,legacy"`
}

// A deletedInput is a list in which what was deleted may be shown.
type deletedInput struct {
	ListInput
	Deleted bool `query:"include_deleted"`
}

type listOutput struct {
	Next  string `header:"X-Next-Cursor"`
	Total int    `header:"X-Total-Count"`
	Body  []PassBody
}

func (in ListInput) query() (q store.Query, err error) {
	q = store.Query{Words: in.Query, Site: in.Site, Overdue: in.Overdue, After: in.Cursor, Limit: in.Limit}
	for _, text := range in.Status {
		st := pass.Status(text)
		if !slices.Contains(pass.Statuses(), st) {
			return q, fault.New(fault.Invalid, "no pass is %.40q", text).On("status", "choice", "")
		}
		q.Statuses = append(q.Statuses, st)
	}
	if q.From, err = moment("from", in.From); err != nil {
		return q, err
	}
	q.To, err = moment("to", in.To)
	return q, err
}

func (s *Answers) list(oldest bool) func(context.Context, identity.Actor, *ListInput) (*listOutput, error) {
	return func(ctx context.Context, who identity.Actor, in *ListInput) (*listOutput, error) {
		q, err := in.query()
		if err != nil {
			return nil, err
		}
		if q.Oldest = oldest; oldest {
			q.Statuses = []pass.Status{pass.Pending}
		}
		return s.listed(ctx, who, q, in.Vocab)
	}
}

func (s *Answers) listed(ctx context.Context, who identity.Actor, q store.Query, vocab string) (*listOutput, error) {
	all, next, total, err := s.store.List(ctx, who.Org, q)
	if err != nil {
		return nil, err
	}
	out := &listOutput{Next: next, Total: total, Body: make([]PassBody, 0, len(all))}
	for _, k := range all {
		out.Body = append(out.Body, passOf(k, s.now(), vocab))
	}
	return out, nil
}

// get reads a pass by a name that read makes something of. What was deleted is not there.
func (s *Answers) get(read func(string) (store.Ref, error)) func(context.Context, identity.Actor, *PassInput) (*passOutput, error) {
	return func(ctx context.Context, who identity.Actor, in *PassInput) (*passOutput, error) {
		k, err := s.there(ctx, who, in.Pass, read)
		if err != nil {
			return nil, err
		}
		return s.answer(k, in.Vocab), nil
	}
}

func (s *Answers) there(ctx context.Context, who identity.Actor, name string, read func(string) (store.Ref, error)) (store.Kept, error) {
	ref, err := read(name)
	if err != nil {
		return store.Kept{}, err
	}
	k, err := s.store.Get(ctx, who.Org, ref)
	if err == nil && k.Deleted() {
		err = fault.New(fault.NotFound, "there is no pass %s", ref)
	}
	return k, err
}
