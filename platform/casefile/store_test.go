package casefile_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func person(org identity.Org, role identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p:" + string(role), Name: "Test " + string(role), Org: org,
		Roles: []identity.Role{role}}
}

var officer = person(postgrestest.North, identity.Officer)

func newStore(t *testing.T) (*casefile.Store, *postgrestest.Database) {
	t.Helper()
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations())
	return casefile.NewStore(casefile.Config{DB: db.App, Rules: policy.Standard()}), db
}

func opening(key string) casefile.Opening {
	return casefile.Opening{App: "general", Key: key, Title: "Look into " + key}
}

func mustOpen(t *testing.T, s *casefile.Store, o casefile.Opening) casefile.Case {
	t.Helper()
	c, opened, err := s.Open(t.Context(), officer, o)
	if err != nil || !opened {
		t.Fatalf("open %s: opened %v, %v", o.Key, opened, err)
	}
	return c
}

func count(t *testing.T, db *postgrestest.Database, sql string) int {
	t.Helper()
	rows, _ := db.System.Query(t.Context(), sql)
	n, err := pgx.CollectOneRow(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOpeningTwiceUnderOneKeyIsOneCase(t *testing.T) {
	store, db := newStore(t)
	first := mustOpen(t, store, opening("van-14"))
	again, opened, err := store.Open(t.Context(), officer, opening("van-14"))
	if err != nil || opened || again.ID != first.ID {
		t.Errorf("got %s, opened %v, %v; want %s again", again.ID, opened, err, first.ID)
	}
	if n := count(t, db, `select count(*) from gavel.outbox where kind = 'start'`); n != 1 {
		t.Errorf("%d starts wait for the engine, want 1", n)
	}
}

func TestRefsAreInTheFormTheApplicationSays(t *testing.T) {
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations())
	store := casefile.NewStore(casefile.Config{DB: db.App, Rules: policy.Standard(),
		Kinds: []casefile.Kind{{App: "yard", RefPrefix: "CASE", Hex: true, Workflow: "yard.Case"}}})
	form := regexp.MustCompile(`^CASE-[0-9A-F]{8}$`)
	for n := range 50 {
		o := opening(fmt.Sprintf("van-%d", n))
		o.App = "yard"
		if c := mustOpen(t, store, o); !form.MatchString(c.Ref) {
			t.Errorf("%s is not of the form %s", c.Ref, form)
		}
	}
}

// TestAnApplicationMayCountItsCases promises that an application's own names are
// taken as they are, that one which is taken is drawn again, and that what is no
// name opens nothing.
func TestAnApplicationMayCountItsCases(t *testing.T) {
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations())
	var drawn atomic.Int64
	name := func(n int64) string { return fmt.Sprintf("YARD-2026-11-14-%03d", n) }
	counts := func(_ context.Context, _ pgx.Tx, c casefile.Case) (string, error) {
		if c.Key == "nameless" {
			return "a name", nil
		}
		return name(drawn.Add(1) / 2), nil // each name twice: 0, 1, 1, 2, 2
	}
	store := casefile.NewStore(casefile.Config{DB: db.App, Rules: policy.Standard(),
		Kinds: []casefile.Kind{{App: "yard", Ref: counts, Workflow: "yard.Case"}}})
	for n := range int64(5) {
		o := opening(fmt.Sprintf("van-%d", n))
		o.App = "yard"
		if c := mustOpen(t, store, o); c.Ref != name(n) {
			t.Errorf("got %s, want %s", c.Ref, name(n))
		}
	}
	o := opening("nameless")
	o.App = "yard"
	if _, opened, err := store.Open(t.Context(), officer, o); err == nil || opened {
		t.Errorf("got a case under no name: %v", err)
	}
}

func TestOpeningAtTheSameMomentIsOneCase(t *testing.T) {
	store, db := newStore(t)
	ids := make([]casefile.CaseID, 16)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			c, _, err := store.Open(t.Context(), officer, opening("van-14"))
			if err != nil {
				t.Error(err)
			}
			ids[i] = c.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("got %s and %s", id, ids[0])
		}
	}
	for what, sql := range map[string]string{
		"cases":   `select count(*) from gavel.case`,
		"entries": `select count(*) from gavel.case_entry`,
		"starts":  `select count(*) from gavel.outbox`,
	} {
		if n := count(t, db, sql); n != 1 {
			t.Errorf("%d %s, want 1", n, what)
		}
	}
}

func TestTheSameKeyIsAnotherCaseInAnotherOrganisation(t *testing.T) {
	store, _ := newStore(t)
	north := mustOpen(t, store, opening("van-14"))
	south, opened, err := store.Open(t.Context(), person(postgrestest.South, identity.Officer), opening("van-14"))
	if err != nil || !opened || south.ID == north.ID {
		t.Fatalf("got %s, opened %v, %v", south.ID, opened, err)
	}
	if _, err := store.Get(t.Context(), postgrestest.South, north.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("south reads north's case: %v", err)
	}
	list, _, err := store.List(t.Context(), postgrestest.South, casefile.ListQuery{})
	if err != nil || len(list) != 1 || list[0].ID != south.ID {
		t.Errorf("south lists %v, %v", list, err)
	}
}

func TestOpeningsAreBoundedAndChecked(t *testing.T) {
	store, _ := newStore(t)
	for _, tt := range []struct {
		name  string
		actor identity.Actor
		o     casefile.Opening
		want  fault.Kind
	}{
		{"no title", officer, casefile.Opening{App: "general", Key: "k"}, fault.Invalid},
		{"a title of spaces", officer, casefile.Opening{App: "general", Key: "k", Title: "  "}, fault.Invalid},
		{"a long title", officer, casefile.Opening{App: "general", Key: "k", Title: strings.Repeat("ल", 301)}, fault.TooLarge},
		{"an unknown application", officer, casefile.Opening{App: "nosuch", Key: "k", Title: "t"}, fault.Invalid},
		{"a key with a slash", officer, casefile.Opening{App: "general", Key: "a/b", Title: "t"}, fault.Invalid},
		{"an empty key", officer, casefile.Opening{App: "general", Title: "t"}, fault.Invalid},
		{"a date that has passed", officer, casefile.Opening{App: "general", Key: "k", Title: "t", DueAt: time.Now().Add(-time.Hour)},
			fault.Invalid},
		{"nobody", identity.Actor{}, opening("k"), fault.SignIn},
		{"an auditor", person(postgrestest.North, identity.Auditor), opening("k"), fault.Refused},
		{"an administrator", person(postgrestest.North, identity.OrgAdmin), opening("k"), fault.Refused},
		{"bytes that are no text", officer, casefile.Opening{App: "general", Key: "k", Title: "a\xffb"}, fault.Invalid},
		{"someone without a role", identity.Actor{Kind: identity.Person, ID: "x", Org: postgrestest.North}, opening("k"), fault.Refused},
	} {
		_, _, err := store.Open(t.Context(), tt.actor, tt.o)
		if !fault.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestClosingBindsToTheVersionRead(t *testing.T) {
	store, db := newStore(t)
	c := mustOpen(t, store, opening("van-14"))
	if err := store.Note(t.Context(), officer, c.ID, "", "Spoke to the driver."); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(t.Context(), officer, c.ID, c.Version, "done"); !fault.Is(err, fault.Stale) {
		t.Errorf("closing on an old version: got %v, want stale", err)
	}
	if n := count(t, db, `select count(*) from gavel.outbox where kind = 'signal'`); n != 0 {
		t.Errorf("a refused close left %d signals", n)
	}
	now, err := store.Get(t.Context(), c.Org, c.ID)
	if err != nil || now.Version != 2 {
		t.Fatalf("got version %d, %v", now.Version, err)
	}
	if err := store.Close(t.Context(), officer, c.ID, now.Version, "done"); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(t.Context(), officer, c.ID, now.Version+1, "again"); !fault.Is(err, fault.Conflict) {
		t.Errorf("closing twice: got %v, want conflict", err)
	}
	if n := count(t, db, `select count(*) from gavel.outbox where kind = 'signal'`); n != 1 {
		t.Errorf("%d signals wait, want 1", n)
	}
}

// TestAWishToCloseIsNotOverwritten promises that a step that was under way when somebody
// closed the case adds its entry and leaves the wish.
func TestAWishToCloseIsNotOverwritten(t *testing.T) {
	store, db := newStore(t)
	c := mustOpen(t, store, opening("van-15"))
	if err := store.Close(t.Context(), officer, c.ID, c.Version, "done"); err != nil {
		t.Fatal(err)
	}
	apply := func(ch casefile.Change) (now casefile.Case) {
		t.Helper()
		err := db.App.InOrg(t.Context(), c.Org, func(tx pgx.Tx) (err error) {
			ch.Entry = casefile.Entry{Kind: "drafted", At: time.Now(), ActorKind: identity.System, ActorID: "gavel", ActorName: "Gavel",
				Text: "A draft."}
			now, _, err = casefile.Apply(t.Context(), tx, c.ID, ch)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	if now := apply(casefile.Change{Key: "draft:1", State: casefile.Waiting, Status: "drafted",
		WaitingFor: "two officers"}); now.Status != casefile.StatusClosing || now.WaitingFor != "the engine" {
		t.Errorf("got %+v", now)
	}
	if now := apply(casefile.Change{Key: "ended", State: casefile.Closed, Status: "closed"}); now.State != casefile.Closed ||
		now.Status != "closed" {
		t.Errorf("got %+v", now)
	}
}

func TestACaseWithAnEndOfItsOwnIsNotClosedByHand(t *testing.T) {
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations())
	store := casefile.NewStore(casefile.Config{DB: db.App, Rules: policy.Standard(),
		Kinds: []casefile.Kind{{App: "yard", RefPrefix: "Y", Workflow: "yard.Case", OwnEnd: true}}})
	c, _, err := store.Open(t.Context(), officer, casefile.Opening{App: "yard", Key: "van-1", Title: "A van"})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(t.Context(), officer, c.ID, c.Version, "I say so"); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want it refused", err)
	}
}

func TestOnlyWhoDecidesCloses(t *testing.T) {
	store, _ := newStore(t)
	c := mustOpen(t, store, opening("van-14"))
	for _, role := range []identity.Role{identity.Analyst, identity.OrgAdmin, identity.Gate, identity.Operator, "made_up"} {
		if err := store.Close(t.Context(), person(postgrestest.North, role), c.ID, c.Version, "done"); !fault.Is(err, fault.Refused) {
			t.Errorf("%s: got %v, want refused", role, err)
		}
	}
}

func TestAClosedCaseCannotBeChangedEvenInSQL(t *testing.T) {
	store, db := newStore(t)
	c := mustOpen(t, store, opening("van-14"))
	run := func(sql string) error {
		return db.App.InOrg(t.Context(), c.Org, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), sql)
			return err
		})
	}
	if err := run(`update gavel.case set title = 'another matter'`); err == nil {
		t.Error("the title of a case was changed")
	}
	if err := run(`update gavel.case set state = 'closed', closed_at = now()`); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		`update gavel.case set state = 'open', closed_at = null`,
		`update gavel.case set status = 'never happened'`,
		`delete from gavel.case`,
		`update gavel.case_entry set body = 'never happened'`,
		`delete from gavel.case_entry`,
	} {
		if err := run(sql); err == nil {
			t.Errorf("%s: was taken", sql)
		}
	}
}

func TestAKeyCanBeOpenedAgainAsItsCaseCloses(t *testing.T) {
	store, db := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(3*time.Second, cancel) // not a deadline, which a connection may notice before the context does
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			_ = db.App.InOrg(ctx, officer.Org, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, `update gavel.case set state = 'closed', closed_at = now() where state <> 'closed'`)
				return err
			})
		}
	})
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				if _, _, err := store.Open(ctx, officer, opening("van-14")); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestOnlyAPersonCloses(t *testing.T) {
	store, _ := newStore(t)
	c := mustOpen(t, store, opening("van-14"))
	for _, kind := range []identity.Kind{identity.Agent, identity.Machine, identity.System} {
		actor := officer
		actor.Kind = kind
		if err := store.Close(t.Context(), actor, c.ID, c.Version, "done"); !fault.Is(err, fault.Refused) {
			t.Errorf("%s: got %v, want refused", kind, err)
		}
	}
}

func TestHistoryIsNumberedWithoutGapsAndNewestFirst(t *testing.T) {
	store, _ := newStore(t)
	c := mustOpen(t, store, opening("van-14"))
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := store.Note(t.Context(), officer, c.ID, "", fmt.Sprintf("Note %d.", i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var got []casefile.Entry
	for before := int64(0); ; {
		page, err := store.Entries(t.Context(), c.Org, c.ID, casefile.EntryQuery{Before: before, Limit: 8})
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		got = append(got, page...)
		before = page[len(page)-1].Seq
	}
	if len(got) != 21 {
		t.Fatalf("got %d entries, want 21", len(got))
	}
	for i, e := range got {
		if want := int64(21 - i); e.Seq != want {
			t.Errorf("entry %d has number %d, want %d", i, e.Seq, want)
		}
	}
}

func TestANoteSentTwiceIsOneNote(t *testing.T) {
	store, _ := newStore(t)
	c := mustOpen(t, store, opening("van-14"))
	for _, n := range []struct{ once, text string }{
		{"v1", "Spoke to the driver."}, {"v1", "Spoke to the driver."}, // a double click
		{"v2", "Spoke to the driver."}, // the same words another day
		{"v1", "Spoke to the manager."},
	} {
		if err := store.Note(t.Context(), officer, c.ID, n.once, n.text); err != nil {
			t.Fatal(err)
		}
	}
	got, err := store.Get(t.Context(), c.Org, c.ID)
	if err != nil || got.Version != 4 {
		t.Errorf("got version %d, %v; want the opening and three notes", got.Version, err)
	}
}

func TestListsComeInPagesNewestFirst(t *testing.T) {
	store, _ := newStore(t)
	for i := range 5 {
		mustOpen(t, store, opening(fmt.Sprintf("k%d", i)))
	}
	var keys []string
	for token := casefile.CaseID(""); ; {
		page, next, err := store.List(t.Context(), officer.Org, casefile.ListQuery{Before: token, Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page {
			keys = append(keys, c.Key)
		}
		if next == "" {
			break
		}
		token = next
	}
	if len(keys) != 5 {
		t.Errorf("got %v", keys)
	}
	for _, q := range []casefile.ListQuery{{Limit: 1000}, {Limit: -1}, {State: "nonsense"}, {App: "nosuch"}} {
		if _, _, err := store.List(t.Context(), officer.Org, q); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: got %v, want invalid", q, err)
		}
	}
}

func TestEveryEntryIsInTheLogByItsDigest(t *testing.T) {
	store, db := newStore(t)
	c := mustOpen(t, store, opening("van-14"))
	if err := store.Note(t.Context(), officer, c.ID, "", "Spoke to the driver."); err != nil {
		t.Fatal(err)
	}
	entries, err := store.Entries(t.Context(), c.Org, c.ID, casefile.EntryQuery{})
	if err != nil || len(entries) != 2 {
		t.Fatalf("got %v, %v", entries, err)
	}
	rows, _ := db.System.Query(t.Context(), `select json::json -> 'body' ->> 'sha256' from gavel.record where subject = $1
		order by (json::json -> 'body' ->> 'seq')::int desc`, c.ID)
	logged, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(logged) != 2 {
		t.Fatalf("the log has %v, %v", logged, err)
	}
	for i, e := range entries {
		if got := e.Digest(c.ID); got != logged[i] {
			t.Errorf("entry %d: the log has %s, its digest is %s", e.Seq, logged[i], got)
		}
		e.Text += " "
		if e.Digest(c.ID) == logged[i] {
			t.Errorf("entry %d: another text has the same digest", e.Seq)
		}
	}
	rows, _ = db.System.Query(t.Context(), `select count(*) from gavel.record where json like '%driver%'`)
	if n, err := pgx.CollectOneRow(rows, pgx.RowTo[int]); err != nil || n != 0 {
		t.Errorf("the log shows what was written: %d, %v", n, err)
	}
}
