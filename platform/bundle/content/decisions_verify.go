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
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/review"
)

// A docket is the section, read, beside what the log says about it.
type docket struct {
	r         *bundle.Reader
	texts     *reading
	proposals map[string]proposed
	decisions map[string]decided
	leaves    map[string]proven        // delegations, by their ids
	ends      map[string]bundle.Proven // the newest record about a proposal, by its id
	seeds     map[string]bundle.Proven // the record that says of a proposal that it was a test
	asked     map[string]answered      // what the log says of a proposal that an application made of itself
	erased    blankets
	gone      *tally
}

func verifyDecisions(r *bundle.Reader, rep *bundle.Report) {
	d := &docket{r: r, texts: newReading(r), proposals: map[string]proposed{}, decisions: map[string]decided{}, leaves: map[string]proven{},
		ends: map[string]bundle.Proven{}, seeds: map[string]bundle.Proven{}, asked: map[string]answered{},
		erased: blanketsOf(r, review.ErasedProposals), gone: &tally{rep: rep, path: r.Path(proposalsFile)}}
	c := rep.Check("the proposals are those that agents made",
		"what each proposal would do, and what people were shown of it, has the digest under which the log holds it",
		"that a proposal was a good one; what was shown of one that nobody has answered rests on the manifest's signature; "+
			"of one that some have answered and others have yet to, the log is asked only when it has ended what policy was asked about")
	a := rep.Check("each answer is a named person's, to what they were shown",
		"the log holds who answered what to exactly these bytes, and when, and in whose stead; nobody answered for somebody else "+
			"without their leave, twice, or what they asked for themselves",
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
	d.readProposals(c, proposals)
	d.checkLeaves(rep, decisions)
	d.readDecisions(a, decisions)
	for _, p := range proposals {
		d.checkProposal(c, p)
		d.checkEnd(a, p)
	}
	d.checkTests(rep, proposals)
	d.missing(a)
	c.Saw("%d proposals", len(proposals))
	a.Saw("%d decisions", len(decisions))
	strangers(r, rep, d.texts.knows(proposalsFile, decisionsFile, delegationsFile))
}

func (d *docket) readProposals(c *bundle.Check, all []proposed) {
	path := d.r.Path(proposalsFile)
	for i, p := range all {
		if _, twice := d.proposals[p.ID]; twice || i > 0 && number(p.ID) <= number(all[i-1].ID) {
			c.Found(path, "Proposal %.20s of %s is there twice or out of order.", p.ID, path)
		}
		d.proposals[p.ID] = p
	}
}

func number(id string) (n int) {
	_, _ = fmt.Sscanf(id, "P-%d", &n) // what is no number stands first, and is found out
	return n
}

// readEnds finds the newest record about each proposal, and those that tell of
// tests.
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
		if p.Record.Kind == review.KindProposal && body.State == review.Open {
			d.asked[body.Proposal] = body
		}
		if body.Seed != "" {
			d.seeds[body.Proposal] = p
		}
	}
}

func answerOf(p bundle.Proven) (body answered, ok bool) {
	raw, _ := p.Record.Body.(json.RawMessage)
	return body, json.Unmarshal(raw, &body) == nil && body.Proposal != ""
}

// checkProposal compares a proposal with the record of its turn.
func (d *docket) checkProposal(c *bundle.Check, p proposed) {
	path := d.r.Path(proposalsFile)
	rec, wrong := d.erased.judge(p.EndedAt, p.ErasedAt, p.Args, p.Shown, p.Final, p.truth())
	switch {
	case wrong != "":
		c.Found(path, "Proposal %s (%s) %s.", p.ID, path, wrong)
		return
	case p.ErasedAt != nil:
		d.gone.gone("What "+p.ID+" would do", rec)
		if p.Test != nil {
			d.gone.gone("What was wrong with "+p.ID+", which was a test", rec)
		}
	case !d.texts.is(p.Args, p.ArgsSHA256):
		c.Found(path, "Proposal %s (%s) has other arguments than their SHA-256 says.", p.ID, path)
	case !d.texts.is(p.Shown, p.ShownSHA256):
		c.Found(path, "Proposal %s (%s) has another text to show than its SHA-256 says.", p.ID, path)
	case p.Final != "" && !d.texts.is(p.Final, p.FinalSHA256) || p.Final == "" && p.State == review.Edited &&
		!d.texts.is("", p.FinalSHA256):
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
// about an act whose outcome is unknown comes from the act, and one of an
// application's own from the record that it was asked. A test comes from
// nowhere; checkTests holds it against the record of its end. One that waits for
// more answers may yet turn out to be a test, and must not be told from others by
// its arguments: those are held against the record of the answer it has.
func (d *docket) origin(p proposed) string {
	if p.Test != nil {
		return ""
	}
	if p.Record != "" {
		want := ruledCall{Call: p.Call, Tool: p.Tool, ArgsSHA256: p.ArgsSHA256, Verdict: verdictAsk}
		if d.answeredOpen(p) {
			want.ArgsSHA256 = ""
		}
		return ruledAs(d.r, p.Record, p.Run, want)
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
	if q, ok := d.asked[p.ID]; ok && !asks && q.Act == p.Act && q.ArgsSHA256 == p.ArgsSHA256 && q.ShownSHA256 == p.ShownSHA256 {
		return ""
	}
	return "comes from no call, no act and no question in the log"
}

// answeredOpen reports whether the log holds an answer to a proposal, for exactly
// these arguments, that has not ended it.
func (d *docket) answeredOpen(p proposed) bool {
	rec, ok := d.ends[p.ID]
	body, _ := answerOf(rec)
	return ok && p.State == review.Open && body.State == review.Open && body.Act == p.Act && body.ArgsSHA256 == p.ArgsSHA256
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
	verdict, by := map[review.State]review.Verdict{review.Approved: review.Approve, review.Edited: review.Edit,
		review.Rejected: review.Reject, review.SentBack: review.SendBack}[p.State], 0
	for _, one := range d.decisions {
		if one.Proposal == p.ID && one.Verdict == verdict {
			by++
		}
	}
	need := 1
	if p.State == review.Approved {
		need = p.Required
	}
	if last := d.decisions[p.EndedBy]; verdict != "" && (by < need || last.Proposal != p.ID || last.Verdict != verdict ||
		p.EndedAt == nil || !last.At.Equal(*p.EndedAt)) {
		c.Found(path, "Proposal %s (%s) is %s, and the decisions that this needs are not in %s.", p.ID, path, p.State,
			d.r.Path(decisionsFile))
	}
	if final := p.State == review.Approved || p.State == review.Edited; final != (p.FinalSHA256 != "") || p.State == review.Approved &&
		p.FinalSHA256 != p.ArgsSHA256 {
		c.Found(path, "Proposal %s (%s) is %s with other arguments than were approved.", p.ID, path, p.State)
	}
}

// missing finds what the log has and the section has not.
func (d *docket) missing(c *bundle.Check) {
	for _, p := range d.r.Records() {
		if body, ok := answerOf(p); ok && p.Record.Kind == audit.Decision && p.Record.Subject == d.r.Manifest().Case {
			if one, there := d.decisions[body.Decision]; !there || one.Record != p.ID {
				c.Found(d.r.Path(decisionsFile), "Decision %.80s of record %s is missing from %s.", body.Decision, p.ID,
					d.r.Path(decisionsFile))
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(d.ends)) {
		if _, there := d.proposals[id]; !there {
			c.Found(d.r.Path(proposalsFile), "Proposal %.20s of record %s is missing from %s.", id, d.ends[id].ID, d.r.Path(proposalsFile))
		}
	}
}
