package poolpatrol

import (
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestRunsOfAVanComeNewestFirst promises that pages of a van's audits hold each
// once, the newest first, and that those of no pass and no van are not asked for.
func TestRunsOfAVanComeNewestFirst(t *testing.T) {
	r := newRig(t)
	r.fill("manager", apiTown())
	want := []string{r.audited("manager"), r.audited("manager"), r.audited("manager")}
	who, q := rigPeople["auditor"], store.RunQuery{Vanpool: "VP-00003", Limit: 1}
	for i := len(want) - 1; i >= 0; i-- {
		runs, next, err := r.app.store.Runs(t.Context(), who, q)
		if err != nil || len(runs) != 1 || runs[0].Pass != want[i] || (next == "") != (i == 0) {
			t.Fatalf("got %v, next %q, %v, want the run of %s", runs, next, err, want[i])
		}
		q.After = next
	}
	both, _, err := r.app.store.Runs(t.Context(), who, store.RunQuery{Pass: want[1], Vanpool: "VP-00003"})
	if err != nil || len(both) != 1 || both[0].Pass != want[1] {
		t.Errorf("of a pass and a van: got %v, %v", both, err)
	}
	for name, q := range map[string]store.RunQuery{"nothing": {}, "an outcome": {Outcome: audit.Failed}, "no outcome": {Pass: want[0],
		Outcome: "perhaps"}, "another's token": {Vanpool: "VP-00003", After: "VP-00002"}} {
		if _, _, err := r.app.store.Runs(t.Context(), who, q); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want it refused", name, err)
		}
	}
	if _, _, err := r.app.store.Runs(t.Context(), rigPeople["officer"], store.RunQuery{Vanpool: "VP-00003"}); !fault.Is(err,
		fault.Refused) {
		t.Errorf("an officer: got %v", err)
	}
}
