package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/muster"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/watchlist"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
)

// overseeing are the addresses of who looks over a site: where people are, and at whom somebody looks first.
func (s *Answers) overseeing(a *api.API) {
	onsite := route("getGatePassOnsite", http.MethodGet, "/sites/{site_id}/onsite", "Read where people are by their passes",
		store.ActOnsite)
	onsite.Text = "Everybody of whom today's passes say something: on the site, out, or not known, which is who should have been back and " +
		"was not seen. Who has no pass today is not on it."
	api.Serve(a, onsite, s.onsite)
	api.Serve(a, route("listGatePassWatchlist", http.MethodGet, "/admin/watchlist", "List the watchlist", store.ActWatch), s.watchlist)
	add := route("addToGatePassWatchlist", http.MethodPost, "/admin/watchlist", "Put somebody on the watchlist", store.ActWatch)
	add.Status, add.Body = http.StatusCreated, `{"name":"Asha Rao","level":"ask","reason":"Owes a laptop."}`
	api.Serve(a, add, s.watch)
	end := route("removeFromGatePassWatchlist", http.MethodPost, "/admin/watchlist/{watch_id}/end", "Take somebody off the watchlist",
		store.ActWatch)
	api.Serve(a, end, s.unwatch)
}

type siteInput struct {
	Site string `path:"site_id" maxLength:"64"`
}

// A MusterBody is somebody on the list.
type MusterBody struct {
	PassNumber string       `json:"pass_number"`
	PersonName string       `json:"person_name"`
	Employee   string       `json:"employee_ref,omitempty"`
	Type       pass.Type    `json:"type"`
	Where      muster.Where `json:"where" enum:"in,out,unknown"`
	Since      time.Time    `json:"since"`
	Due        *time.Time   `json:"expected_return_at"`
}

type onsiteOutput struct {
	Body struct {
		Site   string               `json:"site"`
		At     time.Time            `json:"as_of"`
		Counts map[muster.Where]int `json:"counts"`
		People []MusterBody         `json:"people"`
	}
}

func (s *Answers) onsite(ctx context.Context, who identity.Actor, in *siteInput) (*onsiteOutput, error) {
	sheet, err := s.store.Onsite(ctx, who, in.Site)
	if err != nil {
		return nil, err
	}
	out := &onsiteOutput{}
	b := &out.Body
	b.Site, b.At, b.Counts, b.People = in.Site, sheet.At, sheet.Counts, make([]MusterBody, 0, len(sheet.People))
	for _, p := range sheet.People {
		b.People = append(b.People, MusterBody{PassNumber: string(p.Number), PersonName: p.Name, Employee: p.Ref, Type: p.Type,
			Where: p.Where, Since: p.Since, Due: at(p.Due)})
	}
	return out, nil
}

// A WatchBody is a row of the watchlist.
type WatchBody struct {
	ID      string          `json:"id,omitempty" readOnly:"true"`
	Name    string          `json:"name" minLength:"1" maxLength:"120"`
	Aliases []string        `json:"aliases,omitempty" maxItems:"20"`
	Level   watchlist.Level `json:"level" enum:"hard,ask" doc:"hard refuses this very name; ask has whoever approves look."`
	Until   *time.Time      `json:"until,omitempty"`
	Reason  string          `json:"reason" minLength:"1" maxLength:"500"`
}

func watchOf(w watchlist.Row) WatchBody {
	return WatchBody{ID: w.ID, Name: w.Name, Aliases: w.Aliases, Level: w.Level, Until: at(w.Until), Reason: w.Reason}
}

type watchlistOutput struct {
	Body struct {
		Items []WatchBody `json:"items"`
	}
}

func (s *Answers) watchlist(ctx context.Context, who identity.Actor, _ *struct{}) (*watchlistOutput, error) {
	all, err := s.store.Watchlist(ctx, who)
	if err != nil {
		return nil, err
	}
	out := &watchlistOutput{}
	out.Body.Items = make([]WatchBody, 0, len(all))
	for _, w := range all {
		out.Body.Items = append(out.Body.Items, watchOf(w.Row))
	}
	return out, nil
}

type watchInput struct{ Body WatchBody }

type watchOutput struct{ Body WatchBody }

func (s *Answers) watch(ctx context.Context, who identity.Actor, in *watchInput) (*watchOutput, error) {
	b := in.Body
	row, err := s.store.Watch(ctx, who, watchlist.Row{Name: b.Name, Aliases: b.Aliases, Level: b.Level, Until: given(b.Until),
		Reason: b.Reason})
	return &watchOutput{Body: watchOf(row)}, err
}

type unwatchInput struct {
	ID string `path:"watch_id" maxLength:"64"`
}

func (s *Answers) unwatch(ctx context.Context, who identity.Actor, in *unwatchInput) (*watchlistOutput, error) {
	if err := s.store.Unwatch(ctx, who, in.ID); err != nil {
		return nil, err
	}
	return s.watchlist(ctx, who, nil)
}
