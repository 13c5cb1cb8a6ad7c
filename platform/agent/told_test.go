package agent_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/review"
)

// TestAnOpenTestIsNotToldByItsRun promises that a test of oversight which joined a
// call stands on the run's page as the call's own proposal does: among what the run
// waits for, and in the sentence about the call.
func TestAnOpenTestIsNotToldByItsRun(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("foreman", "letter b")
	r.asked(c.ID, 1)
	list, _, err := r.Reviews.List(t.Context(), olga, review.Query{Case: string(c.ID)})
	if err != nil {
		t.Fatal(err)
	}
	real, err := r.Reviews.Get(t.Context(), olga, list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	test := real
	test.ID, test.Key, test.Wake, test.Args = "", real.Key+"+0a1b2c3d", review.Wake{}, json.RawMessage(`{"word":"wrong"}`)
	test.ArgsSHA256 = act.Digest(test.Args)
	err = r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		var b pgx.Batch
		if err := review.SeedLater(&b, &test, "It is another word."); err != nil {
			return err
		}
		return tx.SendBatch(t.Context(), &b).Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	run := r.top(c.ID)
	var waits []string
	for _, w := range run.Waiting {
		waits = append(waits, w.Proposal)
	}
	if want := []string{real.ID, test.ID}; !slices.Equal(waits, want) {
		t.Errorf("the run waits for %v, want %v", waits, want)
	}
	steps, err := r.Store.Steps(t.Context(), north, run.ID, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	told := steps[0].Calls[0].Proposal
	if told == nil || told.ID != real.ID || !slices.Equal(told.Also, []string{test.ID}) {
		t.Errorf("the call became %+v, want both", told)
	}
	if err := r.verdict(olga, agent.Asked{Proposal: real.ID, ShownSHA256: real.ShownSHA256}, review.Reject, ""); err != nil {
		t.Fatal(err)
	}
	if steps, err = r.Store.Steps(t.Context(), north, run.ID, 0, 10); err != nil || steps[len(steps)-1].Calls[0].Proposal.ID != real.ID {
		t.Errorf("after its end the call is not told by its own proposal: %+v, %v", steps, err)
	}
}

// TestACaseDoesNotSayWhichProposalACallBecame promises that the history of a case
// names no number: a test that joined the call has no entry, and would be known by
// that.
func TestACaseDoesNotSayWhichProposalACallBecame(t *testing.T) {
	r := newRig(t, nil)
	c := r.idle()
	asked := r.proposes(asha, "letter", "a", c.Ref)
	entries, err := r.Cases.Entries(t.Context(), north, c.ID, casefile.EntryQuery{})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(entries, func(e casefile.Entry) bool { return e.Kind == "proposed" })
	if at < 0 || strings.Contains(entries[at].Text, asked.Proposal) || !strings.Contains(entries[at].Text, "letter") {
		t.Errorf("the history says %+v", entries)
	}
}
