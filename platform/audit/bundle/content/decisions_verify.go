package content

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gowebpki/jcs"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/audit/bundle"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// A docket is the section, read, beside what the log says about it.
type docket struct {
	r         *bundle.Reader
	texts     *reading
	proposals map[string]proposed
	decisions map[string]decided
	ends      map[string]bundle.Proven // the newest record about a proposal, by its id
	erased    blankets
	gone      *tally
}

func verifyDecisions(r *bundle.Reader, rep *bundle.Report) {
	d := &docket{r: r, texts: newReading(r), proposals: map[string]proposed{}, decisions: map[string]decided{}, ends: map[string]bundle.Proven{},
		erased: blanketsOf(r, review.ErasedProposals), gone: &tally{rep: rep, path: r.Path(proposalsFile)}}
	c := rep.Check("the proposals are those that agents made", "what each proposal would do, and what people were shown of it, has the digest under which the log holds it",
		"that a proposal was a good one; what was shown of one that nobody has answered rests on the manifest's signature")
	a := rep.Check("each answer is a named person's, to what they were shown", "the log holds who answered what to exactly these bytes, and when; nobody answered for somebody else, twice, or what they asked for themselves",
		"that the person understood it; reasons, roles and names rest on the manifest's signature")
	proposals, err := bundle.ReadLines[proposed](r, proposalsFile)
	if err != nil {
		c.Found(r.Path(proposalsFile), "%s cannot be read: %s.", r.Path(proposalsFile), words(err))
		return
	}
	decisions, err := bundle.ReadLines[decided](r, decisionsFile)
	if err != nil {
		a.Found(r.Path(decisionsFile), "%s cannot be read: %s.", r.Path(decisionsFile), words(err))
		return
	}
	d.readEnds(a)
	for i, p := range proposals {
		if _, twice := d.proposals[p.ID]; twice || i > 0 && number(p.ID) <= number(proposals[i-1].ID) {
			c.Found(r.Path(proposalsFile), "Proposal %.20s of %s is there twice or out of order.", p.ID, r.Path(proposalsFile))
		}
		d.proposals[p.ID] = p
	}
	d.readDecisions(a, decisions)
	for _, p := range proposals {
		d.checkProposal(c, p)
		d.checkEnd(a, p)
	}
	d.missing(a)
	c.Saw("%d proposals", len(proposals))
	a.Saw("%d decisions", len(decisions))
	strangers(r, rep, d.texts.knows(proposalsFile, decisionsFile))
}

func number(id string) (n int) {
	_, _ = fmt.Sscanf(id, "P-%d", &n) // what is no number stands first, and is found out
	return n
}

// readEnds finds the newest record about each proposal.
func (d *docket) readEnds(c *bundle.Check) {
	for _, p := range d.r.Records() {
		if p.Record.Subject != d.r.Manifest().Case || p.Record.Kind != audit.Decision && p.Record.Kind != review.KindProposal {
			continue
		}
		body, ok := answerOf(p)
		if !ok {
			c.Found(d.r.Path(decisionsFile), "Record %s is about no proposal in %s.", p.ID, d.r.Path(proposalsFile))
			continue
		}
		d.ends[body.Proposal] = p
	}
}

func answerOf(p bundle.Proven) (body answered, ok bool) {
	raw, _ := p.Record.Body.(json.RawMessage)
	return body, json.Unmarshal(raw, &body) == nil && body.Proposal != ""
}

// checkProposal compares a proposal with the record of its turn.
func (d *docket) checkProposal(c *bundle.Check, p proposed) {
	path := d.r.Path(proposalsFile)
	rec, wrong := d.erased.judge(p.EndedAt, p.ErasedAt, p.Args, p.Shown, p.Final)
	switch {
	case wrong != "":
		c.Found(path, "Proposal %s (%s) %s.", p.ID, path, wrong)
		return
	case p.ErasedAt != nil:
		d.gone.gone("What "+p.ID+" would do", rec)
	case !d.texts.is(p.Args, p.ArgsSHA256):
		c.Found(path, "Proposal %s (%s) has other arguments than their SHA-256 says.", p.ID, path)
	case !d.texts.is(p.Shown, p.ShownSHA256):
		c.Found(path, "Proposal %s (%s) has another text to show than its SHA-256 says.", p.ID, path)
	case p.Final != "" && !d.texts.is(p.Final, p.FinalSHA256) || p.Final == "" && p.State == review.Edited && !d.texts.is("", p.FinalSHA256):
		c.Found(path, "Proposal %s (%s) was edited to other arguments than their SHA-256 says.", p.ID, path)
	case !d.shows(p):
		c.Found(path, "Proposal %s (%s) shows other arguments than it would act with.", p.ID, path)
	}
	if wrong := d.origin(p); wrong != "" {
		c.Found(path, "Proposal %s (%s) %s.", p.ID, path, wrong)
	}
}

// shows reports whether what a person was shown has the arguments that would be
// acted with, where it has any.
func (d *docket) shows(p proposed) bool {
	var doc struct {
		Args json.RawMessage `json:"args"`
	}
	if json.Unmarshal(d.texts.text(p.Shown, p.ShownSHA256), &doc) != nil || doc.Args == nil {
		return true
	}
	shown, err := jcs.Transform(doc.Args)
	real, err2 := jcs.Transform(d.texts.text(p.Args, p.ArgsSHA256))
	return err == nil && err2 == nil && bytes.Equal(shown, real)
}

// origin says why nothing in the log led to a proposal, or nothing. A question
// about an act whose outcome is unknown comes from the act.
func (d *docket) origin(p proposed) string {
	if p.Record != "" {
		return ruledAs(d.r, p.Record, p.Run, ruledCall{Call: p.Call, Tool: p.Tool, ArgsSHA256: p.ArgsSHA256, Verdict: verdictAsk})
	}
	if p.Tool != "" {
		return "would act, and no record says that policy was asked"
	}
	key, asks := strings.CutSuffix(p.Act, "/unknown")
	for _, rec := range d.r.Records() {
		if step, ok := actStepOf(d.r, rec); ok && asks && step.Key == key && step.Step == act.Unknown && step.ArgsSHA256 == p.ArgsSHA256 {
			return ""
		}
	}
	return "comes from no call and no act in the log"
}

// readDecisions compares each decision with its record and its proposal.
func (d *docket) readDecisions(c *bundle.Check, all []decided) {
	path := d.r.Path(decisionsFile)
	voices := map[string]bool{}
	for i, one := range all {
		_, twice := d.decisions[one.ID]
		voice := one.Proposal + " " + one.Actor.ID
		if twice || one.Verdict != review.Undo && voices[voice] {
			c.Found(path, "Decision %.80s (line %d of %s) is there twice, or its person has answered %.20s before.", one.ID, i+1, path, one.Proposal)
		}
		d.decisions[one.ID] = one
		voices[voice] = voices[voice] || one.Verdict != review.Undo
		if wrong := d.answers(one); wrong != "" {
			c.Found(path, "Decision %.80s on %.20s (%s) %s.", one.ID, one.Proposal, path, wrong)
		}
	}
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
		body.ShownSHA256 != one.ShownSHA256 || body.ArgsSHA256 != one.ArgsSHA256 || !p.Record.At.Equal(one.At):
		return fmt.Sprintf("is not what record %s says was decided", p.ID)
	case p.Record.Actor.ID != one.Actor.ID || p.Record.Actor.Kind != one.Actor.Kind || one.Actor.Kind != identity.Person:
		return fmt.Sprintf("was made by somebody else, by record %s", p.ID)
	case one.ShownSHA256 != about.ShownSHA256:
		return "was made on something else than the proposal shows"
	}
	if wrong := may(one, about); wrong != "" {
		return wrong
	}
	settled := about.EndedAt // a decision is blanked with its proposal, or later if it came later
	if settled != nil && one.At.After(*settled) {
		settled = &one.At
	}
	_, wrong := d.erased.judge(settled, one.ErasedAt, one.Reason, one.Opened, one.Actor.Name)
	if one.Reason == "" && one.ErasedAt == nil && wrong == "" && slices.Contains([]review.Verdict{review.Reject, review.SendBack, review.Undo}, one.Verdict) {
		return "has no reason, and does not say that it was erased"
	}
	return wrong
}

// may says why a person could not have decided, or nothing.
func may(one decided, p proposed) string {
	makers := append(slices.Clone(p.Makers), p.RequestedBy, p.OnBehalfOf)
	holds := func(r identity.Role) bool { return slices.Contains(p.Deciders, r) }
	want := p.ArgsSHA256
	if one.Verdict == review.Edit || one.Verdict == review.Undo {
		want = p.FinalSHA256
	}
	switch {
	case one.ArgsSHA256 != want:
		return "is about other arguments than the proposal's"
	case p.Gate == review.ByOneself && one.Actor.ID != p.OnBehalfOf:
		return "was for the person it is done for, and is another's"
	case p.Gate == review.ByAnother && slices.Contains(makers, one.Actor.ID):
		return "was made by who asked for it or made it"
	case p.Gate == review.ByAnother && !slices.ContainsFunc(one.Roles, holds):
		return "was made in a role that may not decide it"
	case one.Verdict != review.Undo && !slices.Contains(p.Allowed, one.Verdict):
		return "is one that the proposal does not allow"
	}
	return ""
}

// checkEnd compares how a proposal stands with what the log says of it.
func (d *docket) checkEnd(c *bundle.Check, p proposed) {
	path := d.r.Path(proposalsFile)
	rec, ended := d.ends[p.ID]
	if !ended {
		if p.State != review.Open || p.EndedAt != nil {
			c.Found(path, "Proposal %s (%s) is %s, and no record of the log in this bundle says so.", p.ID, path, p.State)
		}
		return
	}
	body, _ := answerOf(rec)
	if body.State != p.State || body.Act != p.Act {
		c.Found(path, "Proposal %s (%s) is %s; record %s says %s.", p.ID, path, p.State, rec.ID, body.State)
	}
	verdict, by := map[review.State]review.Verdict{review.Approved: review.Approve, review.Edited: review.Edit, review.Rejected: review.Reject, review.SentBack: review.SendBack}[p.State], 0
	for _, one := range d.decisions {
		if one.Proposal == p.ID && one.Verdict == verdict {
			by++
		}
	}
	need := 1
	if p.State == review.Approved {
		need = p.Required
	}
	if last := d.decisions[p.EndedBy]; verdict != "" && (by < need || last.Proposal != p.ID || last.Verdict != verdict || p.EndedAt == nil || !last.At.Equal(*p.EndedAt)) {
		c.Found(path, "Proposal %s (%s) is %s, and the decisions that this needs are not in %s.", p.ID, path, p.State, d.r.Path(decisionsFile))
	}
	if final := p.State == review.Approved || p.State == review.Edited; final != (p.FinalSHA256 != "") || p.State == review.Approved && p.FinalSHA256 != p.ArgsSHA256 {
		c.Found(path, "Proposal %s (%s) is %s with other arguments than were approved.", p.ID, path, p.State)
	}
}

// missing finds what the log has and the section has not.
func (d *docket) missing(c *bundle.Check) {
	for _, p := range d.r.Records() {
		if body, ok := answerOf(p); ok && p.Record.Kind == audit.Decision && p.Record.Subject == d.r.Manifest().Case {
			if one, there := d.decisions[body.Decision]; !there || one.Record != p.ID {
				c.Found(d.r.Path(decisionsFile), "Decision %.80s of record %s is missing from %s.", body.Decision, p.ID, d.r.Path(decisionsFile))
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(d.ends)) {
		if _, there := d.proposals[id]; !there {
			c.Found(d.r.Path(proposalsFile), "Proposal %.20s of record %s is missing from %s.", id, d.ends[id].ID, d.r.Path(proposalsFile))
		}
	}
}
