package console

import (
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/evidence/reperform"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// factsPerPage is how many facts the table shows at once.
const factsPerPage = 200

// A factList is one page of a case's facts.
type factList struct {
	casefile.Case
	facts []fact.Fact
	after fact.ID // the page begins after this one; empty for the first
	next  fact.ID // where the next page begins; empty on the last
}

// facts is the page of a case's facts, by number.
func (c *Console) facts(w http.ResponseWriter, r *http.Request) error {
	one, actor, err := c.factCase(r)
	if err != nil {
		return err
	}
	l := factList{Case: one, after: fact.ID(r.URL.Query().Get("after"))}
	if l.after != "" && l.after.Number() == 0 {
		return noPageAt(l.after)
	}
	l.facts, err = c.Evidence.Facts(r.Context(), actor.Org, one.ID, evidence.FactQuery{After: l.after, Limit: factsPerPage + 1})
	if err != nil {
		return err
	}
	if len(l.facts) > factsPerPage {
		l.facts = l.facts[:factsPerPage]
		l.next = l.facts[factsPerPage-1].ID
	}
	p := c.filePage(r, one)
	p.Title = p.T("facts.of", "ref", one.Ref)
	return c.site.Render(w, r, http.StatusOK, p, factsBody(p, l))
}

// factCase is the case in the address, for a reader of cases.
func (c *Console) factCase(r *http.Request) (casefile.Case, identity.Actor, error) {
	one, actor, err := c.readCase(r)
	if err == nil && c.Evidence == nil {
		err = fault.New(fault.Unavailable, "facts are not set up on this server").Because("not_set_up")
	}
	return one, actor, err
}

// A factCard is one version of a fact with everything that shows where it comes
// from.
type factCard struct {
	casefile.Case
	fact.Fact
	versions []fact.Fact // the oldest first
	opening  *evidence.Opening
	closed   error              // why the source cannot be opened
	sealed   *evidence.Snapshot // set: the source is personal data, and shown only with a reason
	typed    string             // the reason that was typed
	refused  error              // why it was not shown
	tree     *branch
	noTree   error // why the formula cannot be opened
	uses     []evidence.Use
	verdict  reperform.Verdict
}

// maxBasis bounds the formula tree: facts that one rests on.
const maxBasis = 500

// fact is the card of one fact: F17 for its newest version, F17@2 for one.
func (c *Console) fact(w http.ResponseWriter, r *http.Request) error {
	card, _, err := c.readFact(r)
	if err != nil {
		return err
	}
	return c.showFactCard(w, r, http.StatusOK, card)
}

func (c *Console) showFactCard(w http.ResponseWriter, r *http.Request, status int, card factCard) error {
	p := c.filePage(r, card.Case)
	p.Title = p.T("fact.title", "fact", string(card.Fact.ID), "ref", card.Case.Ref)
	return c.site.Render(w, r, status, p, factBody(p, card))
}

// readFact reads the card of the fact in the address.
func (c *Console) readFact(r *http.Request) (card factCard, actor identity.Actor, err error) {
	if card.Case, actor, err = c.factCase(r); err != nil {
		return card, actor, err
	}
	ref, err := parseRef(r.PathValue("fact"))
	if err != nil {
		return card, actor, err
	}
	if card.Fact, err = c.Evidence.Fact(r.Context(), actor.Org, card.Case.ID, ref); err != nil {
		return card, actor, err
	}
	return card, actor, c.fill(r, actor, &card)
}

func (c *Console) fill(r *http.Request, actor identity.Actor, card *factCard) (err error) {
	ctx, org, id, f := r.Context(), actor.Org, card.Case.ID, card.Fact
	if card.versions, err = c.Evidence.Versions(ctx, org, id, f.ID); err != nil {
		return err
	}
	if card.uses, err = c.Evidence.Uses(ctx, org, id, f.Ref()); err != nil {
		return err
	}
	if card.verdict, err = c.Evidence.Check(ctx, org, f); err != nil {
		return err
	}
	if f.Source != nil {
		if card.sealed, err = c.sealedSource(r, actor, f.Source.Snapshot); err != nil {
			return err
		}
		return c.openSource(r, actor, card)
	}
	basis, err := c.Evidence.Basis(ctx, org, id, f.Ref(), maxBasis)
	if err == nil {
		card.tree = grow(f, basis)
	}
	card.noTree = err
	return unsaid(err)
}

// openSource opens the source of a fact at its place, unless it is sealed.
func (c *Console) openSource(r *http.Request, actor identity.Actor, card *factCard) error {
	if card.sealed != nil {
		card.opening = &evidence.Opening{Snapshot: card.sealed}
		return nil
	}
	opening, err := c.Evidence.Resolve(r.Context(), actor.Org, card.Fact)
	card.opening, card.closed = &opening, err
	return unsaid(err)
}

// unsaid is an error that the card cannot show in the place of what is missing:
// one that has no words for people.
func unsaid(err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind != fault.Internal {
		return nil
	}
	return err
}

// parseRef reads the name of a fact in an address.
func parseRef(text string) (fact.Ref, error) {
	var ref fact.Ref
	if id := fact.ID(text); id.Number() > 0 {
		return fact.Ref{ID: id}, nil
	}
	if len(text) > 40 || ref.UnmarshalText([]byte(text)) != nil || ref.ID.Number() == 0 {
		return ref, fault.New(fault.NotFound, "no fact is called %.20q", text).Because("nothing_called", "id", text)
	}
	return ref, nil
}

func (c factCard) newest() fact.Fact { return c.versions[len(c.versions)-1] }

func factAddress(id casefile.CaseID, name string) string {
	return caseAddress(id, "/facts/"+name)
}

// numberedForm is a place in a list, as facts name it: the list, and a number from 0.
var numberedForm = regexp.MustCompile(`^([a-z]+)/([0-9]{1,4})$`)

// placeWord is what tells a fact apart, in words: of a place in a list that has a word, the
// word and how many places in.
func placeWord(p *web.Page, prefix, value string) string {
	if m := numberedForm.FindStringSubmatch(value); m != nil {
		if list, given := spoken(p, prefix+m[1]); given {
			n, _ := strconv.Atoi(m[2]) // the form has digits there
			return list + " " + strconv.Itoa(n+1)
		}
	}
	return p.Word(prefix, value)
}

// subjectWords says what a fact is about, in the page's language where there is
// a name: the name or type, then what tells it apart. Where the words of a type have
// places, what tells it apart is filled into them; its words may have places again, as
// "share of {state}" has.
func subjectWords(p *web.Page, s fact.Subject) string {
	name := p.Word("subject.", s.Type)
	if strings.Contains(name, "{") {
		var places []string
		for key, value := range s.IDs {
			places = append(places, "{"+key+"}", placeWord(p, "subject."+s.Type+"."+key+".", value))
		}
		fill := strings.NewReplacer(places...)
		return fill.Replace(fill.Replace(name))
	}
	names := s.Names.EN
	if p.Lang == web.Hindi && len(s.Names.HI) > 0 {
		names = s.Names.HI
	}
	if len(names) > 0 {
		name = names[0]
	}
	parts := []string{name}
	for _, key := range slices.Sorted(maps.Keys(s.IDs)) {
		parts = append(parts, strings.ReplaceAll(key, "_", " ")+" "+s.IDs[key])
	}
	return strings.Join(parts, " · ")
}

// sourceWords says in short where a fact comes from.
func sourceWords(p *web.Page, f fact.Fact) string {
	if f.Calc != nil {
		return formula(p, *f.Calc)
	}
	if f.Source == nil {
		return ""
	}
	switch s := f.Source.Selector; {
	case s.CSV != nil:
		return p.T("fact.at.csv", "row", strconv.Itoa(s.CSV.Row), "column", s.CSV.Column)
	case s.JSON != nil:
		return p.T("fact.at.json", "pointer", s.JSON.Pointer)
	case s.Row != nil:
		return p.T("fact.at.row", "table", s.Row.Table, "key", s.Row.PK)
	case s.Manual != nil:
		return p.T("fact.at.manual", "who", s.Manual.By)
	}
	return ""
}

// maxNamed is how many inputs a formula names before it only counts them.
const maxNamed = 8

func formula(p *web.Page, calc fact.Calc) string {
	var names []string
	for i, in := range calc.Inputs {
		if i == maxNamed {
			names = append(names, p.T("fact.and_more", "n", strconv.Itoa(len(calc.Inputs)-maxNamed)))
			break
		}
		names = append(names, in.String())
	}
	return p.T("fact.formula", "op", p.Word("op.", string(calc.Op)), "inputs", strings.Join(names, ", "))
}

// changes says what a version changed against the one before it.
func changes(p *web.Page, before, after fact.Fact) string {
	var said []string
	if before.Display != after.Display || before.Value != after.Value {
		said = append(said, p.T("fact.changed.value", "from", before.Display, "to", after.Display))
	}
	for _, part := range []struct {
		key  string
		same bool
	}{
		{"unit", before.Unit == after.Unit},
		{"as_of", before.AsOf.Equal(after.AsOf)},
		{"kind", before.Kind == after.Kind},
		{"source", sourceWords(p, before) == sourceWords(p, after) && snapshotOf(before) == snapshotOf(after)},
	} {
		if !part.same {
			said = append(said, p.T("fact.changed."+part.key))
		}
	}
	if len(said) == 0 {
		return p.T("fact.changed.nothing")
	}
	return strings.Join(said, " · ")
}

func snapshotOf(f fact.Fact) string {
	if f.Source == nil {
		return ""
	}
	return f.Source.Snapshot
}

// verdictLook is the class and icon of doing a fact again.
func verdictLook(o reperform.Outcome) (class, icon string) {
	switch o {
	case reperform.Pass:
		return "ok", "check"
	case reperform.Fail:
		return "bad", "stop"
	default:
		return "info", "info"
	}
}

func verdictClass(o reperform.Outcome) string { class, _ := verdictLook(o); return class }
func verdictIcon(o reperform.Outcome) string  { _, icon := verdictLook(o); return icon }
