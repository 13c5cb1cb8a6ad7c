// Package ask answers a question about a case from what the case holds.
//
// Code reads the question, looks things up and chooses what can be said. Where a
// model is set up for it, the model words the answer over the facts it is handed,
// and its words are shown only once they were checked against them; where there is
// none, or its words do not pass, the answer is the look-ups themselves, a line
// each. Nothing here changes a case, and no free text of a case reaches a model.
//
// Read Desk.Ask first, then Read, which finds what a question is after.
package ask

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
)

// Act is what a person needs to be let in with a question.
const Act = "case.ask"

// RouteName is the model route that words answers.
const RouteName = "ask"

// The bounds of a question and of who asks.
const (
	MaxQuestion = 500 // characters
	MaxLines    = 24  // of an answer
	MostAnHour  = 60  // questions of one person
	Kept        = 50  // questions of a case that are listed
)

// Patience is how long a model may take over one answer.
const Patience = 30 * time.Second

// A Config is what a desk is made from.
type Config struct {
	DB       *postgres.DB
	Now      func() time.Time // the installation's clock
	Rules    *policy.Rules
	Cases    *casefile.Store
	Evidence *evidence.Store
	Reviews  *review.Store
	Route    *model.Route // nil: answers are never worded by a model

	// Masks, if set, says in which applications' cases personal data is masked in what a model is told (package pii).
	Masks func(app string) bool
}

// A Desk takes questions.
type Desk struct{ Config }

// New opens a desk.
func New(c Config) *Desk { return &Desk{c} }

// A Topic is something a question can be after.
type Topic string

// The topics, in the order an answer takes them.
const (
	Why       Topic = "why"       // what speaks for and against
	Numbers   Topic = "numbers"   // facts
	State     Topic = "state"     // how the case stands
	Waiting   Topic = "waiting"   // who has to do what
	Decisions Topic = "decisions" // who decided what
)

// Topics lists them.
func Topics() []Topic { return []Topic{Why, Numbers, State, Waiting, Decisions} }

// A Look is one look-up: what was looked for, and how much was found.
type Look struct {
	Topic Topic `json:"topic"`
	Found int   `json:"found"`
}

// A Line is one thing an answer says: a sentence of ours by its key, with what
// goes into it, or a checked sentence of a model's. Text cites facts by tokens.
type Line struct {
	Key   string            `json:"key,omitempty"`
	Args  map[string]string `json:"args,omitempty"` // en and hi are one text in both languages
	At    time.Time         `json:"at,omitzero"`    // a time the sentence names
	Text  string            `json:"text,omitempty"`
	Facts []fact.Ref        `json:"facts,omitempty"` // as they were when it was said
	Link  string            `json:"link,omitempty"`  // of what it speaks of: "E3", "P-12"
}

// How says who worded an answer.
type How string

// The ways.
const (
	Ours   How = "ours"   // nobody: the look-ups, a line each
	Worded How = "worded" // a model, and every sentence was checked; what was found is said before it in code's words
)

// An Answer is a question and what was said to it.
type Answer struct {
	ID       string // "ask_<ulid>"
	Case     casefile.CaseID
	Question string
	ByID     string
	ByName   string
	At       time.Time
	Looks    []Look
	Lines    []Line
	How      How
	Model    string // who worded it; empty unless Worded
	Refused  bool   // a model worded it, and its words did not pass
	ErasedAt *time.Time
}

// An Event is what happens on the way to an answer: a look-up, or a line that may
// be shown. Exactly one is set.
type Event struct {
	Look *Look
	Line *Line
}

// Ask answers a question of somebody who may read the case, tells watch what
// happens on the way (nil for nobody), and keeps question and answer with the case.
func (d *Desk) Ask(ctx context.Context, actor identity.Actor, id casefile.CaseID, question string, watch func(Event)) (Answer, error) {
	if watch == nil {
		watch = func(Event) {}
	}
	question, err := d.admit(ctx, actor, question)
	if err != nil {
		return Answer{}, err
	}
	found, err := d.lookUp(ctx, actor, id, Read(question), func(l Look) { watch(Event{Look: &l}) })
	if err != nil {
		return Answer{}, err
	}
	a := Answer{ID: newID(d.Now()), Case: id, Question: question, ByID: actor.ID, ByName: actor.Name, At: d.Now(), Looks: found.looks,
		How: Ours}
	if d.Route != nil && len(found.facts) > 0 {
		a.Lines, err = d.word(ctx, question, found)
		a.Refused = err != nil
	}
	if len(a.Lines) > 0 {
		a.How, a.Model = Worded, d.Route.Provider+" "+d.Route.Model
		a.Lines = append(found.leads(), a.Lines...)
	} else {
		a.Lines = found.lines()
	}
	for i := range a.Lines {
		watch(Event{Line: &a.Lines[i]})
	}
	return a, d.keep(ctx, actor, a)
}
