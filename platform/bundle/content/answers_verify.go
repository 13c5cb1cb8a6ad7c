package content

import (
	"fmt"
	"slices"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// readDecisions compares each decision with its record and its proposal.
func (d *docket) readDecisions(c *bundle.Check, all []decided) {
	path := d.r.Path(decisionsFile)
	heard := voices{}
	for i, one := range all {
		if _, twice := d.decisions[one.ID]; twice {
			c.Found(path, "Decision %.80s (line %d of %s) is there twice.", one.ID, i+1, path)
		}
		if who := heard.add(one); who != "" {
			c.Found(path, "Decision %.80s (line %d of %s) is a second voice: %.80s has answered %.20s before, or somebody in their stead.",
				one.ID, i+1, path, who, one.Proposal)
		}
		d.decisions[one.ID] = one
		if wrong := d.answers(one); wrong != "" {
			c.Found(path, "Decision %.80s on %.20s (%s) %s.", one.ID, one.Proposal, path, wrong)
		}
	}
}

// voices are who has had their say in a proposal, themselves or through another.
type voices map[string]bool

// add returns who has had theirs before, or nobody. Calling an act off is no
// voice.
func (v voices) add(one decided) (twice string) {
	if one.Verdict == review.Undo {
		return ""
	}
	for _, who := range []string{one.Actor.ID, one.OnBehalf} {
		voice := one.Proposal + " " + who
		if who != "" && v[voice] {
			twice = who
		}
		v[voice] = true
	}
	return twice
}

// answers says what is wrong with a decision, or nothing.
func (d *docket) answers(one decided) string {
	p, ok := d.r.Record(one.Record)
	if !ok {
		return fmt.Sprintf("rests on record %.40s, which is not proven in this bundle", one.Record)
	}
	body, ok := answerOf(p)
	about, known := d.proposals[one.Proposal]
	switch {
	case !ok || p.Record.Kind != audit.Decision || p.Record.Subject != d.r.Manifest().Case:
		return fmt.Sprintf("rests on record %s, which is about something else", p.ID)
	case !known:
		return "answers a proposal that is not in the bundle"
	case body.Decision != one.ID || body.Proposal != one.Proposal || body.Act != about.Act || body.Verdict != one.Verdict ||
		body.ShownSHA256 != one.ShownSHA256 || body.ArgsSHA256 != one.ArgsSHA256 || body.OnBehalf != one.OnBehalf ||
		body.Delegation != one.Delegation || !p.Record.At.Equal(one.At):
		return fmt.Sprintf("is not what record %s says was decided", p.ID)
	case p.Record.Actor.ID != one.Actor.ID || p.Record.Actor.Kind != one.Actor.Kind || one.Actor.Kind != identity.Person:
		return fmt.Sprintf("was made by somebody else, by record %s", p.ID)
	case one.ShownSHA256 != about.ShownSHA256:
		return "was made on something else than the proposal shows"
	}
	if wrong := may(one, about); wrong != "" {
		return wrong
	}
	if wrong := d.right(one, about, p.Seq); wrong != "" {
		return wrong
	}
	settled := about.EndedAt // a decision is blanked with its proposal, or later if it came later
	if settled != nil && one.At.After(*settled) {
		settled = &one.At
	}
	_, wrong := d.erased.judge(settled, one.ErasedAt, one.Reason, one.Opened, one.Actor.Name, one.OnBehalfName)
	if one.Reason == "" && one.ErasedAt == nil && wrong == "" && slices.Contains([]review.Verdict{review.Reject, review.SendBack,
		review.Undo}, one.Verdict) {
		return "has no reason, and does not say that it was erased"
	}
	return wrong
}

// may says why a person could not have decided under anybody's leave, or nothing.
// Whom they decided for is barred like themselves.
func may(one decided, p proposed) string {
	makers := append(slices.Clone(p.Makers), p.RequestedBy, p.OnBehalfOf)
	want := p.ArgsSHA256
	if one.Verdict == review.Edit || one.Verdict == review.Undo {
		want = p.FinalSHA256
	}
	switch {
	case one.ArgsSHA256 != want:
		return "is about other arguments than the proposal's"
	case p.Gate == review.ByOneself && (one.Actor.ID != p.OnBehalfOf || one.OnBehalf != ""):
		return "was for the person it is done for, and is another's"
	case p.Gate == review.ByAnother && slices.Contains(makers, one.Actor.ID):
		return "was made by who asked for it or made it"
	case p.Gate == review.ByAnother && one.OnBehalf != "" && slices.Contains(makers, one.OnBehalf):
		return "was made in the stead of who asked for it or made it"
	case one.Verdict != review.Undo && !slices.Contains(p.Allowed, one.Verdict):
		return "is one that the proposal does not allow"
	}
	return ""
}

// right says why a person had no right to decide, of their own or of whom they
// decided for, or nothing. seq is the place of the decision in the log.
func (d *docket) right(one decided, p proposed, seq int64) string {
	if one.OnBehalf == "" && one.Delegation == "" {
		if p.Gate == review.ByAnother && !overlap(one.Roles, p.Deciders) {
			return "was made in a role that may not decide it"
		}
		return ""
	}
	g, ok := d.leaves[one.Delegation]
	if !ok {
		return fmt.Sprintf("was made in the stead of %.80s, and delegation %.40s is not proven in this bundle", one.OnBehalf,
			one.Delegation)
	}
	return g.lets(one, p, seq)
}

func overlap(a, b []identity.Role) bool {
	return slices.ContainsFunc(a, func(r identity.Role) bool { return slices.Contains(b, r) })
}
