package content

import (
	"fmt"
	"slices"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// A proven delegation, with its place in the log and that of its end.
type proven struct {
	leave
	madeSeq, endSeq int64 // endSeq is -1 while it was not ended before its time
}

// leavesVersion is the section's first version that has delegations. A bundle
// made before it has none, and no decision that names one.
const leavesVersion = 2

// checkLeaves reads the delegations that decisions rest on and compares each with
// its records.
func (d *docket) checkLeaves(rep *bundle.Report, decisions []decided) {
	c := rep.Check("who decided for somebody else had their leave",
		"the log holds each delegation: from whom, to whom, for what and how long, made before the decision and, as far as this "+
			"bundle's records go, not ended before it",
		"that the giver still held their role then; nor that no other record ended it: a log shows what is in it")
	path := d.r.Path(delegationsFile)
	var all []leave
	if d.r.Has(delegationsFile) || d.version() >= leavesVersion {
		var err error
		if all, err = bundle.ReadLines[leave](d.r, delegationsFile); err != nil {
			c.Found(path, "%s cannot be read: %s.", path, words(err))
		}
	}
	used := map[string]bool{}
	for _, one := range decisions {
		used[one.Delegation] = true
	}
	seen := map[string]bool{}
	for i, one := range all {
		if seen[one.ID] || i > 0 && one.ID <= all[i-1].ID {
			c.Found(path, "Delegation %.40s of %s is there twice or out of order.", one.ID, path)
		}
		seen[one.ID] = true
		g, wrong := d.prove(one)
		switch {
		case wrong != "":
			c.Found(path, "Delegation %.40s (%s) %s.", one.ID, path, wrong)
		case !used[one.ID]:
			c.Found(path, "Delegation %.40s (%s) is one that no decision rests on.", one.ID, path)
		default:
			d.leaves[one.ID] = g
		}
	}
	for _, p := range d.r.Records() {
		if p.Record.Kind == review.KindDelegation && !seen[p.Record.Subject] {
			c.Found(path, "Delegation %.40s of record %s is missing from %s.", p.Record.Subject, p.ID, path)
		}
	}
	c.Saw("%d delegations", len(all))
}

// version is the section's, as the manifest has it.
func (d *docket) version() int {
	for _, part := range d.r.Manifest().Sections {
		if part.Name == decisionsName {
			return part.Version
		}
	}
	return 0
}

// prove finds a delegation's records, and says what is wrong with it, or nothing.
func (d *docket) prove(one leave) (g proven, wrong string) {
	g = proven{leave: one, endSeq: -1}
	for _, p := range d.r.Records() {
		if p.Record.Kind != review.KindDelegation || p.Record.Subject != one.ID {
			continue
		}
		body, ok := givenIn(p.Record)
		switch {
		case !ok || !body.says(one) || p.Record.Actor.Kind != identity.Person:
			return g, fmt.Sprintf("is not what record %s says", p.ID)
		case body.Step == stepMade && (p.ID != one.Record || !p.Record.At.Equal(one.MadeAt) || p.Record.Actor.ID != one.From):
			return g, fmt.Sprintf("was not made as record %s says", p.ID)
		case body.Step == stepEnded && (p.ID != one.EndRecord || one.EndedAt == nil || !p.Record.At.Equal(*one.EndedAt) ||
			p.Record.Actor.ID != one.EndedBy):
			return g, fmt.Sprintf("did not end as record %s says", p.ID)
		case body.Step == stepEnded:
			g.endSeq = p.Seq
		}
	}
	made, ok := d.r.Record(one.Record)
	body, about := givenIn(made.Record)
	switch {
	case !ok:
		return g, fmt.Sprintf("rests on record %.40s, which is not proven in this bundle", one.Record)
	case !about || body.Step != stepMade || made.Record.Subject != one.ID:
		return g, fmt.Sprintf("rests on record %s, which is about something else", made.ID)
	case g.endSeq < 0 && (one.EndedAt != nil || one.EndedBy != "" || one.EndRecord != ""):
		return g, "is said to have been ended, and no record of the log in this bundle says so"
	}
	g.madeSeq = made.Seq
	return g, one.sane()
}

// says reports whether a record is about a delegation as it stands in the bundle.
func (body given) says(one leave) bool {
	return body.From == one.From && body.To == one.To && body.App == one.App && body.Kind == one.Kind &&
		slices.Equal(body.Roles, one.Roles) &&
		body.Starts.Equal(one.StartsAt) && body.Ends.Equal(one.EndsAt) && (body.Step == stepMade || body.Step == stepEnded)
}

// sane says why a delegation could not have been made, or nothing.
func (one leave) sane() string {
	switch {
	case one.From == "" || one.To == "" || one.From == one.To:
		return "is from nobody, to nobody, or to oneself"
	case one.StartsAt.Before(one.MadeAt) || !one.EndsAt.After(one.StartsAt) || one.EndsAt.Sub(one.StartsAt) > review.LongestDelegation:
		return "begins before it was made, ends before it begins, or lasts longer than any may"
	}
	return ""
}

// lets says why a delegation does not cover a decision, or nothing. seq is the
// decision's place in the log: what was ended first, there, is the order that
// counts, since clocks are read before the database is asked.
func (g proven) lets(one decided, p proposed, seq int64) string {
	switch {
	case p.Gate != review.ByAnother:
		return "was for one person alone, and nobody decides it for them"
	case g.From != one.OnBehalf || g.To != one.Actor.ID:
		return fmt.Sprintf("was made in the stead of %.80s by %.80s; delegation %s is from %.80s to %.80s", one.OnBehalf, one.Actor.ID,
			g.ID, g.From, g.To)
	case g.App != "" && g.App != p.App || g.Kind != "" && g.Kind != p.Kind:
		return fmt.Sprintf("was made under delegation %s, which is not for such proposals", g.ID)
	case !overlap(g.Roles, p.Deciders):
		return fmt.Sprintf("was made under delegation %s, whose giver has no role that may decide it", g.ID)
	case seq < g.madeSeq || one.At.Before(g.StartsAt) || !one.At.Before(g.EndsAt):
		return fmt.Sprintf("was made under delegation %s, which was not in force then", g.ID)
	case g.endSeq >= 0 && g.endSeq < seq:
		return fmt.Sprintf("was made under delegation %s, which had been ended before", g.ID)
	}
	return ""
}
