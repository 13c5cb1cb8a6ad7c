package api_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/event"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// happen commits records of these kinds and gives them their places, as the
// sequencer does.
func (c caller) happen(org identity.Org, kinds ...audit.Kind) {
	c.t.Helper()
	err := c.db.App.InOrg(c.t.Context(), org, func(tx pgx.Tx) error {
		for i, kind := range kinds {
			rec := audit.Record{At: time.Now(), Kind: kind, App: "general", Subject: fmt.Sprint(kind, i), Body: struct{}{},
				Actor: identity.Actor{Kind: identity.Person, ID: "asha", Org: org}}
			if _, err := audit.Append(c.t.Context(), tx, rec); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	const take = `with taken as (delete from gavel_sys.log_queue returning pos, org, record_id)
		insert into gavel.record_place (org, record_id, seq)
		select org, record_id, (select coalesce(max(seq), -1) from gavel.record_place) + row_number() over (order by pos) from taken`
	if _, err := c.db.System.Exec(c.t.Context(), take); err != nil {
		c.t.Fatal(err)
	}
}

// follow opens a stream and returns what reads its next event: "type subject".
func (c caller) follow(as, path string, headers ...string) (next func() (id, what string), end func()) {
	c.t.Helper()
	ctx, stop := context.WithTimeout(c.t.Context(), 2*wait.Patience())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("As", as)
	req.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.http.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { stop(); res.Body.Close() })
	if ct := res.Header.Get("Content-Type"); ct != "text/event-stream" {
		c.t.Fatalf("answered %d as %s", res.StatusCode, ct)
	}
	in := bufio.NewReader(res.Body)
	return func() (id, what string) {
		for {
			line, err := in.ReadString('\n')
			switch {
			case err != nil:
				return id, "end: " + err.Error()
			case strings.HasPrefix(line, "id: "):
				id = strings.TrimSpace(line[4:])
			case strings.HasPrefix(line, "event: "):
				what = strings.TrimSpace(line[7:])
			case line == "\n" && id != "":
				return id, what
			}
		}
	}, stop
}

func TestEventsComeInOrderAndGoOnWhereTheyStopped(t *testing.T) {
	b := newBench(t)
	b.happen(postgrestest.North, "case", "decision")
	page := b.call("auditor", "GET", "/v1/events?after=first&page_size=2", "")
	if kinds := typesOf(page); !slices.Equal(kinds, []string{"case", "case"}) || page.body["more"] != true {
		t.Fatalf("got %v", page.body) // the case that was opened, and ours
	}
	next, end := b.follow("auditor", "/v1/events?after="+page.body["next"].(string))
	last, what := next()
	if what != "decision" {
		t.Fatalf("got %s", what)
	}
	b.happen(postgrestest.South, "case")
	b.happen(postgrestest.North, "act", "proposal")
	if _, what := next(); what != "act" {
		t.Errorf("got %s", what)
	}
	end()
	b.happen(postgrestest.North, "case")
	again, _ := b.follow("auditor", "/v1/events", "Last-Event-ID", last)
	var got []string
	for range 3 {
		_, what := again()
		got = append(got, what)
	}
	if !slices.Equal(got, []string{"act", "proposal", "case"}) {
		t.Errorf("after %s: got %v", last, got)
	}
}

func TestWithoutAPlaceEventsBeginNow(t *testing.T) {
	b := newBench(t)
	b.happen(postgrestest.North, "case")
	page := b.call("officer", "GET", "/v1/events", "")
	if len(items(page)) != 0 || page.body["next"] == "" {
		t.Errorf("got %v", page.body)
	}
	next, _ := b.follow("officer", "/v1/events")
	b.happen(postgrestest.North, "decision")
	if _, what := next(); what != "decision" {
		t.Errorf("got %s", what)
	}
	if page := b.call("officer", "GET", "/v1/events?after="+page.body["next"].(string), ""); !slices.Equal(typesOf(page),
		[]string{"decision"}) {
		t.Errorf("got %v", page.body)
	}
}

func TestNobodyIsToldOfWhatTheyCouldNotLookUp(t *testing.T) {
	b := newBench(t)
	b.happen(postgrestest.North, "decision", "model_call", "erasure", "seed")
	for as, want := range map[string][]string{
		"auditor": {"case", "decision", "model_call", "erasure"},
		"machine": {"case", "decision", "model_call"},
		"south":   nil,
	} {
		page := b.call(as, "GET", "/v1/events?after=first", "")
		if got := typesOf(page); !slices.Equal(got, want) {
			t.Errorf("%s is told of %v, want %v", as, got, want)
		}
	}
	for as, want := range map[string]int{"": 401, "operator": 403} {
		if got := b.call(as, "GET", "/v1/events", ""); got.status != want {
			t.Errorf("%q: %d, want %d", as, got.status, want)
		}
	}
	id := field(items(b.call("auditor", "GET", "/v1/events?after=first", ""))[0], "id").(string)
	if got := b.call("south", "GET", "/v1/events?after="+id, ""); got.status != 422 {
		t.Errorf("south goes on from north's event: %d", got.status)
	}
	next, _ := b.follow("machine", "/v1/events?after=first")
	var ids []string
	for range 4 { // the fourth moves it on past what it may not see
		id, _ := next()
		ids = append(ids, id)
	}
	if all := items(b.call("auditor", "GET", "/v1/events?after="+ids[3], "")); len(all) != 0 {
		t.Errorf("the machine stopped at %s, before %v", ids[3], all)
	}
}

func TestOneCallerHasAShareOfTheStreams(t *testing.T) {
	b := newBench(t)
	for range 8 {
		b.follow("officer", "/v1/events")
	}
	if got := b.call("officer", "GET", "/v1/events", "", "Accept", "text/event-stream"); got.status != 429 {
		t.Errorf("a ninth: %d", got.status)
	}
	b.follow("auditor", "/v1/events")
}

func typesOf(page answer) []string {
	var all []string
	for _, item := range items(page) {
		all = append(all, field(item, "type").(string))
	}
	return all
}

// TestAStreamOfEventsEndsWithItsSignIn: at the first beat after it ended.
func TestAStreamOfEventsEndsWithItsSignIn(t *testing.T) {
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations(), idempotency.Migrations(),
		operation.Migrations(), event.Migrations())
	c := caller{t, serveParts(t, db, api.Config{}, &api.Events{Events: event.NewReader(db.App), May: policy.Standard().May,
		Beat: 20 * time.Millisecond}), &http.Client{}, db}
	next, _ := c.follow("leaver", "/v1/events?after=first")
	c.happen(postgrestest.North, audit.CaseStep)
	if _, what := next(); what != string(audit.CaseStep) {
		t.Fatalf("got %s", what)
	}
	signedOut.Store("l", true)
	defer signedOut.Delete("l")
	if _, what := next(); what != "end: EOF" {
		t.Errorf("got %s, want the end", what)
	}
}
