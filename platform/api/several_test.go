package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/review"
)

// do runs statements past every wall.
func (c caller) do(statements ...string) {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), c.db.AdminURL)
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close(c.t.Context())
	for _, one := range statements {
		if _, err := conn.Exec(c.t.Context(), one); err != nil {
			c.t.Fatalf("%s: %v", one, err)
		}
	}
}

// A decision of several that failed for a moment's reason is made when the same
// request is sent again; the others are not made twice.
func TestWhatMayGoWellInAMomentIsNotKeptAsTheAnswer(t *testing.T) {
	b := newBench(t)
	routine := func(p *review.Proposal) { p.Effect = act.Write }
	one, two := b.propose(routine), b.propose(routine)
	b.do(`create function pg_temp_later() returns trigger language plpgsql as $$ begin raise exception 'later'
		using errcode = '40001'; end $$`,
		fmt.Sprintf(`create trigger later before insert on gavel.decision for each row
			when (new.proposal = '%s') execute function pg_temp_later()`, two.ID))
	body := fmt.Sprintf(`{"verdict":"approve","items":[{"proposal":%q,"etag":%q},{"proposal":%q,"etag":%q}]}`, one.ID, one.ETag(), two.ID,
		two.ETag())
	send := func() []any {
		t.Helper()
		got := b.call("officer", "POST", "/v1/decisions", body, "Idempotency-Key", "several-0002")
		if got.status != 200 || len(items(got)) != 2 || field(items(got)[0], "state") != "approved" {
			t.Fatalf("%d %v", got.status, got.body)
		}
		return items(got)
	}
	if got := send(); field(got[1], "error", "retryable") != true {
		t.Fatalf("got %v, want a failure that may go well in a moment", got[1])
	}
	b.do(`drop trigger later on gavel.decision`)
	for range 2 {
		if got := send(); field(got[1], "state") != "approved" {
			t.Errorf("sent again: got %v, want it decided", got[1])
		}
	}
	if n := b.count(decisions); n != 2 {
		t.Errorf("%d decisions, want 2", n)
	}
}

// Trying several says what would fail, and not that all is well.
func TestTryingSeveralSaysWhichWouldFail(t *testing.T) {
	b := newBench(t)
	routine := func(p *review.Proposal) { p.Effect = act.Write }
	one, two := b.propose(routine), b.propose(routine, func(p *review.Proposal) { p.Makers = []string{"o"} })
	path := "/v1/decisions?validate_only=true"
	item := func(p review.Proposal) string { return fmt.Sprintf(`{"proposal":%q,"etag":%q}`, p.ID, p.ETag()) }
	if got := b.call("officer", "POST", path, `{"verdict":"approve","items":[`+item(one)+`]}`, "Idempotency-Key",
		"try-000001"); got.status != 200 || got.body["validate_only"] != true {
		t.Errorf("what would go well: %d %v", got.status, got.body)
	}
	if got := b.call("officer", "POST", path, `{"verdict":"approve","items":[`+item(one)+`,`+item(two)+`]}`, "Idempotency-Key",
		"try-000002"); got.status != 403 {
		t.Errorf("one that the officer made: %d %v, want 403", got.status, got.body)
	}
	stale := fmt.Sprintf(`{"proposal":%q,"etag":"\"0000000000000000-1\""}`, one.ID)
	if got := b.call("officer", "POST", path, `{"verdict":"approve","items":[`+stale+`]}`, "Idempotency-Key",
		"try-000003"); got.status != 412 {
		t.Errorf("one that was not read: %d %v, want 412", got.status, got.body)
	}
	if n := b.count(decisions); n != 0 {
		t.Errorf("%d decisions, want none", n)
	}
}

// A key makes a delegation once, also when its answer was not remembered.
func TestADelegationWithAKeyIsOne(t *testing.T) {
	b := newBench(t)
	body := fmt.Sprintf(`{"to":"o2","ends_at":%q}`, time.Now().Add(time.Hour).Format(time.RFC3339))
	first := b.call("officer", "POST", "/v1/delegations", body, "Idempotency-Key", "leave-00001")
	b.do(`delete from gavel.idempotency`)
	again := b.call("officer", "POST", "/v1/delegations", body, "Idempotency-Key", "leave-00001")
	if first.status != 201 || again.status != 201 || first.body["id"] != again.body["id"] || b.count(`select count(*)::int
		from gavel.delegation`) != 1 {
		t.Errorf("got %d %v, then %d %v; want one delegation", first.status, first.body, again.status, again.body)
	}
}
