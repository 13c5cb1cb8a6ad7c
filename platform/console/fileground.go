package console

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/evidence/selector"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// Bounds of the correspondence.
const (
	factsOnFile  = 300 // read for the page
	maxCards     = 100
	factsPerCard = 5 // in sight; the others are folded
)

// A ground is what a case rests on: the right pane of its page.
type ground struct {
	cards   []card
	aside   []card      // about others of the case than whom the reader is asked about
	other   []fact.Fact // computed, stated, or read from bytes that are on no card
	facts   map[fact.ID]fact.Fact
	more    bool // there are facts that the page has no room for
	missing []Missing
	side    evidence.Side // what the reader narrowed it to; empty for all
}

// A card is a piece of evidence with the facts read from it.
type card struct {
	evidence.Piece
	snap  *evidence.Snapshot // nil if it is not known how the bytes came
	facts []fact.Fact
	looks []evidence.Disclosure // who was shown it, where it is sealed

	records string // where the reader may read the same, unsealed; empty for nowhere

	open   *selector.Excerpt // shown just now
	closed error             // why it cannot be
}

func (c card) sealed() bool { return c.snap != nil && c.snap.Sealed() }

// sides are the tabs above the correspondence.
func sides() []evidence.Side {
	return []evidence.Side{evidence.For, evidence.Against, evidence.Unknown, ""}
}

// readGround reads evidence and facts, once for the whole page.
func (c *Console) readGround(r *http.Request, actor identity.Actor, f *caseFile) error {
	g := &f.ground
	if side := evidence.Side(r.URL.Query().Get("side")); slices.Contains(sides(), side) {
		g.side = side
	} else {
		return fault.New(fault.Invalid, "evidence is for, against or unknown, not %.20q", side).Because("no_choice", "value", string(side))
	}
	g.facts = map[fact.ID]fact.Fact{}
	g.missing = f.standing.Missing
	if g.missing == nil && len(c.Parts[f.App]) > 0 { // a region that is fetched alone
		var said Standing
		for _, part := range c.Parts[f.App] {
			if part.Standing == nil {
				continue
			}
			one, err := part.Standing(r.Context(), c.site.Page(r), f.Case)
			if err != nil {
				return err
			}
			said.take(one)
		}
		g.missing = said.Missing
	}
	if c.Evidence == nil {
		return nil
	}
	if err := c.readCards(r, actor.Org, f); err != nil {
		return err
	}
	return c.narrow(r, actor, f)
}

// askedIn is the proposal that an address of the page names; empty for none.
func askedIn(r *http.Request) string {
	if id := r.URL.Query().Get("proposal"); proposalForm.MatchString(id) {
		return id
	}
	return ""
}

// inQuestion is what the reader is asked about among what waits, of which there is
// something: what the address names, else the first that they may decide.
func (f caseFile) inQuestion(actor identity.Actor) review.Proposal {
	some := f.gates[:min(len(f.gates), maxDrafts)]
	at := slices.IndexFunc(some, func(one review.Proposal) bool { return one.ID == f.asked })
	if at < 0 {
		at = slices.IndexFunc(some, func(one review.Proposal) bool { return mayNotDecide(actor, proposalView{Proposal: one}) == "" })
	}
	return some[max(at, 0)]
}

// narrow puts evidence aside that is about others than whom the reader is asked about, as
// the application says.
func (c *Console) narrow(r *http.Request, actor identity.Actor, f *caseFile) (err error) {
	at := slices.IndexFunc(c.Parts[f.App], func(part Part) bool { return part.About != nil })
	if at < 0 {
		return nil
	}
	if f.gates == nil {
		if f.gates, err = c.openIn(r, string(f.ID)); err != nil {
			return err
		}
	}
	if len(f.gates) == 0 {
		return nil
	}
	one, err := c.Reviews.Get(r.Context(), actor, f.inQuestion(actor).ID)
	if err != nil {
		return err
	}
	var about []card
	for _, piece := range f.ground.cards {
		if c.Parts[f.App][at].About(one, piece.Piece) {
			about = append(about, piece)
		} else {
			f.ground.aside = append(f.ground.aside, piece)
		}
	}
	f.ground.cards = about
	return nil
}

func (c *Console) readCards(r *http.Request, org identity.Org, f *caseFile) error {
	ctx, g := r.Context(), &f.ground
	pieces, err := c.Evidence.Pieces(ctx, org, f.ID)
	if err != nil {
		return err
	}
	pieces = pieces[:min(len(pieces), maxCards)]
	facts, err := c.Evidence.Facts(ctx, org, f.ID, evidence.FactQuery{Limit: factsOnFile + 1})
	if err != nil {
		return err
	}
	if g.more = len(facts) > factsOnFile; g.more {
		facts = facts[:factsOnFile]
	}
	digests := make([]blob.Digest, len(pieces))
	for i, one := range pieces {
		digests[i] = one.SHA256
	}
	snaps, err := c.Evidence.ReceivedAll(ctx, org, digests)
	if err != nil {
		return err
	}
	g.lay(pieces, snaps, facts)
	c.readable(c.site.Page(r), f)
	if !slices.ContainsFunc(g.cards, card.sealed) {
		return nil
	}
	looks, err := c.Evidence.Disclosures(ctx, org, f.ID)
	for i := range g.cards {
		g.cards[i].looks = looksAt(looks, g.cards[i])
	}
	return err
}

// lay puts each fact on the first card that holds its place.
func (g *ground) lay(pieces []evidence.Piece, snaps map[blob.Digest]evidence.Snapshot, facts []fact.Fact) {
	g.cards = make([]card, len(pieces))
	for i, one := range pieces {
		g.cards[i] = card{Piece: one}
		if snap, ok := snaps[one.SHA256]; ok {
			g.cards[i].snap = &snap
		}
	}
	for _, f := range facts {
		g.facts[f.ID] = f
		at := slices.IndexFunc(g.cards, func(c card) bool { return c.holds(f) })
		if at < 0 {
			g.other = append(g.other, f)
			continue
		}
		g.cards[at].facts = append(g.cards[at].facts, f)
	}
}

// holds reports whether a fact was read from this piece.
func (c card) holds(f fact.Fact) bool {
	if f.Source == nil || f.Source.Snapshot != c.SHA256.String() {
		return false
	}
	if c.Range != nil && c.Range.JSON != nil && f.Source.Selector.JSON != nil {
		part, at := c.Range.JSON.Pointer, f.Source.Selector.JSON.Pointer
		return at == part || strings.HasPrefix(at, strings.TrimSuffix(part, "/")+"/")
	}
	cell := f.Source.Selector.CSV
	if c.Range == nil || c.Range.CSV == nil || cell == nil {
		return true
	}
	return cell.Row >= c.Range.CSV.From && cell.Row <= c.Range.CSV.To
}

// readable says of sealed evidence where this reader may read the same in the records.
func (c *Console) readable(p *web.Page, f *caseFile) {
	for _, part := range c.Parts[f.App] {
		for i := range f.ground.cards {
			if one := &f.ground.cards[i]; part.Records != nil && one.sealed() {
				one.records = part.Records(p, one.Piece)
			}
		}
	}
}

// looksAt are the looks by which a card's bytes were shown, by the piece or a
// fact of it.
func looksAt(all []evidence.Disclosure, c card) []evidence.Disclosure {
	return slices.DeleteFunc(slices.Clone(all), func(d evidence.Disclosure) bool {
		return d.What != c.ID() && !slices.ContainsFunc(c.facts, func(f fact.Fact) bool { return string(f.ID) == d.What })
	})
}

// count is how much speaks for a side. What is missing is unknown.
func (g ground) count(side evidence.Side) int {
	n := 0
	for _, c := range g.cards {
		if side == "" || c.Side == side {
			n++
		}
	}
	if side == "" || side == evidence.Unknown {
		n += len(g.missing)
	}
	return n
}

// has reports whether the page has a place of its own for a name: "E3", "F17".
func (g ground) has(name string) bool {
	if _, ok := g.facts[fact.ID(name)]; ok {
		return true
	}
	return slices.ContainsFunc(slices.Concat(g.cards, g.aside), func(c card) bool { return c.ID() == name })
}

// sideLook is the class and icon of a side.
func sideLook(side evidence.Side) (class, icon string) {
	switch side {
	case evidence.For:
		return "ok", "check"
	case evidence.Against:
		return "plain", "slash"
	case evidence.Unknown:
		return "draft", "unknown"
	}
	return "plain", "case"
}

// sideName is the end of a side's message key.
func sideName(side evidence.Side) string {
	if side == "" {
		return "all"
	}
	return string(side)
}

// cardMeta says where a piece comes from, and when.
func cardMeta(p *web.Page, c card) string {
	if c.snap == nil {
		return p.T("card.put", "time", p.Moment(c.At), "zone", p.Zone())
	}
	return p.T("card.fetched", "source", p.Word("source.", c.snap.Source), "time", p.Moment(c.snap.FetchedAt), "zone", p.Zone())
}
