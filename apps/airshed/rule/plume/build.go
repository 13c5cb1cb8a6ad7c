package plume

import "slices"

// build fills the slots hour by hour, so that no more than one hour of fires is
// held twice.
func (x *Index) build(fires []Fire, ids []uint16) {
	if len(fires) == 0 {
		return
	}
	x.first, _ = x.hours(fires[0])
	for _, f := range fires {
		from, _ := x.hours(f)
		x.first = min(x.first, from)
	}
	var burning [][]int32
	for i, f := range fires {
		from, to := x.hours(f)
		for h := from; h <= to; h++ {
			for len(burning) <= h-x.first {
				burning = append(burning, nil)
			}
			burning[h-x.first] = append(burning[h-x.first], int32(i))
		}
	}
	x.slots = make([]slot, len(burning))
	var crumbs []crumb
	for i, list := range burning {
		crumbs = crumbs[:0]
		for _, f := range list {
			if mask := x.mask(fires[f], x.first+i); mask != 0 && fires[f].FRP >= leastFRP {
				crumbs = append(crumbs, newCrumb(fires[f], ids[f], mask))
			}
		}
		x.slots[i] = newSlot(crumbs)
	}
}

func newSlot(crumbs []crumb) (s slot) {
	for size := range fineSizes {
		if size > 0 {
			coarsen(crumbs)
		}
		crumbs = merge(crumbs)
		s.fine[size] = newList(crumbs, crumb.stepwise)
		if size == coarseFrom {
			s.pool(slices.Clone(crumbs))
		}
	}
	return s
}

// pool fills the wide cells, from crumbs of the smallest of them.
func (s *slot) pool(crumbs []crumb) {
	pool(crumbs)
	crumbs = merge(crumbs)
	all := lumped(slices.Clone(crumbs))
	for i := range s.coarse {
		if i > 0 {
			coarsen(crumbs)
			coarsen(all)
		}
		crumbs, all = merge(crumbs), merge(all)
		s.coarse[i], s.total[i] = newList(crumbs, crumb.hourly), newList(all, crumb.lump)
	}
}

// hours is the first and the last hour in which a fire burns in any window.
func (x *Index) hours(f Fire) (from, to int) {
	for w := range x.policy.Burn {
		first, last := x.policy.Burnt(f, w)
		if w == 0 || first/quarters < from {
			from = first / quarters
		}
		to = max(to, last/quarters)
	}
	return from, to
}

// mask says in which steps of an hour a fire burns, for each window.
func (x *Index) mask(f Fire, hour int) (mask uint16) {
	for w := range x.policy.Burn {
		first, last := x.policy.Burnt(f, w)
		for q := range quarters {
			if at := hour*quarters + q; at >= first && at <= last {
				mask |= 1 << (w*quarters + q)
			}
		}
	}
	return mask
}
