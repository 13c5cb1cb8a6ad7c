package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rest"
	"github.com/gavelhq/gavel/apps/reportagent/rule/demo"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Demo is a report on an energy system that is made up: drafted, scored, noted, with a section that waits for a signature and a newer run
// that turns a conclusion. Like a command it goes by the API. The files have the words of the scripted model.
func Demo(files fs.FS) *platform.Demo {
	newest := func(part string) string { return "/reportagent/newest?part=" + url.QueryEscape(part) }
	section := func(id string) string { return newest("sections/" + id) }
	return &platform.Demo{Files: files, Load: loadDemo, Try: []platform.Trial{
		{As: identity.Analyst, Key: "rp.try.changes", Path: newest("changes")},
		{As: identity.Officer, Key: "rp.try.sign", Path: "/inbox?app=reportagent"},
		{As: identity.Auditor, Key: "rp.try.number", Path: section(demo.Turned)},
		{As: identity.Analyst, Key: "rp.try.type", Path: section(demo.Edited)},
		{As: identity.Officer, Key: "rp.try.score", Path: section(demo.Noted)},
		{As: identity.Auditor, Key: "rp.try.untold", Path: newest("coverage")},
		{As: identity.Analyst, Key: "rp.try.blocked", Path: section(demo.Blocked)},
		{As: identity.Officer, Key: "rp.try.worth", Path: newest("evaluation")},
		{As: identity.Auditor, Key: "rp.try.whole", Path: newest("")},
	}}
}

// loadDemo has an analyst bring the report in and draft it, a checker score and note it, the analyst write in one section and ask for
// a signature on another, and a newer run come.
func loadDemo(ctx context.Context, s platform.Stage) error {
	first, err := zipped(demo.Run())
	if err != nil {
		return err
	}
	newer, err := zipped(demo.Newer())
	if err != nil {
		return err
	}
	var made rest.DraftedReportBody
	if err := s.Call(ctx, identity.Analyst, http.MethodPost, rest.Base, rest.NewDraftedReportBody{Title: demo.Title,
		Outline: string(demo.Outline()), Map: string(demo.Map()), ModelRunBody: rest.ModelRunBody{Name: "Harbour run 1", Zip: first}},
		&made); err != nil {
		return err
	}
	at := rest.Base + "/" + made.ID
	if err := draftDemo(ctx, s, at); err != nil {
		return err
	}
	if err := reviewDemo(ctx, s, at); err != nil {
		return err
	}
	return s.Call(ctx, identity.Analyst, http.MethodPost, at+"/data", rest.ModelRunBody{Name: "Harbour run 2", Zip: newer}, nil)
}

// How long a demonstration waits for its draft, by its clock, and how often it looks.
const (
	demoLook = 10 * time.Minute
	demoMost = 240
)

// draftDemo has every section drafted.
func draftDemo(ctx context.Context, s platform.Stage, at string) error {
	var begun rest.DraftingBody
	if err := s.Call(ctx, identity.Analyst, http.MethodPost, at+"/drafts", rest.DraftOrderBody{}, &begun); err != nil {
		return err
	}
	for range demoMost {
		var now struct{ State string }
		if err := s.Call(ctx, identity.Analyst, http.MethodGet, "/v1/jobs/"+begun.Job, nil, &now); err != nil {
			return err
		}
		if now.State != "running" {
			return nil
		}
		if err := s.Wait(ctx, demoLook); err != nil {
			return err
		}
	}
	return fault.New(fault.Unavailable, "the report of the demonstration was not drafted in its time")
}

// reviewDemo is what people say of the draft.
func reviewDemo(ctx context.Context, s platform.Stage, at string) error {
	section := func(id string) (b rest.ReportSectionBody, err error) {
		return b, s.Call(ctx, identity.Analyst, http.MethodGet, at+"/sections/"+id, nil, &b)
	}
	scored, err := section(demo.Scored)
	if err != nil {
		return err
	}
	if err := s.Call(ctx, identity.Officer, http.MethodPut, at+"/sections/"+demo.Scored+"/rating", rest.RateBody{Version: scored.Version,
		Accuracy: 5, Completeness: 3, Clarity: 4, DataUse: 4}, nil); err != nil {
		return err
	}
	noted, err := section(demo.Noted)
	if err != nil {
		return err
	}
	if err := s.Call(ctx, identity.Officer, http.MethodPost, at+"/sections/"+demo.Noted+"/notes", rest.NewNoteBody{Version: noted.Version,
		Text: "Say which fuel takes the place of petrol."}, nil); err != nil {
		return err
	}
	edited, err := section(demo.Edited)
	if err != nil {
		return err
	}
	if err := s.Call(ctx, identity.Analyst, http.MethodPut, at+"/sections/"+demo.Edited, rest.SectionWordsBody{Was: edited.Hash,
		Text: edited.Text + "\n\nThe model does not say who owns the trucks."}, nil); err != nil {
		return err
	}
	return s.Call(ctx, identity.Analyst, http.MethodPost, at+"/sections/"+demo.Signed+"/sign-off", nil, nil)
}

// zipped is files as they are sent.
func zipped(files map[string][]byte) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}
