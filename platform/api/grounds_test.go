package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/event"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// newGroundedBench is a bench whose cases rest on evidence; objected is the case to which
// the person concerned has objected.
func newGroundedBench(t *testing.T, objected *casefile.CaseID) *bench {
	t.Helper()
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations(), seal.Migrations(), evidence.Migrations(),
		act.Migrations(), review.Migrations(), idempotency.Migrations(), operation.Migrations(), event.Migrations())
	return newBenchWith(t, db, review.Config{Grounds: evidence.GroundsText, SameGrounds: evidence.SameGrounds,
		Objected: func(_ context.Context, _ pgx.Tx, id casefile.CaseID) (bool, error) { return id == *objected, nil }})
}

// more puts a fact on a case, past every wall.
func (b *bench) more(id casefile.CaseID) {
	b.t.Helper()
	b.do(fmt.Sprintf(`insert into gavel.fact_count (org, case_id, entered, numbers) values ('north', '%s', 1, 1)
		on conflict (org, case_id) do update set entered = gavel.fact_count.entered + 1`, id))
}

func filing(p *review.Proposal) { p.Kind = "filing" }

// TestAFilingIsDecidedWithItsGroundsAndAReasonByAnyRoad promises over HTTP what the page
// promises: a filing is approved with a word why, on grounds that the sender names, and
// on none that are not the case's any more; and that what is routine needs neither.
func TestAFilingIsDecidedWithItsGroundsAndAReasonByAnyRoad(t *testing.T) {
	var none casefile.CaseID
	b := newGroundedBench(t, &none)
	p := b.propose(filing)
	read := func() string {
		text, _ := b.call("officer", "GET", "/v1/proposals/"+p.ID, "").body["grounds"].(string)
		return text
	}
	body := func(verdict, reason, grounds string) string {
		text, err := json.Marshal(map[string]string{"verdict": verdict, "reason": reason, "grounds": grounds})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	seen := read()
	wrong := strings.Replace(seen, seen[strings.LastIndex(seen, ".")+1:], strings.Repeat("0", 64), 1)
	for i, tt := range []struct {
		name, body string
		status     int
	}{
		{"no word why", body("approve", " ", seen), 422},
		{"no grounds", `{"verdict":"approve","reason":"right"}`, 428},
		{"rejected without grounds", `{"verdict":"reject","reason":"wrong"}`, 428},
		{"counts alone", body("approve", "right", "0.0"), 412},
		{"made-up grounds", body("approve", "right", wrong), 422},
		{"grounds of no form", body("approve", "right", "all of it"), 422},
	} {
		if got := b.decide("officer", p.ID, fmt.Sprintf("filing-%06d", i), tt.body); got.status != tt.status {
			t.Errorf("%s: got %d %v, want %d", tt.name, got.status, got.body, tt.status)
		}
	}
	b.more(b.file.ID)
	if got := b.decide("officer", p.ID, "filing-stale0", body("approve", "right", seen)); got.status != 412 {
		t.Errorf("on less than the case rests on: got %d %v, want 412", got.status, got.body)
	}
	if got := b.decide("officer", p.ID, "filing-right0", body("approve", "right", read())); got.status != 201 {
		t.Errorf("as it should be: got %d %v, want 201", got.status, got.body)
	}
	made := b.call("officer", "GET", "/v1/proposals/"+p.ID, "").body
	if list, _ := made["decisions"].([]any); len(list) != 1 || !strings.HasPrefix(fmt.Sprint(field(list[0], "grounds")), "0.1.") ||
		made["grounds"] != "" {
		t.Errorf("on record: %v", made)
	}
	letter := b.propose()
	if got := b.decide("officer", letter.ID, "letter-000001", `{"verdict":"approve"}`); got.status != 201 {
		t.Errorf("a letter without either: got %d %v, want 201", got.status, got.body)
	}
}

// TestSeveralLeaveOutWhatIsReadByItselfFirst promises that by any road a case to which
// somebody objected, and one that rests on more than when it was read or proposed, is not
// decided among others, that the answer says why, and that it can be decided by itself.
func TestSeveralLeaveOutWhatIsReadByItselfFirst(t *testing.T) {
	var objected casefile.CaseID
	b := newGroundedBench(t, &objected)
	routine := func(on casefile.CaseID) func(*review.Proposal) {
		return func(p *review.Proposal) { p.Effect, p.Case = act.Write, string(on) }
	}
	cases := map[string]casefile.CaseID{}
	for _, key := range []string{"plain", "objected", "moved", "read again"} {
		file, _, err := b.cases.Open(t.Context(), people["officer"], casefile.Opening{App: "general", Key: strings.ReplaceAll(key, " ",
			"-"), Title: key})
		if err != nil {
			t.Fatal(err)
		}
		cases[key] = file.ID
	}
	proposals := map[string]review.Proposal{}
	for key, id := range cases {
		proposals[key] = b.propose(routine(id))
	}
	objected = cases["objected"]
	b.more(cases["moved"])
	b.more(cases["read again"])
	now := b.call("officer", "GET", "/v1/proposals/"+proposals["read again"].ID, "").body["grounds"]
	var list []string
	for key, p := range proposals {
		item := map[string]any{"proposal": p.ID, "etag": p.ETag()}
		if key == "read again" {
			item["grounds"] = now
		}
		text, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(text))
	}
	got := b.call("officer", "POST", "/v1/decisions", `{"verdict":"approve","items":[`+strings.Join(list, ",")+`]}`, "Idempotency-Key",
		"several-0001")
	if got.status != 200 || len(items(got)) != len(proposals) {
		t.Fatalf("%d %v", got.status, got.body)
	}
	want := map[string]string{"plain": "approved ", "read again": "approved ", "objected": " conflict", "moved": " stale"}
	for key, p := range proposals {
		for _, one := range items(got) {
			if field(one, "proposal") != p.ID {
				continue
			}
			code, _ := field(one, "error", "code").(string)
			if is := fmt.Sprintf("%v %s", field(one, "state"), code); is != want[key] {
				t.Errorf("%s: got %q (%v), want %q", key, is, field(one, "error"), want[key])
			}
		}
	}
	if one := b.decide("officer", proposals["objected"].ID, "alone-000001", `{"verdict":"approve"}`); one.status != 201 {
		t.Errorf("by itself: got %d %v, want 201", one.status, one.body)
	}
}
