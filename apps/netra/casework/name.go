package casework

import (
	"context"

	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// name gives the signals that scores name their own ids in place of the short ones of the sums, and keeps them beside. Few of those that
// the sums hold are named in the end; only these are read.
func (d *Desk) name(ctx context.Context, actor identity.Actor, all []Scored, sums map[int]store.Sums) error {
	var wanted []store.Spot
	spots := make([]map[string]store.Spot, len(all)) // of each district, by short name
	for i, s := range all {
		spots[i] = spotsOf(s.LGD, sums[s.LGD])
		named(s.Results, func(id *string) { wanted = append(wanted, spots[i][*id]) })
	}
	found, err := d.store.Named(ctx, actor, wanted)
	if err != nil {
		return err
	}
	for i, s := range all {
		named(s.Results, func(id *string) {
			x := found[spots[i][*id]]
			s.Told[x.ID] = x
			*id = x.ID
		})
	}
	return nil
}

// named shows every id in results.
func named(all []score.Result, show func(id *string)) {
	for _, r := range all {
		for _, l := range r.Layers {
			for i := range l.Contributions {
				show(&l.Contributions[i].ID)
			}
		}
		for i := range r.Top {
			show(&r.Top[i].ID)
		}
	}
}

// spotsOf is where the signals are that the sums of a district hold.
func spotsOf(lgd int, sums store.Sums) map[string]store.Spot {
	out := map[string]store.Spot{}
	for w := range sums {
		for l := range sums[w] {
			for _, top := range sums[w][l].Top {
				for _, x := range top {
					out[x.ID] = store.Spot{LGD: lgd, At: x.At.UnixMicro(), ID: x.ID}
				}
			}
		}
	}
	return out
}
