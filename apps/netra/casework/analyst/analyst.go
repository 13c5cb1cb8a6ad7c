// Package analyst answers questions about a district and writes briefings, from facts only.
//
// Read Ask first. Code looks everything up, chooses the sentences and says them at once; that is a whole briefing, and where there is no
// model it is all. Where there is one, an agent words it too, on a case of its own: agent.go says what it is told, tool.go takes what it
// hands in and judges each sentence (rule/brief), and advance.go is the life of that case. What a model writes stands beside code's words,
// and never in their place.
package analyst

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/rule/brief"
	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/pii"
)

// route is the route to models that the agent asks for.
const route = "large"

// An Analyst writes briefings. It is made before anything it stands on is there.
type Analyst struct {
	store *store.Store
	desk  *casework.Desk

	routed func(route string) bool
}

// New makes one that is not opened yet.
func New(s *store.Store, d *casework.Desk) *Analyst { return &Analyst{store: s, desk: d} }

// Open tells it whether agents of a route have a model.
func (a *Analyst) Open(routed func(route string) bool) { a.routed = routed }

// thinks reports whether an agent can word a briefing: there is a model, and cases and facts are kept.
func (a *Analyst) thinks() bool {
	return a.routed != nil && a.routed(route) && a.store.CaseStore() != nil && a.store.Kept() != nil
}

// A Question is what somebody wants to know.
type Question struct {
	LGD   int
	Hours int
	Lang  reason.Lang
	Text  string // empty: a whole briefing
}

// Ask answers from what is known now, and keeps it. What is personal in the question is masked before anything else is done with it.
func (a *Analyst) Ask(ctx context.Context, actor identity.Actor, q Question) (store.Briefing, error) {
	var b store.Briefing
	if err := a.store.May(actor, store.ActBrief); err != nil {
		return b, err
	}
	text, err := asked(q.Text)
	if err != nil {
		return b, err
	}
	d, err := a.desk.Dossier(ctx, actor, q.LGD, q.Hours, score.V2())
	if err != nil {
		return b, err
	}
	body, err := json.Marshal(basisOf(d))
	if err != nil {
		return b, err
	}
	bench, err := brief.Lay(body)
	if err != nil {
		return b, err
	}
	b = store.Briefing{LGD: d.LGD, Hours: q.Hours, Lang: q.Lang, Question: text, Basis: body}
	if b.Lines, err = bench.Say(q.Lang, topics(text)...); err != nil {
		return b, err
	}
	title := ""
	if a.thinks() {
		title = d.Name + ", " + d.State + ": briefing"
	}
	return a.store.AddBriefing(ctx, actor, b, title)
}

// topics are what a question is after.
func topics(question string) []brief.Topic {
	if question == "" {
		return brief.Topics()
	}
	return brief.Read(question)
}

// asked is a question as it may be kept.
func asked(text string) (string, error) {
	text = strings.Join(strings.Fields(text), " ")
	switch {
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", fault.New(fault.Invalid, "the question holds a character that cannot be stored").Because("netra_question")
	case utf8.RuneCountInString(text) > brief.MaxQuestion:
		return "", fault.New(fault.Invalid, "a question has at most %d characters", brief.MaxQuestion).WithNext("ask it in a sentence").
			Because("netra_question")
	}
	return pii.Mask(text), nil
}

// basisOf is what may be said of a district.
func basisOf(d casework.Dossier) brief.Basis {
	told := map[string]string{}
	for id, x := range d.Told {
		told[id] = x.Summary
	}
	now := d.Now()
	b := brief.Basis{LGD: d.LGD, District: d.Name, State: d.State, Result: now, Before: d.Before.Score, Was: d.Before.Band,
		Change: brief.Moved(now.Score, d.Before.Score), Ahead: int((time.Duration(len(d.Ahead)) * casework.AheadStep).Hours()),
		Without: []brief.Without{}, Coverage: d.Coverage, Told: brief.Leave(told, d.Name, d.State)}
	for _, w := range d.Without {
		b.Without = append(b.Without, brief.Without{Score: w.Score, Band: w.Band})
	}
	if at, band := d.Calmer(); !at.IsZero() {
		b.Falls = &brief.Falls{Hours: max(int(math.Ceil(at.Sub(now.AsOf).Hours())), 1), Band: band}
	}
	return b
}
