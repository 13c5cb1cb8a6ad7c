package main

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// A tally counts what the people did, as they saw it.
type tally struct {
	asked, seen          atomic.Int64
	twice, again, lost   atomic.Int64
	rivals, stale, blind atomic.Int64
	page                 atomic.Int64
	undo                 atomic.Int64
	noLeave              atomic.Int64
	given, ended         atomic.Int64
	engines, servers     atomic.Int64
	whileAway            atomic.Int64 // decisions taken while the engine was away
	slow, longest        atomic.Int64 // answers that took long, and the longest, in nanoseconds
}

// patient is how long somebody waits before it counts as long.
const patient = 10 * time.Second

// answered counts how long it took until somebody had a yes or no.
func (t *tally) answered(after time.Duration) {
	if after >= patient {
		t.slow.Add(1)
	}
	for {
		longest := t.longest.Load()
		if int64(after) <= longest || t.longest.CompareAndSwap(longest, int64(after)) {
			return
		}
	}
}

// print says it as a table, beside what the record says.
func (t *tally) print(v *verdict) {
	for _, row := range []struct {
		what string
		n    int64
		more string
	}{
		{"proposals asked", t.asked.Load(), fmt.Sprintf("%d approved, %d rejected, %d sent back; %d through the page's form", v.approved,
			v.rejected, v.sentBack, t.page.Load())},
		{"duplicate clicks", t.twice.Load() + t.again.Load() + t.lost.Load(),
			fmt.Sprintf("%d under one key on both servers at once, %d given up and sent again, %d under a second key", t.twice.Load(),
				t.lost.Load(), t.again.Load())},
		{"rivals at one moment", t.rivals.Load(), "with the opposite answer"},
		{"stale tabs refused", t.stale.Load(), fmt.Sprintf("and %d that did not say what was read", t.blind.Load())},
		{"undone", int64(v.undone), fmt.Sprintf("of %d tried, until after the act had begun", t.undo.Load())},
		{"in another's stead", int64(v.inStead), fmt.Sprintf("%d refused after the leave had ended; %d delegations given, %d ended",
			t.noLeave.Load(), t.given.Load(), t.ended.Load())},
		{"restarts", t.engines.Load() + t.servers.Load(),
			fmt.Sprintf("the engine %d times, with %d decisions taken meanwhile; a server %d times",
				t.engines.Load(), t.whileAway.Load(), t.servers.Load())},
		{"answers after 10 s", t.slow.Load(), fmt.Sprintf("the longest wait for a yes or no was %.1f s", time.Duration(t.longest.Load()).
			Seconds())},
		{"carried out", int64(v.carriedOut),
			fmt.Sprintf("counted by the other side, and in the case's history; half of what left did so within %.1f s of its approval, "+
				"all within %.1f s",
				v.waitedFor(0.5).Seconds(), v.waitedFor(1).Seconds())},
	} {
		fmt.Printf("%-22s %7d   %s\n", row.what, row.n, row.more)
	}
}

// waitedFor is how long a share of what left the house took at most.
func (v *verdict) waitedFor(share float64) time.Duration {
	if len(v.waited) == 0 {
		return 0
	}
	slices.Sort(v.waited)
	return v.waited[max(0, int(share*float64(len(v.waited)))-1)]
}

// enough is how many proposals show every kind of thing; fewer may miss one by luck.
const enough = 5000

// demand notes what was to be shown and did not happen: then nothing was.
func (v *verdict) demand(t *tally, o options) {
	if o.cases*callsPerCase < enough {
		return
	}
	for what, n := range map[string]int64{"pressed twice": t.twice.Load(), "sent again": t.lost.Load(),
		"answered at one moment with another": t.rivals.Load(),
		"refused as stale":                    t.stale.Load(), "refused as blind": t.blind.Load(), "sent through the page": t.page.Load(),
		"undone": int64(v.undone), "undone too late": t.undo.Load() - int64(v.undone), "decided in another's stead": int64(v.inStead),
		"refused for want of leave": t.noLeave.Load()} {
		if n == 0 {
			v.note("nothing was %s, so nothing was shown", what)
		}
	}
	if o.engineKills > 0 && (t.whileAway.Load() == 0 || t.engines.Load() == 0) {
		v.note("nothing was decided while the engine was away")
	}
}
