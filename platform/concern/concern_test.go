package concern_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

func sets() []postgres.MigrationSet {
	return []postgres.MigrationSet{outbox.Migrations(), audit.Migrations(), casefile.Migrations(), act.Migrations(), review.Migrations(),
		seal.Migrations(), evidence.Migrations(), concern.Migrations()}
}

func TestOrganisationsAreKeptApartInEveryTable(t *testing.T) { postgrestest.Walls(t, sets()...) }

func person(org identity.Org, role identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p:" + string(role), Name: "S. Rao", Org: org, Roles: []identity.Role{role}}
}

var officer = person(postgrestest.North, identity.Officer)

// A rig is a store on a database of its own.
type rig struct {
	*concern.Store
	db    *postgrestest.Database
	cases *casefile.Store
}

const keyOne = "one:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{db: postgrestest.New(t, sets()...)}
	r.cases = casefile.NewStore(casefile.Config{DB: r.db.App, Rules: policy.Standard()})
	r.Store = r.with(t, durable.Clock{}, keyOne)
	return r
}

// with is a store on the same database by another clock, with other keys.
func (r *rig) with(t testing.TB, clock durable.Clock, keys string) *concern.Store {
	t.Helper()
	ring, err := durable.ParseKeys(keys)
	if err != nil {
		t.Fatal(err)
	}
	s, err := concern.New(concern.Config{DB: r.db.App, Clock: clock, Rules: policy.Standard(), Cases: r.cases, Keys: ring})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (r *rig) open(t testing.TB, key string, about ...seal.Subject) casefile.Case {
	t.Helper()
	c, _, err := r.cases.Open(t.Context(), officer, casefile.Opening{App: "general", Key: key, Title: "Van 14, " + key, Subjects: about})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (r *rig) make(t testing.TB, c casefile.Case) (concern.Link, string) {
	t.Helper()
	l, token, err := r.Make(t.Context(), officer, c.ID, concern.NewLink{Summary: "Your seat is used; nothing changes.",
		Life: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return l, token
}

func TestALinkOpensItsOwnCaseUntilItEnds(t *testing.T) {
	r := newRig(t)
	c, other := r.open(t, "one"), r.open(t, "two")
	_, token := r.make(t, c)
	v, err := r.Open(t.Context(), strings.ToLower(c.Ref), token)
	if err != nil || v.Case.ID != c.ID || v.Org != postgrestest.North {
		t.Fatalf("got %+v, %v", v, err)
	}
	later, err := durable.NewClock(time.Now().Add(-time.Hour), 30, true) // 29 hours from now
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() (concern.Visit, error){
		"another case": func() (concern.Visit, error) { return r.Open(t.Context(), other.Ref, token) },
		"a day later":  func() (concern.Visit, error) { return r.with(t, later, keyOne).Open(t.Context(), c.Ref, token) },
		"a key that was dropped": func() (concern.Visit, error) {
			return r.with(t, durable.Clock{}, "two:MTEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=").Open(t.Context(), c.Ref, token)
		},
		"a changed letter": func() (concern.Visit, error) { return r.Open(t.Context(), c.Ref, token[:len(token)-2]+"AA") },
		"nothing":          func() (concern.Visit, error) { return r.Open(t.Context(), c.Ref, "") },
	} {
		if _, err := open(); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: got %v, want not found", name, err)
		}
	}
	rotated := r.with(t, durable.Clock{}, "two:MTEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=,"+keyOne)
	if _, err := rotated.Open(t.Context(), c.Ref, token); err != nil {
		t.Errorf("a key that was rotated and kept: %v", err)
	}
}

func TestARevokedLinkOpensNothing(t *testing.T) {
	r := newRig(t)
	c := r.open(t, "one")
	l, token := r.make(t, c)
	if err := r.Revoke(t.Context(), person(postgrestest.North, identity.Analyst), c.ID, l.ID); !fault.Is(err, fault.Refused) {
		t.Errorf("an analyst revokes: %v", err)
	}
	if err := r.Revoke(t.Context(), person(postgrestest.South, identity.Officer), c.ID, l.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation revokes: %v", err)
	}
	for range 2 {
		if err := r.Revoke(t.Context(), officer, c.ID, l.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Open(t.Context(), c.Ref, token); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v, want not found", err)
	}
	if n := count(t, r, `select count(*) from gavel.record where kind = 'concern_link'`); n != 2 {
		t.Errorf("%d records, want one of making and one of revoking", n)
	}
}

func TestALinkShowsOnlyWhatIsThere(t *testing.T) {
	r := newRig(t)
	c := r.open(t, "one")
	for _, n := range []concern.NewLink{
		{Summary: "", Life: time.Hour}, {Summary: strings.Repeat("क", 4001), Life: time.Hour}, {Summary: "x"},
		{Summary: "x", Life: 400 * 24 * time.Hour},
		{Summary: "x", Life: time.Hour, Facts: []fact.ID{"F1"}}, {Summary: "x", Life: time.Hour, Proposals: []string{"P-1"}},
		{Summary: "x", Life: time.Hour, Facts: []fact.ID{"f1"}}, {Summary: "x", Life: time.Hour, Proposals: []string{"1"}},
		{Summary: "x\x00", Life: time.Hour},
	} {
		if _, _, err := r.Make(t.Context(), officer, c.ID, n); !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%.40v: got %v, want it refused", n, err)
		}
	}
	if _, _, err := r.Make(t.Context(), person(postgrestest.South, identity.Officer), c.ID, concern.NewLink{Summary: "x",
		Life: time.Hour}); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation's case: %v", err)
	}
}

func TestOneObjectionAtATimeHoweverManyAreSent(t *testing.T) {
	r := newRig(t)
	c := r.open(t, "one")
	_, token := r.make(t, c)
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() { _, errs[i] = r.Object(t.Context(), c.Ref, token, "I object") })
	}
	wg.Wait()
	taken := 0
	for _, err := range errs {
		switch {
		case err == nil:
			taken++
		case !fault.Is(err, fault.Conflict):
			t.Errorf("got %v, want a conflict", err)
		}
	}
	if n := count(t, r, `select count(*) from gavel.case_entry where kind = 'objection'`); taken != 1 || n != 1 {
		t.Errorf("%d were taken and %d entered, want 1", taken, n)
	}
}

func TestErasingThePersonTakesWhatWasSaid(t *testing.T) {
	r := newRig(t)
	rider := seal.Subject{Type: "rider", ID: "R-7"}
	c := r.open(t, "one", rider)
	_, token := r.make(t, c)
	if _, err := r.cases.Get(t.Context(), postgrestest.North, c.ID); err != nil {
		t.Fatal(err)
	}
	closeCase(t, r, c)
	o, err := r.Object(t.Context(), c.Ref, token, "I was in hospital")
	if err != nil || o.Case == c.ID {
		t.Fatal(o, err)
	}
	if err := r.Answer(t.Context(), officer, o.Case, o.ID, "We are sorry about the hospital"); err != nil {
		t.Fatal(err)
	}
	err = r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		for _, e := range []seal.Eraser{casefile.Eraser(), concern.Eraser()} {
			if _, err := e.Erase(t.Context(), tx, rider, time.Now()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Open(t.Context(), c.Ref, token); !fault.Is(err, fault.NotFound) {
		t.Errorf("an erased link opens: %v", err)
	}
	for _, table := range []string{"gavel.concern_link", "gavel.objection", "gavel.case_entry", "gavel.record"} {
		if n := count(t, r, `select count(*) from `+table+` x where x::text ~ 'hospital|Your seat'`); n != 0 {
			t.Errorf("%s still holds what was said", table)
		}
	}
}

func closeCase(t testing.TB, r *rig, c casefile.Case) {
	t.Helper()
	err := r.db.App.InOrg(t.Context(), c.Org, func(tx pgx.Tx) error {
		_, _, err := casefile.Apply(t.Context(), tx, c.ID, casefile.Change{Key: "closed", State: casefile.Closed, Status: "done",
			Entry: casefile.Entry{Kind: "closed", At: time.Now(), ActorKind: identity.System, ActorID: "gavel", ActorName: "Gavel",
				Text: "done"}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func count(t testing.TB, r *rig, sql string) (n int) {
	t.Helper()
	rows, _ := r.db.System.Query(t.Context(), sql)
	n, err := pgx.CollectOneRow(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
