package casework

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework/answer"
	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

// A grounded is an app that keeps evidence, on a real database, with three vans that
// fail: by hours that do not fit, by somebody who has left (which no number says), and
// with a rider who fits.
type grounded struct {
	office

	installed *platformtest.Installation
	app       *Work
	vault     *seal.Vault
}

func newGrounded(t *testing.T) grounded {
	t.Helper()
	in := platformtest.New(t, declared()).Keep(t)
	d := in.Deps
	g := grounded{installed: in, app: &Work{}, vault: d.Vault}
	kept := store.New(store.Config{DB: d.DB, Rules: d.Rules, Cases: d.Cases})
	g.app.Open(Config{DB: d.DB, Store: kept, Door: &answer.Door{}, Cases: d.Cases, Evidence: d.Evidence, Log: d.Logger})
	g.office = office{kept, in.DB, d.Rules}
	g.in(t, func(tx pgx.Tx) error {
		_, err := tx.Conn().PgConn().Exec(t.Context(), `
			insert into poolpatrol.site values ('north', 'PLANT-1', 'Plant 1', 'America/Los_Angeles', 37.5, -121.9);
			insert into poolpatrol.shift values ('north', 'SHIFT_DAY', 'Day', '[{"day":"Mon","start_time":"07:00","end_time":"16:00"}]'), ('north', 'SHIFT_NIGHT', 'Night', '[{"day":"Mon","start_time":"22:00","end_time":"06:00"}]');
			insert into poolpatrol.employee (org, id, status, site_id, name, email, home_zip, home_lat, home_lng, changed_at)
				select 'north', 'EMP-100' || n, case n when 7 then 'inactive' else 'active' end, 'PLANT-1', 'Rider ' || n, '', '94555', 37.55, -121.95, now() from generate_series(1, 7) n;
			insert into poolpatrol.assignment select 'north', 'EMP-100' || n, case n when 5 then 'SHIFT_NIGHT' else 'SHIFT_DAY' end, '2020-01-01', null from generate_series(1, 7) n;
			insert into poolpatrol.vanpool (org, id, site_id, capacity, status, changed_at) values ('north', 'VP-101', 'PLANT-1', 7, 'active', now()), ('north', 'VP-102', 'PLANT-1', 7, 'active', now());
			insert into poolpatrol.rider (org, vanpool_id, employee_id) select 'north', case when n < 6 then 'VP-101' else 'VP-102' end, 'EMP-100' || n from generate_series(1, 7) n;
			insert into poolpatrol.sync (org, kind, at, way, by) select 'north', k, now(), 'api', 'test' from unnest(array['sites', 'shifts', 'employees', 'vanpools']) k`).ReadAll()
		return err
	})
	return g
}

// looked has the vans looked at in a pass of its own, and nothing settled.
func (g grounded) looked(t *testing.T, key string) store.PassInput {
	t.Helper()
	p, _, err := g.app.store.StartPass(t.Context(), poolpatroltest.Manager(postgrestest.North), "asked", key)
	if err != nil {
		t.Fatal(err)
	}
	steps, in := &Steps{g.app}, store.PassInput{Org: postgrestest.North, Pass: p.ID}
	if _, err := steps.Pin(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	for done := false; !done; {
		if done, err = steps.Look(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// audit has the vans audited and their cases opened.
func (g grounded) audit(t *testing.T) {
	t.Helper()
	in := g.looked(t, "k")
	for done := false; !done; {
		var err error
		if done, err = (&Steps{g.app}).Settle(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
}

// exec changes rows behind the app's back.
func (g grounded) exec(t *testing.T, query string) {
	t.Helper()
	g.in(t, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), query)
		return err
	})
}

// put puts on a van's case what its audit found.
func (g grounded) put(t *testing.T, van string) casefile.CaseID {
	t.Helper()
	id := casefile.CaseID(collect[string](t, g.office, `select id from poolpatrol.case where vanpool_id = '`+van+`'`)[0])
	key := collect[string](t, g.office, `select key from poolpatrol.case_todo where key like 'grounds:%' and case_id = '`+string(id)+`'`)[0]
	in := casefile.Input{Org: postgrestest.North, Case: id}
	for range 2 { // a step that is repeated puts nothing twice
		if err := g.app.groundCase(t.Context(), in, lifecycle.Action{Kind: putGrounds, Key: key}); err != nil {
			t.Fatalf("the case of %s dies of its grounds: %v", van, err)
		}
	}
	return id
}

func (g grounded) count(t *testing.T, query string) int {
	t.Helper()
	return collect[int](t, g.office, query)[0]
}

// TestACaseSaysWhatItRestsOn promises facts and evidence on the case, and that a
// verdict without a number costs nothing but the facts.
func TestACaseSaysWhatItRestsOn(t *testing.T) {
	g := newGrounded(t)
	g.audit(t)
	id := g.put(t, "VP-101")
	if n := g.count(t, `select count(*) from gavel.fact where case_id = '`+string(id)+`'`); n == 0 {
		t.Error("a case about hours has no fact")
	}
	if n := g.count(t, `select count(*) from gavel.evidence where side = 'for' and title like '%, EMP-1005'
		and case_id = '`+string(id)+`'`); n == 0 {
		t.Error("nothing says who does not fit")
	}
	if n := g.count(t, `select count(*) from gavel.fact f where to_jsonb(f)::text like '%EMP-%'`); n > 0 {
		t.Errorf("%d facts name somebody: a fact is for ever", n)
	}
	g.put(t, "VP-102") // somebody has left, and no number says so
	if n := g.count(t, `select count(*) from gavel.evidence e join poolpatrol.case c on c.id = e.case_id
		where c.vanpool_id = 'VP-102'`); n == 0 {
		t.Error("a case about somebody who has left has no evidence")
	}
}

// TestACaseOutlivesWhoWasInItsAudit promises that an erasure between an audit and its
// case keeps the case from nothing.
func TestACaseOutlivesWhoWasInItsAudit(t *testing.T) {
	g := newGrounded(t)
	g.audit(t)
	admin := identity.Actor{Kind: identity.Person, ID: "p:admin", Name: "Admin", Org: postgrestest.North,
		Roles: []identity.Role{identity.OrgAdmin, identity.Officer}}
	if _, err := g.vault.Erase(t.Context(), admin, seal.Request{Subject: seal.Subject{Type: store.RiderType, ID: "EMP-1002"},
		Ground: seal.OnRequest}); err != nil {
		t.Fatal(err)
	}
	g.put(t, "VP-101")
}
