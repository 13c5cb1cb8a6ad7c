package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gowebpki/jcs"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/event"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// A bench is a server over a case in which things are proposed.
type bench struct {
	caller
	reviews *review.Store
	cases   *casefile.Store
	acts    *act.Store
	file    casefile.Case
	n       int
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return newBenchOn(t, postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations(), act.Migrations(),
		review.Migrations(),
		idempotency.Migrations(), operation.Migrations(), event.Migrations()))
}

func newBenchOn(t *testing.T, db *postgrestest.Database) *bench {
	t.Helper()
	return newBenchWith(t, db, review.Config{})
}

func newBenchWith(t *testing.T, db *postgrestest.Database, c review.Config) *bench {
	t.Helper()
	cases := casefile.NewStore(casefile.Config{DB: db.App, Rules: policy.Standard()})
	b := &bench{cases: cases, acts: act.NewStore(db.App, clock)}
	c.DB, c.Rules, c.Acts, c.Person = db.App, policy.Standard(), b.acts, person
	c.Kinds = []review.Kind{{Name: "call", Check: checkArgs},
		{Name: "filing", Class: func(review.Proposal) review.Class { return review.LegalFiling }}}
	c.Recheck = func(context.Context, review.Proposal, json.RawMessage) error { return nil }
	var err error
	if b.reviews, err = review.New(c); err != nil {
		t.Fatal(err)
	}
	if b.file, _, err = cases.Open(t.Context(), people["officer"], casefile.Opening{App: "general", Key: "van-14",
		Title: "Van 14"}); err != nil {
		t.Fatal(err)
	}
	url := serveParts(t, db, api.Config{}, &api.Cases{Cases: cases, PublicURL: public}, &api.Proposals{Reviews: b.reviews,
		PublicURL: public},
		&api.Events{Events: event.NewReader(db.App), May: policy.Standard().May}, &api.Operations{})
	b.caller = caller{t, url, &http.Client{}, db}
	return b
}

func checkArgs(_ review.Proposal, args json.RawMessage) (json.RawMessage, error) {
	var in struct {
		To *string `json:"to"`
	}
	if err := json.Unmarshal(args, &in); err != nil || in.To == nil {
		return nil, fault.New(fault.Invalid, "args.to: want a text")
	}
	return jcs.Transform(args)
}

// person finds the people of the tests.
func person(_ context.Context, _ pgx.Tx, org identity.Org, id string) (identity.Actor, error) {
	for _, who := range people {
		if who.ID == id && who.Org == org {
			return who, nil
		}
	}
	return identity.Actor{}, fault.New(fault.NotFound, "nobody is called %s", id)
}

// propose puts a letter before the officers.
func (b *bench) propose(edit ...func(*review.Proposal)) review.Proposal {
	b.t.Helper()
	b.n++
	args := fmt.Appendf(nil, `{"to":"rider %d"}`, b.n)
	shown := fmt.Appendf(nil, `{"args":%s,"line":"Send a letter"}`, args)
	p := review.Proposal{Org: postgrestest.North, Case: string(b.file.ID), Kind: "call", App: "poolpatrol", Tool: "send_letter",
		Effect: act.Outside,
		Key:    fmt.Sprintf("run_1/c%d", b.n), Run: "run_1", Call: fmt.Sprintf("c%d", b.n), Gate: review.ByAnother, Args: args,
		ArgsSHA256: act.Digest(args), Shown: shown, ShownSHA256: act.Digest(shown), RequestedBy: "agent:poolpatrol/writer",
		Deciders: []identity.Role{identity.Officer}, PolicyRecord: "rec_1", CreatedAt: time.Now().Truncate(time.Microsecond),
		ExpiresAt: time.Now().Add(48 * time.Hour), Undo: time.Hour}
	for _, e := range edit {
		e(&p)
	}
	p, err := b.reviews.Propose(b.t.Context(), p)
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// tag is the ETag of a proposal as it is now.
func (b *bench) tag(id string) string {
	b.t.Helper()
	return b.call("auditor", "GET", "/v1/proposals/"+id, "").header.Get("ETag")
}

// decide answers a proposal as it is now.
func (b *bench) decide(as, id, key, body string) answer {
	b.t.Helper()
	return b.call(as, "POST", "/v1/proposals/"+id+"/decisions", body, "If-Match", b.tag(id), "Idempotency-Key", key)
}

// count asks the database, past every wall.
func (c caller) count(sql string, args ...any) (n int) {
	c.t.Helper()
	rows, _ := c.db.System.Query(c.t.Context(), sql, args...)
	n, err := pgx.CollectOneRow(rows, pgx.RowTo[int])
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

const (
	decisions = `select count(*)::int from gavel.decision`
	acts      = `select count(*)::int from gavel.act`
)

func TestADecisionSaysWhatItWasMadeOn(t *testing.T) {
	b := newBench(t)
	p := b.propose()
	path := "/v1/proposals/" + p.ID + "/decisions"
	approve := `{"verdict":"approve"}`
	old := b.tag(p.ID)
	for _, tt := range []struct {
		name    string
		headers []string
		status  int
		code    string
	}{
		{"without If-Match", []string{"Idempotency-Key", "key-000001"}, 428, "precondition_required"},
		{"with a star", []string{"Idempotency-Key", "key-000002", "If-Match", "*"}, 428, "precondition_required"},
		{"on something else", []string{"Idempotency-Key", "key-000003", "If-Match", `"0123456789abcdef-1"`}, 412, "stale"},
		{"without a key", []string{"If-Match", old}, 422, "invalid"},
		{"on what is there", []string{"Idempotency-Key", "key-000004", "If-Match", old}, 201, ""},
		{"on what was there", []string{"Idempotency-Key", "key-000005", "If-Match", old}, 412, "stale"},
	} {
		got := b.call("officer", "POST", path, approve, tt.headers...)
		if code, _ := got.body["code"].(string); got.status != tt.status || code != tt.code {
			t.Errorf("%s: got %d %v, want %d %s", tt.name, got.status, got.body, tt.status, tt.code)
		}
		if tt.status == 412 && got.header.Get("Link") != `</v1/proposals/P-1>; rel="version-history"` {
			t.Errorf("%s: what changed is at %q", tt.name, got.header.Get("Link"))
		}
	}
	if n := b.count(decisions); n != 1 {
		t.Errorf("%d decisions, want 1", n)
	}
	whole := b.call("auditor", "GET", "/v1/proposals/"+p.ID, "")
	if made, _ := whole.body["decisions"].([]any); len(made) != 1 || field(made[0], "verdict") != "approve" ||
		field(made[0], "actor") != "o" {
		t.Errorf("got %v", whole.body)
	}
}

func TestOneKeyIsOneDecisionHoweverOftenItIsSent(t *testing.T) {
	b := newBench(t)
	p := b.propose()
	tag := b.tag(p.ID)
	var wg sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for range 12 {
		wg.Go(func() {
			got := b.call("officer", "POST", "/v1/proposals/"+p.ID+"/decisions", `{"verdict":"approve"}`, "If-Match", tag,
				"Idempotency-Key", "one-key-0001")
			mu.Lock()
			statuses[got.status]++
			mu.Unlock()
			if got.status == 409 && got.header.Get("Retry-After") == "" {
				t.Error("who is too early is not told when to try again")
			}
		})
	}
	wg.Wait()
	if statuses[201] == 0 || statuses[201]+statuses[409] != 12 {
		t.Errorf("got %v, want 201 and perhaps 409", statuses)
	}
	again := b.call("officer", "POST", "/v1/proposals/"+p.ID+"/decisions", `{"verdict":"approve"}`, "If-Match", b.tag(p.ID),
		"Idempotency-Key", "one-key-0001")
	if again.status != 201 || again.header.Get("Idempotency-Replayed") != "true" || field(again.body, "proposal", "state") != "approved" {
		t.Errorf("sent again: %d %v %v", again.status, again.header, again.body)
	}
	if other := b.decide("officer", p.ID, "one-key-0001", `{"verdict":"reject","reason":"No."}`); other.status != 422 {
		t.Errorf("the same key for another answer: %d", other.status)
	}
	if d, a := b.count(decisions), b.count(acts); d != 1 || a != 1 {
		t.Errorf("%d decisions and %d acts, want one of each", d, a)
	}
	// Seven days later the answer is forgotten, and the decision is not.
	if _, err := b.db.System.Exec(t.Context(), `delete from gavel.idempotency`); err != nil {
		t.Fatal(err)
	}
	late := b.call("officer", "POST", "/v1/proposals/"+p.ID+"/decisions", `{"verdict":"approve"}`, "If-Match", tag, "Idempotency-Key",
		"one-key-0001")
	if late.status != 201 || late.header.Get("Idempotency-Replayed") != "" || b.count(decisions) != 1 {
		t.Errorf("after a week: %d %v, %d decisions", late.status, late.body, b.count(decisions))
	}
}

func TestWhoMayNotDecideDoesNot(t *testing.T) {
	b := newBench(t)
	p := b.propose()
	for as, want := range map[string]int{"": 401, "machine": 403, "auditor": 403, "south": 404, "requester": 403} {
		if as == "requester" {
			p = b.propose(func(p *review.Proposal) { p.OnBehalfOf = people["officer"].ID })
			as = "officer"
		}
		got := b.call(as, "POST", "/v1/proposals/"+p.ID+"/decisions", `{"verdict":"approve"}`, "If-Match", p.ETag(), "Idempotency-Key",
			"key-of-"+as+"-01")
		if got.status != want {
			t.Errorf("%q: got %d %v, want %d", as, got.status, got.body, want)
		}
	}
	if n := b.count(decisions); n != 0 {
		t.Errorf("%d decisions", n)
	}
	if n := b.count(`select count(*)::int from gavel.record where kind = 'refusal'`); n < 1 {
		t.Error("no refusal is on record")
	}
}

func TestUndoingIsASecondDecisionAndLeavesNoAct(t *testing.T) {
	b := newBench(t)
	p := b.propose()
	if got := b.decide("officer", p.ID, "approve-0001", `{"verdict":"approve"}`); got.status != 201 ||
		field(got.body, "proposal", "held_until") == nil {
		t.Fatalf("%d %v", got.status, got.body)
	}
	undo := "/v1/proposals/" + p.ID + "/undo"
	if got := b.call("officer", "POST", undo, `{"reason":"Wrong depot."}`, "Idempotency-Key", "undo-00001"); got.status != 428 {
		t.Errorf("without If-Match: %d", got.status)
	}
	if got := b.call("officer", "POST", undo, `{"reason":"Wrong depot."}`, "Idempotency-Key", "undo-00002", "If-Match",
		b.tag(p.ID)); got.status != 201 {
		t.Errorf("%d %v", got.status, got.body)
	}
	if n := b.count(`select count(*)::int from gavel.act where state = 'undone'`); n != 1 || b.count(decisions) != 2 {
		t.Errorf("%d acts undone, %d decisions; want 1 and 2", n, b.count(decisions))
	}
}

func TestAnEditKeepsItsTypesAndItsDifference(t *testing.T) {
	b := newBench(t)
	p := b.propose()
	if got := b.decide("officer", p.ID, "edit-000001", `{"verdict":"edit","edit":{"to":7}}`); got.status != 422 {
		t.Errorf("of another type: %d", got.status)
	}
	if got := b.decide("officer", p.ID, "edit-000002", `{"verdict":"edit","edit":{"to":"the union"}}`); got.status != 201 {
		t.Fatalf("%d %v", got.status, got.body)
	}
	whole := b.call("officer", "GET", "/v1/proposals/"+p.ID, "")
	changed, _ := whole.body["edited"].([]any)
	if len(changed) != 1 || field(changed[0], "path") != "/to" || field(changed[0], "after") != "the union" ||
		field(whole.body, "final_args", "to") != "the union" {
		t.Errorf("got %v", whole.body)
	}
}

func TestSeveralAreDecidedEachByItself(t *testing.T) {
	b := newBench(t)
	routine := func(p *review.Proposal) { p.Effect = act.Write }
	one, two, gone := b.propose(routine), b.propose(routine), b.propose(routine)
	b.decide("officer", gone.ID, "reject-00001", `{"verdict":"reject","reason":"No."}`)
	body := fmt.Sprintf(`{"verdict":"approve","items":[{"proposal":%q,"etag":%q},{"proposal":%q,"etag":%q},{"proposal":%q,"etag":%q}]}`,
		one.ID, one.ETag(), gone.ID, gone.ETag(), two.ID, two.ETag())
	for range 2 { // the second time is a repeat
		got := b.call("officer", "POST", "/v1/decisions", body, "Idempotency-Key", "several-0001")
		results := items(got)
		if got.status != 200 || len(results) != 3 || field(results[0], "state") != "approved" || field(results[2], "state") != "approved" ||
			field(results[1], "error", "code") != "stale" {
			t.Fatalf("%d %v", got.status, got.body)
		}
	}
	if n := b.count(decisions); n != 3 {
		t.Errorf("%d decisions, want 3", n)
	}
}

func TestAnInboxIsReadAndTended(t *testing.T) {
	b := newBench(t)
	p, other := b.propose(), b.propose()
	if got := b.call("officer", "GET", "/v1/inbox", ""); len(items(got)) != 2 || field(items(got)[0], "line") != "Send a letter" ||
		field(items(got)[0], "why") != "role" {
		t.Fatalf("%d %v", got.status, got.body)
	}
	for _, tt := range []struct {
		as, method, path, body string
		want                   int
	}{
		{"officer", "POST", "/v1/proposals/" + p.ID + "/claim", "", 200},
		{"officer", "DELETE", "/v1/proposals/" + p.ID + "/claim", "", 204},
		{"officer", "POST", "/v1/proposals/" + p.ID + "/opened", `{"what":"evidence/3","seconds":12}`, 204},
		{"officer", "POST", "/v1/proposals/" + p.ID + "/opened", `{"what":"evidence/3","seconds":0}`, 422},
		{"officer", "POST", "/v1/proposals/" + p.ID + "/snooze", fmt.Sprintf(`{"until":%q}`, time.Now().Add(time.Hour).
			Format(time.RFC3339)), 204},
		{"officer", "POST", "/v1/proposals/" + p.ID + "/snooze", `{"until":"tomorrow"}`, 422},
		{"officer", "POST", "/v1/proposals/" + other.ID + "/assignment", `{"to":"o2"}`, 204},
		{"officer", "POST", "/v1/proposals/" + other.ID + "/assignment", `{"to":"a"}`, 422},
		{"officer", "POST", "/v1/proposals/P-99/claim", "", 404},
		{"auditor", "POST", "/v1/proposals/" + other.ID + "/claim", "", 403},
		{"officer", "POST", "/v1/delegations", fmt.Sprintf(`{"to":"o2","ends_at":%q}`, time.Now().Add(time.Hour).Format(time.RFC3339)),
			201},
		{"officer", "POST", "/v1/delegations", `{"to":"o","ends_at":"2030-01-01T00:00:00Z"}`, 422},
		{"machine", "GET", "/v1/inbox", "", 403},
	} {
		if got := b.call(tt.as, tt.method, tt.path, tt.body); got.status != tt.want {
			t.Errorf("%s %s %s %s: got %d %v, want %d", tt.as, tt.method, tt.path, tt.body, got.status, got.body, tt.want)
		}
	}
	counts := b.call("officer", "GET", "/v1/inbox/counts", "")
	if counts.body["needs_me"] != 0.0 || counts.body["snoozed"] != 1.0 {
		t.Errorf("got %v", counts.body)
	}
	mine := b.call("officer", "GET", "/v1/delegations", "")
	id, _ := field(items(mine)[0], "id").(string)
	if got := b.call("officer", "POST", "/v1/delegations/"+id+"/end", ""); got.status != 200 || got.body["ended_by"] != "o" {
		t.Errorf("%d %v", got.status, got.body)
	}
}

func TestTryingADecisionLeavesNothing(t *testing.T) {
	b := newBench(t)
	p := b.propose()
	path := "/v1/proposals/" + p.ID + "/decisions?validate_only=true"
	tables := func() string {
		var all []string
		for _, table := range []string{"decision", "act", "record", "outbox", "case_entry", "idempotency"} {
			all = append(all, fmt.Sprint(table, b.count(`select count(*)::int from gavel.`+table)))
		}
		return strings.Join(all, " ")
	}
	before := tables()
	if got := b.call("officer", "POST", path, `{"verdict":"approve"}`, "If-Match", b.tag(p.ID)); got.status != 200 ||
		got.body["validate_only"] != true || got.body["status"] != 201.0 {
		t.Errorf("%d %v", got.status, got.body)
	}
	for name, want := range map[string]struct {
		as, body string
		status   int
	}{"who may not": {"auditor", `{"verdict":"approve"}`, 403}, "without a reason": {"officer", `{"verdict":"reject"}`, 422}} {
		if got := b.call(want.as, "POST", path, want.body, "If-Match", b.tag(p.ID)); got.status != want.status {
			t.Errorf("%s: %d %v", name, got.status, got.body)
		}
	}
	if after := tables(); after != before {
		t.Errorf("trying left %s, want %s", after, before)
	}
}
