package console

import (
	"context"
	"time"

	"github.com/a-h/templ"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/finding"
	forms "github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// A Part is what an application adds to the page of its cases. Each function may
// be nil, and is asked only about cases of the application that brought it.
// Whether the reader may see the case has been asked before; what a function
// returns is text, never markup, but for Panel.
type Part struct {
	// Standing says how a case stands, for the head of its page.
	Standing func(ctx context.Context, p *web.Page, one casefile.Case) (Standing, error)
	// Panel is a part of the page of its own, such as a map with its table; nil
	// where there is nothing to show.
	Panel func(ctx context.Context, p *web.Page, one casefile.Case) (templ.Component, error)
	// After says what came of an act once it had left: delivered, opened, replied.
	After func(ctx context.Context, p *web.Page, one casefile.Case, a effect.Act) ([]Stage, error)
	// Replies are what people whom a case has written to answered otherwise than by mail: on a
	// page of their own, which they have from the letter.
	Replies func(ctx context.Context, one casefile.Case) ([]Reply, error)
	// Papers are what a person reads before they decide a proposal of a case: the very
	// report that would be filed, as it was kept.
	Papers func(ctx context.Context, p *web.Page, one casefile.Case, proposal review.Proposal) ([]Paper, error)
	// Picks lists what can be picked for the arguments of a proposal, by their names: the
	// riders of its case. What is not there is typed.
	Picks func(ctx context.Context, one casefile.Case, proposal review.Proposal) (map[string][]forms.Option, error)
	// About reports whether a piece of evidence is about whom a proposal is about. Others of the
	// case stand apart on its page and are not counted for or against it. Nil: all of it is.
	About func(proposal review.Proposal, piece evidence.Piece) bool
	// Records is the page on which this reader may read what a sealed piece of evidence holds,
	// because they work with the records it was taken from; empty where there is none. The
	// piece stays sealed: it is the copy that was kept.
	Records func(p *web.Page, piece evidence.Piece) string
	// Theirs lists the facts that the person concerned may see; the link's maker
	// chooses among them. Nil leaves the choice among all of the case.
	Theirs func(ctx context.Context, one casefile.Case) ([]fact.ID, error)
	// WhatIf says in one sentence what the rules would find if one fact had another
	// value. It computes and changes nothing; Invalid for a value it cannot take.
	WhatIf func(ctx context.Context, lang web.Lang, one casefile.Case, id fact.ID, value string) (string, error)
}

// A Reply is an answer that came otherwise than by mail.
type Reply struct {
	From string // the id of whom it is from, as letters have it: "rider:R-7"
	At   time.Time
	Path string // where it can be read; empty for nowhere
}

// A Paper is something to read, and where.
type Paper struct{ Name, Path string }

// A Standing is how a case stands by its application's word. What is left out is
// left out of the page, or told from what every case has.
type Standing struct {
	Owner   string           // who works it
	Found   *finding.Finding // what the page leads with while nobody is asked, nor has decided; nil for nothing
	Verdict *Verdict         // what code found
	Next    *Next            // what happens by itself
	Stages  []Stage          // its life, the whole of it in order
	Missing []Missing
}

// A Next is what happens by itself, and when, unless something comes before.
type Next struct {
	What   string // "Reminder 2 to the driver"
	At     time.Time
	Unless string // "a reply arrives"; may be empty
	Path   string // where it can be held or changed; may be empty
}

// A Reach says how far a stage has come.
type Reach string

// The reaches. The zero value is to come.
const (
	ToCome  Reach = ""
	Reached Reach = "done"
	Current Reach = "now"
)

// A Stage is one part of a life: of a case, or of an act after it was decided.
type Stage struct {
	Name  string
	Reach Reach
	At    time.Time // when it was reached; zero if it was not, or nobody knows
	Note  string    // "7 min, 26 steps"
	Due   time.Time // of the one that stands: by when
	Wait  string    // set: a gap before it, "waited 14 h"
	Bad   bool      // it ended badly
}

// Missing is evidence that was asked for and is not there.
type Missing struct {
	What string // "Fuel log, 6 to 12 Nov"
	Why  string // whom it was asked of and when, and what is unknown without it
}
