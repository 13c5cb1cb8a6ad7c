package content

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
)

const caseFile = "case.json"

// A matter is a case as a bundle has it.
type matter struct {
	ID         casefile.CaseID `json:"id"`
	Org        identity.Org    `json:"org"`
	App        string          `json:"app"`
	Key        string          `json:"key"`
	Ref        string          `json:"ref"`
	Title      string          `json:"title"`
	State      casefile.State  `json:"state"`
	Status     string          `json:"status"`
	WaitingFor string          `json:"waiting_for"`
	DueAt      *time.Time      `json:"due_at"`
	OpenedAt   time.Time       `json:"opened_at"`
	ClosedAt   *time.Time      `json:"closed_at"`
	Version    int64           `json:"version"`
	ErasedAt   *time.Time      `json:"erased_at,omitempty"` // the title was, with whom the case is about
}

func (s Sources) exportCase(ctx context.Context, w *bundle.Writer, req bundle.Request) error {
	if err := s.ready(); err != nil {
		return err
	}
	c, err := s.Cases.Get(ctx, req.Org, casefile.CaseID(req.Case))
	if err != nil {
		return err
	}
	if c.ErasedAt != nil {
		c.Title = ""
	}
	return w.JSON(caseFile, matter{ID: c.ID, Org: c.Org, App: c.App, Key: c.Key, Ref: c.Ref, Title: c.Title, State: c.State,
		Status: c.Status, WaitingFor: c.WaitingFor, DueAt: utc(c.DueAt), OpenedAt: c.OpenedAt.UTC(), ClosedAt: utc(c.ClosedAt),
		Version: c.Version, ErasedAt: utc(c.ErasedAt)})
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

func verifyCase(r *bundle.Reader, rep *bundle.Report) {
	c := rep.Check("the case is the one on the cover", "the case file is about the case and the organisation that the manifest names",
		"that the case was handled well")
	m := r.Manifest()
	var one matter
	if err := r.JSON(caseFile, &one); err != nil {
		c.Found(r.Path(caseFile), "%s cannot be read: %s.", r.Path(caseFile), words(err))
		return
	}
	if string(one.ID) != m.Case || one.Org != m.Org {
		c.Found(r.Path(caseFile), "%s is about case %.60s of %.40s; the manifest names %s of %s.", r.Path(caseFile), one.ID, one.Org,
			m.Case, m.Org)
	}
	if one.Version < 1 || one.OpenedAt.IsZero() || (one.State == casefile.Closed) != (one.ClosedAt != nil) || one.OpenedAt.After(m.MadeAt) {
		c.Found(r.Path(caseFile), "%s contradicts itself: version, opening or closing do not fit together.", r.Path(caseFile))
	}
	titles := gapsOf(r, casefile.ErasedTitle)
	if what := titles.judge(casefile.ErasedTitle, one.ErasedAt, one.Title); what != "" {
		c.Found(r.Path(caseFile), "The title of the case (%s) %s.", r.Path(caseFile), what)
	} else if one.ErasedAt != nil {
		(&tally{rep: rep, path: r.Path(caseFile)}).gone("The title of the case", titles[casefile.ErasedTitle])
	} else if one.Title == "" {
		c.Found(r.Path(caseFile), "%s has no title, and does not say that it was erased.", r.Path(caseFile))
	}
	c.Saw("%s, version %d", one.Ref, one.Version)
	strangers(r, rep, among(caseFile))
}
