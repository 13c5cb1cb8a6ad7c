package review_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/review"
)

// seeding is a store that joins a share of its proposals by a test.
func (r *rig) seeding(t testing.TB, share float64) *review.Store {
	spoil := func(p review.Proposal) (review.Proposal, string, bool) {
		p.Args = json.RawMessage(`{"to":"the wrong one"}`)
		p.Shown = json.RawMessage(`{"args":{"to":"the wrong one"},"line":"Send a letter"}`)
		p.ArgsSHA256, p.ShownSHA256 = act.Digest(p.Args), act.Digest(p.Shown)
		return p, wrong, true
	}
	return r.with(t, review.Config{Kinds: []review.Kind{{Name: "call", Check: checkArgs, Seeds: review.Seeding{Share: share,
		Spoil: spoil}}}, Recheck: recheck})
}

// ask proposes so many in turns of their own and returns the keys of those that
// were joined by a test.
func (r *rig) ask(t testing.TB, s *review.Store, n int, edit ...func(*review.Proposal)) (joined []string) {
	t.Helper()
	for i := range n {
		p := r.test(append(edit, func(p *review.Proposal) { p.Key = fmt.Sprintf("run_%d/0.1", i) })...)
		p.Args, p.ArgsSHA256 = json.RawMessage(`{"to":"x"}`), act.Digest([]byte(`{"to":"x"}`))
		err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
			var b pgx.Batch
			if err := s.AskLater(t.Context(), tx, &b, &p); err != nil {
				return err
			}
			return tx.SendBatch(t.Context(), &b).Close()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all[string](t, r.db, `select key from gavel.proposal where truth is not null order by key`)
}

func TestAShareOfProposalsIsJoinedByATest(t *testing.T) {
	r := newRig(t, durable.Clock{})
	s := r.seeding(t, 0.1)
	tests := r.ask(t, s, 300)
	if again := r.ask(t, s, 300); strings.Join(again, " ") != strings.Join(tests, " ") {
		t.Errorf("turns that are repeated choose others: %v, then %v", tests, again)
	}
	if n := len(tests); n < 10 || n > 60 {
		t.Errorf("%d tests beside 300; want some 30", n)
	}
	before := all[int](t, r.db, `select count(*) from gavel.proposal s join gavel.proposal p on s.key like p.key || '+%'
		where s.n < p.n`)[0]
	if before == 0 || before == len(tests) {
		t.Errorf("%d of %d tests have the lower number of the two, which tells them", before, len(tests))
	}
	if n := all[int](t, r.db, `select count(*) from gavel.proposal where truth is null`)[0]; n != 300 {
		t.Errorf("%d real proposals, want 300", n)
	}
	p := r.draft()
	p.Key += "+1"
	wantKind(t, "a key like a test's", review.ProposeLater(&pgx.Batch{}, &p), fault.Invalid)
}

// Which proposals are joined by a test is drawn by a secret of the installation,
// so that nobody works it out from keys that they can read.
func TestATestCannotBeWorkedOutFromItsKey(t *testing.T) {
	r := newRig(t, durable.Clock{})
	first := r.ask(t, r.seeding(t, 0.1), 200)
	exec(t, r.db.AdminURL, `delete from gavel.proposal_barred`, `delete from gavel.proposal`, `update gavel_sys.seed_secret
		set secret = repeat('another', 10)`)
	second := r.ask(t, r.seeding(t, 0.1), 200)
	same := 0
	for _, key := range second {
		if strings.Contains(strings.Join(first, " "), key[:strings.Index(key, "+")+1]) {
			same++
		}
	}
	if len(second) == 0 || same > len(second)/2 {
		t.Errorf("another secret chooses %d of %d the same", same, len(second))
	}
}

// A test would become the act of the real proposal it was made of, as far as the
// log tells before its end: neither its key nor its record is of another form.
func TestTheLogNamesATestAsItNamesTheRealOne(t *testing.T) {
	r := newRig(t, durable.Clock{})
	tests := r.ask(t, r.seeding(t, 0.1), 150, two) // of so many one is sure to be joined by a test
	id := all[string](t, r.db, `select id from gavel.proposal where key = $1`, tests[0])[0]
	p := r.get(t, id)
	if p.Key == p.ActKey() || strings.Contains(p.ActKey(), "+") {
		t.Fatalf("the key %s tells a test", p.ActKey())
	}
	r.decide(t, manager, r.answer(p, review.Approve))
	_, err := r.Decide(t.Context(), officer, r.answer(p, review.Approve))
	wantKind(t, "an officer", err, fault.Refused)
	for _, kind := range []string{"decision", "refusal"} {
		for _, rec := range all[string](t, r.db, `select json from gavel.record where kind = $1`, kind) {
			if strings.Contains(rec, "+") || !strings.Contains(rec, `"act":"`+p.ActKey()+`"`) {
				t.Errorf("%s: the log says %s", kind, rec)
			}
		}
	}
}

func TestATestNobodyDecidesEndsInItsTime(t *testing.T) {
	r := newRig(t, durable.Clock{})
	tests := r.ask(t, r.seeding(t, 0.1), 150, func(p *review.Proposal) { p.RemindAt = p.CreatedAt.Add(10 * time.Minute) })
	started := all[string](t, r.db, `select payload::text from gavel.outbox where target = 'general/north/proposal:' || $1`, tests[0])
	if len(started) != 1 {
		t.Fatalf("%d workflows wait for the test, want the platform's own", len(started))
	}
	var start outbox.Start
	var in review.Input
	if err := json.Unmarshal([]byte(started[0]), &start); err != nil || start.Workflow != review.WorkflowName ||
		start.Queue != review.Queue {
		t.Fatalf("got %+v, %v", start, err)
	}
	if err := json.Unmarshal(start.Input, &in); err != nil || in.Key != tests[0] {
		t.Fatalf("got %+v, %v", in, err)
	}
	now := r.clock.Now()
	if got, err := r.Attend(t.Context(), in.Org, in.Key, now.Add(20*time.Minute)); err != nil || got.Decided.State != review.Open ||
		got.Next.IsZero() {
		t.Fatalf("got %+v, %v", got, err)
	}
	if steps := r.heeded(t); len(steps) != 1 || steps[0] != "reminded" {
		t.Errorf("the log says %v: people are reminded of a test as of any other", steps)
	}
	if got, err := r.Attend(t.Context(), in.Org, in.Key, now.Add(2*time.Hour)); err != nil || got.Decided.State != review.Expired ||
		!got.Next.IsZero() {
		t.Errorf("got %+v, %v", got, err)
	}
}

// An erasure leaves what is still to be decided; a test is not, so it ends and
// loses its words.
func TestErasureEndsTheTestsOfACase(t *testing.T) {
	r := newRig(t, durable.Clock{})
	real, test := r.propose(t), r.seed(t)
	at := r.clock.Now().UTC().Truncate(time.Microsecond)
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		reach, err := review.Erase(t.Context(), tx, north, string(r.file.ID), at)
		if err == nil && (reach.Rows != 1 || reach.Left == "") {
			t.Errorf("got %+v, want one row, and the real one left", reach)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.get(t, test.ID); got.State != review.Withdrawn || got.Args != nil || got.Shown != nil || got.Seed == nil ||
		got.Seed.Truth != "" {
		t.Errorf("the test: got %+v", got)
	}
	if got := r.get(t, real.ID); got.State != review.Open || got.Args == nil {
		t.Errorf("the real one: got %+v", got)
	}
	if recs := r.records(t, review.KindProposal); len(recs) != 1 || !strings.Contains(recs[0], `"seed":"`) {
		t.Errorf("the log says %v", recs)
	}
}
