package ask

import (
	"context"

	said "github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// mostPoints is how much of each side of a finding an answer says.
const mostPoints = 3

// lookForFound brings what was found, as people read it who decide: of what waits, else of
// what was decided last. It is code's own words, and no model is handed them.
func (d *Desk) lookForFound(ctx context.Context, actor identity.Actor, f *finding) error {
	waiting, _, err := d.Reviews.List(ctx, actor, review.Query{Case: string(f.one.ID), Limit: mostProposals})
	if err != nil {
		return err
	}
	ids := idsOf(waiting)
	if len(ids) == 0 {
		made, err := d.Reviews.DecisionsIn(ctx, actor, string(f.one.ID))
		if err != nil || len(made) == 0 {
			return err
		}
		ids = []string{made[len(made)-1].Proposal}
	}
	if err := d.nameAll(ctx, actor, f, ids); err != nil {
		return err
	}
	f.led = ids
	return nil
}

// nameAll reads what was found of proposals, by which an answer names them.
func (d *Desk) nameAll(ctx context.Context, actor identity.Actor, f *finding, ids []string) error {
	found, err := d.Reviews.Findings(ctx, actor, ids...)
	if err != nil {
		return err
	}
	if f.found == nil {
		f.found = map[string]said.Finding{}
	}
	for id, one := range found {
		f.found[id] = one
	}
	return nil
}

func idsOf(all []review.Proposal) []string {
	ids := make([]string, len(all))
	for i, p := range all {
		ids[i] = p.ID
	}
	return ids
}

// leads are the lines with which an answer to "why" begins: each finding in its sentence,
// and of the only one what speaks for it, against it, and what nobody knows.
func (f finding) leads() (out []Line) {
	var all []said.Finding
	for _, id := range f.led {
		if one, ok := f.found[id]; ok {
			all = append(all, one)
			out = append(out, Line{Key: "found", Args: inBoth(one.Says), Link: id})
		}
	}
	if len(all) != 1 {
		return out
	}
	for _, side := range []struct {
		key    string
		points []said.Point
	}{{"found.for", all[0].For}, {"found.against", all[0].Against}, {"found.unknown", all[0].Unknown}} {
		for _, point := range side.points[:min(len(side.points), mostPoints)] {
			out = append(out, Line{Key: side.key, Args: inBoth(point.Text), Link: point.Ref})
		}
	}
	return out
}

// inBoth are the arguments of a line that is said in the language of whoever reads it.
func inBoth(w said.Words) map[string]string { return map[string]string{"en": w.En, "hi": w.Hi} }

// named are the arguments of a line about a proposal: its id, its kind, and what was found.
func (f finding) named(p review.Proposal) map[string]string {
	args := map[string]string{"id": p.ID, "kind": p.Kind}
	if one, ok := f.found[p.ID]; ok {
		args["en"], args["hi"] = one.First("en"), one.First("hi")
	}
	return args
}
