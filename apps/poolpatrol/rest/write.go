package rest

import (
	"context"
	"net/http"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// How one thing is written: whole, or what changes of it.
const (
	writeMethod = http.MethodPut
	patchMethod = http.MethodPatch
)

func (s *answers) writing(a *api.API) {
	change := []string{programme.ActChange}
	const text = "The whole of it, with every field named: where one that is left out holds something, nothing is done and 409 names " +
		"it. The id in the body is that of the address. What it refers to must be on record."
	api.Serve(a, api.Route{ID: "putSite", Method: writeMethod, Path: "/v1/poolpatrol/sites/{id}", Acts: change, Tag: apiTag,
		Title: "Write a site", Text: text,
		Body: `{"site_id":"PLANT-1","name":"Plant 1","tz":"America/Los_Angeles","coords":{"lat":37.495,"lng":-121.941}}`}, s.putSite)
	api.Serve(a, api.Route{ID: "putShift", Method: writeMethod, Path: "/v1/poolpatrol/shifts/{id}", Acts: change, Tag: apiTag,
		Title: "Write a shift", Text: text,
		Body: `{"shift_id":"SHIFT_DAY","name":"Day Shift","schedule":[{"day":"Mon","start_time":"07:00","end_time":"16:00"}]}`}, s.putShift)
	api.Serve(a, api.Route{ID: "putEmployee", Method: writeMethod, Path: "/v1/poolpatrol/employees/{id}", Acts: change, Tag: apiTag,
		Title: "Write an employee", Text: text,
		Body: `{"employee_id":"EMP-1006","status":"active","site_id":"PLANT-1","home_zip":"94538","shifts":[{"shift_id":"SHIFT_DAY","from":"2026-01-01"}]}`}, s.putEmployee)
	api.Serve(a, api.Route{ID: "putVanpool", Method: writeMethod, Path: "/v1/poolpatrol/vanpools/{id}", Acts: change, Tag: apiTag,
		Title: "Write a vanpool", Text: text + " Riders are imported.",
		Body: `{"vanpool_id":"VP-101","site_id":"PLANT-1","status":"active","capacity":7,"pickup_coords":{"lat":37.495,"lng":-121.941}}`},
		s.putVanpool)
	for _, one := range []struct{ id, path, title, body string }{
		{"patchSite", "sites", "Change some of a site", `{"name":"Plant 1, north gate"}`},
		{"patchShift", "shifts", "Change some of a shift", `{"name":"Early Shift"}`},
		{"patchEmployee", "employees", "Change some of an employee", `{"home_zip":"94538","home_coords":null}`},
		{"patchVanpool", "vanpools", "Change some of a vanpool", `{"capacity":8}`},
	} {
		api.Serve(a, api.Route{ID: one.id, Method: patchMethod, Path: "/v1/poolpatrol/" + one.path + "/{id}", Acts: change, Tag: apiTag,
			Title: one.title, Text: "A JSON merge patch: the fields that change, as the whole has them; null empties one, a list is " +
				"replaced, and what is not named stays.", Body: one.body}, s.patch(intake.Kind(one.path)))
	}
}

// Seen is what somebody read who changes it.
type Seen struct {
	IfMatch string `header:"If-Match" maxLength:"60" doc:"The ETag of what you read: 412 if it has changed since. It may be left out."`
}

// change is what was named of a body, and what was read before it.
func (s Seen) change(named []string) (record.Change, error) {
	tag, opens := strings.CutPrefix(s.IfMatch, `"`)
	tag, closes := strings.CutSuffix(tag, `"`)
	if s.IfMatch != "" && (!opens || !closes || tag == "") {
		return record.Change{}, fault.New(fault.Invalid, "If-Match %.40q is not an ETag of ours", s.IfMatch)
	}
	return record.Change{Named: named, Seen: tag}, nil
}

type putSiteInput struct {
	api.Named
	Seen
	Body api.Sent[intake.Site]
}

func (s *answers) putSite(ctx context.Context, who identity.Actor, in *putSiteInput) (*writtenOutput, error) {
	return whole(ctx, who, in.ID, in.Seen, in.Body, string(in.Body.Value.ID), s.store.PutSite)
}

type putShiftInput struct {
	api.Named
	Seen
	Body api.Sent[intake.Shift]
}

func (s *answers) putShift(ctx context.Context, who identity.Actor, in *putShiftInput) (*writtenOutput, error) {
	return whole(ctx, who, in.ID, in.Seen, in.Body, string(in.Body.Value.ID), s.store.PutShift)
}

type putEmployeeInput struct {
	api.Named
	Seen
	Body api.Sent[intake.Employee]
}

func (s *answers) putEmployee(ctx context.Context, who identity.Actor, in *putEmployeeInput) (*writtenOutput, error) {
	return whole(ctx, who, in.ID, in.Seen, in.Body, string(in.Body.Value.ID), s.store.PutEmployee)
}

type putVanpoolInput struct {
	api.Named
	Seen
	Body api.Sent[intake.Vanpool]
}

func (s *answers) putVanpool(ctx context.Context, who identity.Actor, in *putVanpoolInput) (*writtenOutput, error) {
	return whole(ctx, who, in.ID, in.Seen, in.Body, string(in.Body.Value.ID), s.store.PutVanpool)
}

// whole writes one thing whole.
func whole[T any](ctx context.Context, who identity.Actor, at string, seen Seen, body api.Sent[T], id string,
	put func(context.Context, identity.Actor, T, record.Change) (record.Written, error)) (*writtenOutput, error) {
	c, err := seen.change(append([]string{}, body.Fields...))
	if err != nil {
		return nil, err
	}
	return written(at, id, func() (record.Written, error) { return put(ctx, who, body.Value, c) })
}

type patchInput struct {
	api.Named
	Seen
	Body api.Patch
}

// patch changes some of one record of a kind.
func (s *answers) patch(kind intake.Kind) func(context.Context, identity.Actor, *patchInput) (*writtenOutput, error) {
	return func(ctx context.Context, who identity.Actor, in *patchInput) (*writtenOutput, error) {
		c, err := in.change(nil)
		if err != nil {
			return nil, err
		}
		return written(in.ID, in.ID, func() (record.Written, error) { return s.store.Patch(ctx, who, kind, in.ID, in.Body, c.Seen) })
	}
}
