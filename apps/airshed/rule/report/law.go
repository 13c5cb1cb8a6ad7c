package report

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/platform/fault"
)

// LegalCitations is the law a report rests on, in the first design's form.
type LegalCitations struct {
	Direction string   `json:"caqm_direction"`        // empty where none may be cited; Law says why
	Authority string   `json:"enforcement_authority"` //
	Sections  []string `json:"applicable_sections"`
	Request   string   `json:"enforcement_request"`
}

// Law is every provision a report cites, with its dates, and those it must not.
type Law struct {
	Book    string          `json:"book"` // its version
	Cited   []lawbook.Cited `json:"citations"`
	Refused []Refusal       `json:"refused"`
	Reached []string        `json:"states_reached"` // of the states that are named, those the Act reaches
}

// A Refusal is a provision that is not cited, and why: its title, and after a colon one of
// the reasons there are. It is kept in English, as the law is.
type Refusal struct {
	ID  lawbook.ID `json:"id"`
	Why string     `json:"why"`
}

// namedFrom is the share of detected fire influence, in percent, from which a state
// is named beside the first: the low end of its range must reach it. Below it a
// notice would be about next to nothing.
const namedFrom = 10

// direction is the provision the first design cited for everything.
const direction lawbook.ID = "caqm-direction-95"

// A lawyer looks up the law for one report.
type lawyer struct {
	book      lawbook.Book
	on, today string
	since     string // from which day on fires were looked at; empty where none were
	law       Law
}

// lawFor looks up what may be cited about an analysis. A direction is cited only of
// a state that was conclusively named, the Act reaches and the direction's subject
// and season fit.
func lawFor(a analysis.Analysis, at time.Time, book lawbook.Book) (Law, error) {
	l := &lawyer{book: book, on: a.Surge.Time.In(aqi.India()).Format(time.DateOnly), today: at.In(aqi.India()).Format(time.DateOnly)}
	if !a.Fires.From.IsZero() {
		l.since = a.Fires.From.In(aqi.India()).Format(time.DateOnly)
	}
	l.law = Law{Book: book.Version, Cited: []lawbook.Cited{}, Refused: []Refusal{}, Reached: []string{}}
	if !l.cite(lawbook.Use{Subject: lawbook.PaddyStubble, Purpose: lawbook.Complaint}) {
		return Law{}, fault.New(fault.Refused, "the book of law has no provision for a complaint on %s", l.on)
	}
	l.reach(named(a))
	switch {
	case len(l.law.Reached) == 0:
		l.refuse(direction, l.title(direction)+": no state that it reaches is named")
	case a.Attribution.Verdict == analysis.Inquiry: // a question accuses nobody, and threatens nobody
		l.cite(lawbook.Use{Subject: lawbook.PaddyStubble, Purpose: lawbook.Coordination})
		l.refuse(direction, l.title(direction)+": no complaint is made")
	default:
		l.cite(lawbook.Use{Subject: lawbook.PaddyStubble, Purpose: lawbook.Coordination})
		l.directions()
		l.cite(lawbook.Use{Subject: lawbook.PaddyStubble, Purpose: lawbook.Penalty, Against: lawbook.Official})
		l.cite(lawbook.Use{Subject: lawbook.PaddyStubble, Purpose: lawbook.Appeal})
	}
	for _, use := range []lawbook.Use{{Purpose: lawbook.Monitoring, Since: l.since}, {Purpose: lawbook.InBand},
		{Purpose: lawbook.Certify}} {
		if use.Subject = lawbook.PaddyStubble; !l.cite(use) {
			l.refuseAll(use)
		}
	}
	return l.law, nil
}

// reach takes those of the named states that the Act reaches. Where it does not reach
// the first, whose smoke it was before all, nobody is named: a letter to the second
// alone would tell half of what was found.
func (l *lawyer) reach(states []string) {
	for i, state := range states {
		use := lawbook.Use{On: l.on, Subject: lawbook.PaddyStubble, Purpose: lawbook.Complaint, State: state}
		if len(l.book.For(use, l.today)) > 0 {
			l.law.Reached = append(l.law.Reached, state)
			continue
		}
		l.law.Refused = append(l.law.Refused, Refusal{ID: l.law.Cited[0].ID, Why: l.law.Cited[0].Title + ": it does not reach " +
			plain(state)})
		if i == 0 {
			return
		}
	}
}

// directions cites what was ordered about fires of this season, on the first day they
// were looked at as on the last, and says why the first design's direction is not
// among it where it is not.
func (l *lawyer) directions() {
	for _, state := range l.law.Reached {
		use := lawbook.Use{On: l.on, Subject: lawbook.PaddyStubble, Purpose: lawbook.ProsecuteOfficial, Against: lawbook.Official,
			State: state, Since: l.since}
		l.cite(use)
		if _, err := l.book.Cite(direction, use, l.today); err != nil {
			why, _ := fault.Words(err)
			l.refuse(direction, why)
		}
		for _, subject := range []lawbook.Subject{lawbook.PaddyStubble, lawbook.WheatStubble} {
			l.cite(lawbook.Use{Subject: subject, Purpose: lawbook.Prevention, State: state, Since: l.since})
		}
	}
}

// cite adds all that may be cited for a use, and reports whether anything may.
func (l *lawyer) cite(u lawbook.Use) bool {
	u.On = l.on
	found := l.book.For(u, l.today)
	for _, c := range found {
		if !slices.ContainsFunc(l.law.Cited, func(o lawbook.Cited) bool { return o.ID == c.ID }) {
			l.law.Cited = append(l.law.Cited, c)
		}
	}
	return len(found) > 0
}

// refuseAll says why none of the provisions for a purpose is cited.
func (l *lawyer) refuseAll(u lawbook.Use) {
	u.On = l.on
	for _, c := range l.book.Citations {
		if !slices.Contains(c.Supports, u.Purpose) {
			continue
		}
		if _, err := l.book.Cite(c.ID, u, l.today); err != nil {
			why, _ := fault.Words(err)
			l.refuse(c.ID, why)
		}
	}
}

func (l *lawyer) refuse(id lawbook.ID, why string) {
	if !slices.ContainsFunc(l.law.Refused, func(r Refusal) bool { return r.ID == id }) {
		l.law.Refused = append(l.law.Refused, Refusal{id, why})
	}
}

// title is what a provision of the book is called.
func (l *lawyer) title(id lawbook.ID) string {
	if i := slices.IndexFunc(l.book.Citations, func(c lawbook.Citation) bool { return c.ID == id }); i >= 0 {
		return l.book.Citations[i].Title
	}
	return string(id)
}

// named are the states a report names: none unless it may name one and the first share
// is a state's. By the second method it is the first alone: of no other it says how likely.
func named(a analysis.Analysis) (out []string) {
	if !a.Attribution.Names() {
		return nil
	}
	if a.Method() == analysis.Statements {
		return []string{a.Attribution.First}
	}
	for i, s := range a.Attribution.States {
		state := s.State != "" && s.State != analysis.Abroad
		if i == 0 && !state {
			return nil
		}
		if state && (i == 0 || s.Low >= namedFrom) {
			out = append(out, s.State)
		}
	}
	return out
}

// supporting is the first provision that supports a purpose.
func (l Law) supporting(p lawbook.Purpose) (lawbook.Cited, bool) {
	i := slices.IndexFunc(l.Cited, func(c lawbook.Cited) bool { return slices.Contains(c.Supports, p) })
	if i < 0 {
		return lawbook.Cited{}, false
	}
	return l.Cited[i], true
}

// citations is the law in the first design's form, without the request.
func (l Law) citations() LegalCitations {
	out := LegalCitations{Sections: []string{}}
	if c, ok := l.supporting(lawbook.ProsecuteOfficial); ok {
		out.Direction = c.Title
	}
	if c, ok := l.supporting(lawbook.Complaint); ok {
		out.Authority = c.Title
	}
	for _, c := range l.Cited {
		if c.Kind == "section" {
			out.Sections = append(out.Sections, c.Title)
		}
	}
	return out
}
