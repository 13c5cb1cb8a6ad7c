package store

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestTheMonthlyPassTakesSeconds promises the size the programme has; the benchmark in
// package audit, which knows no clock but the one it is given, says what it takes.
func TestTheMonthlyPassTakesSeconds(t *testing.T) {
	b, err := fleet.NewBook(madeup.Plan{Seed: 1, Vans: 1200, Riders: 8, Percent: 30}.Build().Records)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	runs, err := audit.All(b, "", madeup.Now(), audit.Specialists(audit.Standard(), b, audit.Inputs{}), check.Exceptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(slices.Collect(runs)); n != 1200 {
		t.Fatalf("%d vans", n)
	}
	wait.Within(t, "a pass over 1,200 vans", time.Since(began), 5*time.Second)
}

// TestARehearsalFindsWhatIsWrongAndKeepsNothing promises that a rehearsal judges the
// records of this moment, finds exactly what was made wrong, writes not one row, is
// refused on records that are too old, and is for those who may try rules.
func TestARehearsalFindsWhatIsWrongAndKeepsNothing(t *testing.T) {
	o := newOffice(t)
	if _, err := o.Rehearse(t.Context(), poolpatroltest.Manager(postgrestest.North)); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v without records, want a refusal that says so", err)
	}
	town := madeup.Plan{Seed: 8, Vans: 120, Riders: 6, Percent: 30}.Build()
	o.settle(t, town.Records)
	before := o.rowsOf(t)
	got, err := o.Rehearse(t.Context(), poolpatroltest.Manager(postgrestest.North))
	if err != nil {
		t.Fatal(err)
	}
	var found []madeup.Fault
	for _, run := range got.Failed {
		for _, f := range run.Findings() {
			found = append(found, madeup.Fault{Vanpool: run.Vanpool, Employee: f.Employee, Check: string(f.Check)})
		}
	}
	if !slices.Equal(found, town.Wrong) || got.Planned() != 120 || got.Verified != 120-len(got.Failed) || len(got.Errored) != 0 {
		t.Errorf("found %d things in %d vans, want the %d that were made wrong", len(found), got.Planned(), len(town.Wrong))
	}
	if len(got.NotPassing(3)) != 3 || got.NotPassing(3)[0].Vanpool != got.Failed[0].Vanpool || time.Since(got.RecordsAt) > time.Hour {
		t.Errorf("got %+v", got)
	}
	if after := o.rowsOf(t); before != after {
		t.Errorf("there were %d rows and are %d: a rehearsal keeps something", before, after)
	}
	o.in(t, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `update poolpatrol.sync set at = now() - interval '3 days' where kind = 'employees'`)
		return err
	})
	if _, err := o.Rehearse(t.Context(), poolpatroltest.Manager(postgrestest.North)); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v on old records, want a refusal", err)
	}
	officer := identity.Actor{Kind: identity.Person, ID: "p:officer", Org: postgrestest.North, Roles: []identity.Role{identity.Officer}}
	if _, err := o.Rehearse(t.Context(), officer); !fault.Is(err, fault.Refused) {
		t.Errorf("an officer gets %v, want refused", err)
	}
}

// rowsOf counts all that a pass could write.
func (o office) rowsOf(t testing.TB) (n int) {
	t.Helper()
	o.in(t, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `select (select count(*) from poolpatrol.pass) + (select count(*)
			from poolpatrol.snapshot) + (select count(*) from poolpatrol.snapshot_part)
			+ (select count(*) from poolpatrol.audit_run) + (select count(*) from poolpatrol.gap) + (select count(*)
			from poolpatrol.road) + (select count(*) from poolpatrol.case)`).Scan(&n)
	})
	return n
}

// crowded is a town with much about it that bears on more than one van: people with
// two seats, a rider nobody knows, days off, a van without riders, exceptions, and
// feeds of badges and permits.
func crowded(t *testing.T, o office, seed uint64) madeup.Town {
	t.Helper()
	town := madeup.Plan{Seed: seed, Vans: 40, Riders: 4, Percent: 50}.Build()
	for i := range 8 {
		v := &town.Vanpools[(i*5+3)%40]
		v.Riders = append(v.Riders, fleet.Rider{Employee: town.Vanpools[i].Riders[1].Employee, Since: madeup.Began()})
	}
	town.Employees[9].Away = []fleet.Span{{From: fleet.NewDate(2026, 1, 1)}}
	town.Vanpools[20].Riders = []fleet.Rider{}
	town.Vanpools[21].Standing = fleet.Suspended
	o.settle(t, town.Records)
	today := time.Now().UTC()
	badges := "employee_id,site_id,date\n"
	for day := 1; day < 30; day++ {
		for i := 0; i < len(town.Employees); i += 3 {
			e := town.Employees[i]
			badges += string(e.ID) + "," + string(e.Site) + "," + today.AddDate(0, 0, -day).Format("2006-01-02") + "\n"
		}
	}
	o.imports(t, record.Handover{Kind: intake.Badges, File: []byte(badges)})
	o.imports(t, record.Handover{Kind: intake.Permits, Whole: true, File: []byte("permit_id,employee_id,kind,from,until\nP1," +
		string(town.Employees[5].ID) + ",annual,2025-06-01,\n")})
	o.in(t, func(tx pgx.Tx) error {
		const more = `insert into poolpatrol.exception (org, id, subject, check_name, until_day, reason, granted_by, granted_at)
			select 'north', 'EXC-0000000' || n, s, c, '2199-01-01', 'agreed', 'p:manager', now()
			from unnest($1::text[], $2::text[]) with ordinality x(s, c, n)`
		if _, err := tx.Exec(t.Context(), more, []string{string(town.Wrong[0].Employee), string(town.Wrong[1].Vanpool)},
			[]string{town.Wrong[0].Check, town.Wrong[1].Check}); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), `insert into poolpatrol.rider (org, vanpool_id, employee_id)
			values ('north', $1, 'EMP-99999999')`, town.Vanpools[22].ID)
		return err
	})
	return town
}

// TestOneVanIsJudgedAlikeByItselfAndAmongAll promises that looking at one van again
// reads only what bears on it and comes to the verdict that an audit of every van
// comes to, evidence and all.
func TestOneVanIsJudgedAlikeByItselfAndAmongAll(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		o := newOffice(t)
		town := crowded(t, o, seed)
		now := time.Now()
		judge := func(g Grounds, id fleet.VanpoolID) string {
			run := audit.Of(g.Book, id, now, audit.Specialists(audit.Standard(), g.Book, g.Inputs), g.Granted)
			return string(run.Outcome) + ReasonOf(run) + asJSON(t, run.Verdicts)
		}
		o.in(t, func(tx pgx.Tx) error {
			all, err := record.Read(t.Context(), tx)
			if err != nil {
				return err
			}
			whole := Grounds{}
			if whole.Book, err = fleet.NewBook(all); err != nil {
				return err
			}
			if err := whole.readBeside(t.Context(), tx, record.Area{}); err != nil {
				return err
			}
			failed := 0
			for _, v := range town.Vanpools {
				of, err := areaOf(t.Context(), tx, v.ID)
				if err != nil {
					return err
				}
				some, err := record.ReadSome(t.Context(), tx, of)
				if err != nil {
					return err
				}
				if len(some.Employees) > 30 || len(some.Vanpools) > 6 {
					t.Errorf("for %s the records of %d people and %d vans were read", v.ID, len(some.Employees), len(some.Vanpools))
				}
				one := Grounds{}
				if one.Book, err = fleet.NewBook(some); err != nil {
					return err
				}
				if err := one.readBeside(t.Context(), tx, areaIn(some)); err != nil {
					return err
				}
				got, want := judge(one, v.ID), judge(whole, v.ID)
				if got != want {
					t.Fatalf("seed %d, %s: got %s, want %s", seed, v.ID, got, want)
				}
				if want[:6] == string(audit.Failed) {
					failed++
				}
			}
			if failed < 10 {
				t.Errorf("%d vans fail: too little was compared", failed)
			}
			return nil
		})
	}
}
