package store

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/badge"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/parking"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func collect[T any](t testing.TB, o office, sql string, args ...any) []T {
	t.Helper()
	rows, _ := o.db.System.Query(t.Context(), sql, args...)
	all, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return all
}

// smallTown is an office with five vans of eight.
func smallTown(t testing.TB) (office, fleet.Records) {
	t.Helper()
	o := newOffice(t)
	town := madeup.Plan{Seed: 5, Vans: 5, Riders: 8}.Build()
	o.settle(t, town.Records)
	return o, town.Records
}

// TestAStalePreviewIsRefused promises that an import does what its preview said or
// nothing: another file, or records that somebody else changed, are refused.
func TestAStalePreviewIsRefused(t *testing.T) {
	o, _ := smallTown(t)
	m := poolpatroltest.Manager(postgrestest.North)
	h := record.Handover{Kind: intake.Employees, File: []byte("employee_id,status,home_zip\nEMP-1001,active,94999\n")}
	said, err := o.Preview(t.Context(), m, h)
	if err != nil || said.Changed != 1 || said.Fields["home_zip"] != 1 {
		t.Fatalf("got %+v, %v", said, err)
	}
	if got := o.records(t).Employees[1].Home.ZIP; got == "94999" {
		t.Error("a preview changed something")
	}
	if _, err := o.Import(t.Context(), m, h, ""); !fault.Is(err, fault.Unconfirmed) {
		t.Errorf("without a preview: got %v, want the preview asked for", err)
	}
	other := h
	other.File = []byte("employee_id,status,home_zip\nEMP-1001,active,94998\n")
	if _, err := o.Import(t.Context(), m, other, said.SHA256); !fault.Is(err, fault.Stale) {
		t.Errorf("another file: got %v, want stale", err)
	}
	o.imports(t, record.Handover{Kind: intake.Employees, File: []byte("employee_id,status,home_zip\nEMP-1002,active,94001\n")})
	_, err = o.Import(t.Context(), m, h, said.SHA256)
	if _, next := fault.Words(err); !fault.Is(err, fault.Stale) || !strings.Contains(next, "preview") {
		t.Errorf("after another's change: got %v, want stale and what to do", err)
	}
	if got := o.records(t).Employees[1].Home.ZIP; got == "94999" {
		t.Error("a stale import changed something")
	}
}

// TestTwoImportsAtOnceAreOne promises that of two people who import what they
// previewed, one is told that the records have changed.
func TestTwoImportsAtOnceAreOne(t *testing.T) {
	o, _ := smallTown(t)
	h := record.Handover{Kind: intake.Employees, File: []byte("employee_id,status,home_zip\nEMP-1001,active,94999\n")}
	said, err := o.Preview(t.Context(), poolpatroltest.Manager(postgrestest.North), h)
	if err != nil {
		t.Fatal(err)
	}
	errs := make([]error, 4)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { _, errs[i] = o.Import(t.Context(), poolpatroltest.Manager(postgrestest.North), h, said.SHA256) })
	}
	all.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
		} else if !fault.Is(err, fault.Stale) {
			t.Errorf("got %v, want stale", err)
		}
	}
	if done != 1 {
		t.Errorf("%d of %d imports were done, want one", done, len(errs))
	}
}

// TestAFileThatWasCutShortIsRefused promises that a whole file with much less in it
// makes nobody look as if they had left, until somebody says that it is right.
func TestAFileThatWasCutShortIsRefused(t *testing.T) {
	o, town := smallTown(t)
	m := poolpatroltest.Manager(postgrestest.North)
	cut := town
	cut.Employees, cut.Vanpools = town.Employees[:20], town.Vanpools[:3]
	for _, h := range poolpatroltest.Files(cut)[2:] {
		said, err := o.Preview(t.Context(), m, h)
		if err != nil || !said.Shrinks || said.Gone == 0 {
			t.Fatalf("%s: got %+v, %v; want the preview to say that it shrinks", h.Kind, said, err)
		}
		if _, err := o.Import(t.Context(), m, h, said.SHA256); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: got %v, want a conflict", h.Kind, err)
		}
	}
	sameRecords(t, o.records(t), town)
	for _, h := range poolpatroltest.Files(cut)[2:] {
		h.MayShrink = true
		o.imports(t, h)
	}
	left := map[fleet.Standing]int{}
	for _, e := range o.records(t).Employees {
		left[e.Standing]++
	}
	for _, v := range o.records(t).Vanpools {
		left[v.Standing]++
		if v.Standing == fleet.Inactive && len(v.Riders) != 0 {
			t.Errorf("%d still ride in %s", len(v.Riders), v.ID)
		}
	}
	if left[fleet.Inactive] != 20+2 || left[fleet.Active] != 20+3 {
		t.Errorf("got %v, want twenty people and two vans to have become inactive", left)
	}
	today := fleet.DateAt(time.Now(), time.UTC).String()
	if got := collect[string](t, o, `select distinct removed_on::text from poolpatrol.rider
		where removed_on is not null`); !slices.Equal(got, []string{today}) {
		t.Errorf("riders were removed on %v, want %s", got, today)
	}
}

// TestALineThatIsRefusedRefusesTheFile promises nothing half, and that errors quote
// nobody.
func TestALineThatIsRefusedRefusesTheFile(t *testing.T) {
	o, town := smallTown(t)
	m := poolpatroltest.Manager(postgrestest.North)
	h := record.Handover{Kind: intake.Employees,
		File: []byte("employee_id,status,site_id,email\nEMP-1001,inactive,,\nEMP-1002,active,Secretperson,\nEMP-1003,active,NOWHERE,\n")}
	said, err := o.Preview(t.Context(), m, h)
	if err != nil || said.Refused != 2 || said.Refusals[0].Line != 3 || said.Refusals[1].Line != 4 {
		t.Fatalf("got %+v, %v; want lines 3 and 4 refused", said, err)
	}
	if _, err = o.Import(t.Context(), m, h, said.SHA256); !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "Secret") {
		t.Errorf("got %v, want invalid without quoting the file", err)
	}
	sameRecords(t, o.records(t), town)
	if _, err := o.Preview(t.Context(), m, record.Handover{Kind: "shoes", File: []byte("x")}); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want an unknown kind refused", err)
	}
}

// TestEveryImportIsOnRecord promises a record in the log for each import, without a
// word about anybody, and that only whole files make the records fresh.
func TestEveryImportIsOnRecord(t *testing.T) {
	o := newOffice(t)
	m := poolpatroltest.Manager(postgrestest.North)
	all := poolpatroltest.Files(madeup.Plan{Seed: 5, Vans: 2, Riders: 3}.Build().Records)
	for _, h := range all[:4] {
		h.Whole = false
		o.imports(t, h)
	}
	syncs, err := o.Syncs(t.Context(), m)
	if err != nil || len(syncs) != 6 || slices.ContainsFunc(syncs, func(y record.Sync) bool { return y.Fresh || !y.At.IsZero() }) {
		t.Errorf("got %+v, %v; want six kinds, none of which came whole", syncs, err)
	}
	if !o.records(t).Taken.IsZero() {
		t.Error("records that never came whole have an age")
	}
	o.imports(t, all[2])
	o.imports(t, all[4]) // riders count as the vanpools'
	if o.records(t).Taken.IsZero() {
		t.Error("records that came whole have no age")
	}
	syncs, err = o.Syncs(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	for _, y := range syncs {
		if want := y.Kind == intake.Employees || y.Kind == intake.Vanpools; y.Fresh != want || want &&
			(len(y.SHA256) != 64 || y.Rows != 6 || y.By != m.ID) {
			t.Errorf("got %+v, want fresh: %v", y, want)
		}
	}
	kept := collect[string](t, o, `select json from gavel.record where kind = 'poolpatrol_import' order by id`)
	if len(kept) != 6 || !strings.Contains(kept[4], `"kind":"employees"`) || !strings.Contains(kept[4], `"unchanged":6`) {
		t.Errorf("got %d records, want 6: %v", len(kept), kept)
	}
	for _, text := range kept {
		if strings.Contains(text, "Person ") || strings.Contains(text, "staff.example") || strings.Contains(text, "Made-up") {
			t.Errorf("a record says something about somebody: %s", text)
		}
	}
	if err := o.Confirm(t.Context(), m); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want a confirmation of nothing refused", err)
	}
	if err := o.Confirm(t.Context(), m, "shoes"); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want an unknown kind refused", err)
	}
}

// TestOneThingIsWrittenAsAFileOfOneRow promises that the API's single writes go the
// way of a file.
func TestOneThingIsWrittenAsAFileOfOneRow(t *testing.T) {
	o, town := smallTown(t)
	m := poolpatroltest.Manager(postgrestest.North)
	e := intake.Employee{ID: "EMP-7001", Status: fleet.OnLeave, Site: town.Sites[0].ID, Name: "Ann Example", Language: "es",
		Shifts: []fleet.Assignment{{Shift: "SHIFT_DAY", From: fleet.NewDate(2026, 1, 5)}},
		Away:   []fleet.Span{{From: fleet.NewDate(2026, 2, 2)}}}
	for i, want := range []record.Preview{{Added: 1}, {Unchanged: 1}} {
		p, err := o.PutEmployee(t.Context(), m, e, record.Change{})
		if err != nil || p.Added != want.Added || p.Unchanged != want.Unchanged || p.Gone != 0 {
			t.Fatalf("put %d: got %+v, %v", i+1, p, err)
		}
	}
	v, err := o.Employee(t.Context(), m, "EMP-7001")
	if err != nil || asJSON(t, v.Employee) != asJSON(t, e) {
		t.Errorf("got %+v, %v, want %+v", v.Employee, err, e)
	}
	e.Site = "NOWHERE"
	if _, err := o.PutEmployee(t.Context(), m, e, record.Change{}); !fault.Is(err, fault.Invalid) ||
		!strings.Contains(err.Error(), "NOWHERE") {
		t.Errorf("got %v, want an unknown site refused by name", err)
	}
	if _, err := o.PutSite(t.Context(), m, intake.Site{ID: "HQ", Zone: "Mars/Olympus"}, record.Change{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want an unknown zone refused", err)
	}
	if _, err := o.PutSite(t.Context(), m, intake.Site{ID: "HQ", Zone: "Europe/Berlin", Name: "Head\noffice"},
		record.Change{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want a line break refused", err)
	}
	if _, err := o.PutShift(t.Context(), m, intake.Shift{ID: "SHIFT_X", Name: "X", Slots: madeup.Slots("Sat", "08:00",
		"12:00")}, record.Change{}); err != nil {
		t.Error(err)
	}
	if _, err := o.PutVanpool(t.Context(), m, intake.Vanpool{ID: "VP-777", Site: town.Sites[0].ID, Status: fleet.Active,
		Slots: madeup.Slots("Sat", "08:00", "12:00")}, record.Change{}); err != nil {
		t.Error(err)
	}
	if got, err := o.Vanpool(t.Context(), m, "VP-777"); err != nil || len(got.Slots) != 1 || got.SiteName == "" || len(got.Riders) != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestNoFileBringsBackWhomACaseRemoved promises that a nightly file that has not
// heard of a decision does not undo it.
func TestNoFileBringsBackWhomACaseRemoved(t *testing.T) {
	o, town := smallTown(t)
	officer := identity.Actor{Kind: identity.Person, ID: "p:officer", Name: "Test Officer", Org: postgrestest.North,
		Roles: []identity.Role{identity.Officer}}
	cases := casefile.NewStore(casefile.Config{DB: o.db.App, Rules: o.rules})
	c, _, err := cases.Open(t.Context(), officer, casefile.Opening{App: "general", Key: "van", Title: "A van"})
	if err != nil {
		t.Fatal(err)
	}
	van := town.Vanpools[0]
	o.in(t, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `update poolpatrol.rider set removed_on = '2026-10-01', removed_case_id = $1 where vanpool_id = $2
			and employee_id = $3`, c.ID, van.ID, van.Riders[0].Employee)
		return err
	})
	if p := o.imports(t, poolpatroltest.Files(town)[4]); p.Kept != 1 || p.Changes() {
		t.Errorf("got %+v, want the one who was removed to be kept so", p)
	}
	if got := len(o.records(t).Vanpools[0].Riders); got != len(van.Riders)-1 {
		t.Errorf("%d ride, want %d", got, len(van.Riders)-1)
	}
	o.imports(t, record.Handover{Kind: intake.Riders, File: []byte("vanpool_id,employee_id,since,removed\n" + string(van.ID) + "," +
		string(van.Riders[0].Employee) + ",2026-10-15,\n")})
	if got := len(o.records(t).Vanpools[0].Riders); got != len(van.Riders) {
		t.Errorf("%d ride, want who joined again among the %d", got, len(van.Riders))
	}
}

// TestFeedsReadBackAsTheyCame promises that badges and permits judge alike from the
// records and from the file, and not at all before they came.
func TestFeedsReadBackAsTheyCame(t *testing.T) {
	o, town := smallTown(t)
	feeds := func() (b *badge.Feed, p parking.Feed) {
		o.in(t, func(tx pgx.Tx) (err error) {
			b, p, err = record.ReadFeeds(t.Context(), tx, nil)
			return err
		})
		return b, p
	}
	if b, p := feeds(); b != nil || p != nil {
		t.Errorf("got %v and %v of feeds that never came", b, p)
	}
	readings := "employee_id,site_id,date\nEMP-1001,PLANT-1,2026-02-20\nEMP-1001,PLANT-1,2026-02-25\nEMP-1002,PLANT-2,2026-02-23\n"
	o.imports(t, record.Handover{Kind: intake.Badges, File: []byte(readings)})
	permits := "permit_id,employee_id,kind,from,until\nP-1,EMP-1001,monthly,2025-01-01,\nP-2,EMP-1001,daily,2026-01-01,2026-01-01\nP-3,EMP-1002,annual,2025-01-01,2026-12-31\nP-4,EMP-1003,annual,2025-01-01,\nP-5,EMP-1004,annual,2025-01-01,\n"
	o.imports(t, record.Handover{Kind: intake.Permits, File: []byte(permits), Whole: true})
	b, p := feeds()
	wantB, err := badge.ParseCSV([]byte(readings))
	if err != nil {
		t.Fatal(err)
	}
	wantP, err := parking.ParseCSV([]byte(permits))
	if err != nil {
		t.Fatal(err)
	}
	if asJSON(t, p) != asJSON(t, wantP) {
		t.Errorf("got %v, want %v", p, wantP)
	}
	book, err := fleet.NewBook(town)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range book.Vanpools() {
		g, err := book.Group(id, madeup.Now())
		if err != nil {
			t.Fatal(err)
		}
		got := check.Run(badge.New(badge.Standard(), *b), g, check.Exceptions{})
		want := check.Run(badge.New(badge.Standard(), wantB), g, check.Exceptions{})
		if asJSON(t, got) != asJSON(t, want) {
			t.Errorf("badges of %s: got %+v, want %+v", id, got, want)
		}
	}
	said := o.imports(t, record.Handover{Kind: intake.Badges,
		File: []byte("employee_id,site_id,date\nEMP-1002,PLANT-2,2026-02-23\nEMP-1003,PLANT-1,2026-02-24\n"), Whole: true})
	if said.Gone != 0 || said.Added != 1 {
		t.Errorf("got %+v: a file of two days reaches past them", said)
	}
	gone := o.imports(t, record.Handover{Kind: intake.Permits,
		File: []byte("permit_id,employee_id,kind,from\nP-1,EMP-1001,monthly,2025-01-01\nP-3,EMP-1002,annual,2025-01-01\nP-4,EMP-1003,annual,2025-01-01\nP-5,EMP-1004,annual,2025-01-01\n"), Whole: true})
	if _, p := feeds(); gone.Gone != 1 || len(p["EMP-1001"]) != 1 {
		t.Errorf("got %+v and %v, want the day ticket gone", gone, p)
	}
}

// TestExceptionsHoldUntilTheyAreTakenBack promises that audits see those nobody has
// ended.
func TestExceptionsHoldUntilTheyAreTakenBack(t *testing.T) {
	o := newOffice(t)
	o.in(t, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into poolpatrol.exception (org, id, subject, check_name, until_day, reason, granted_by,
			granted_at, ended_at, ended_by) values
			('north', 'EXC-00000001', 'EMP-1001', 'shift', '2026-12-31', 'school run', 'p:manager', now(), null, null),
			('north', 'EXC-00000002', 'EMP-1001', 'location', '2026-12-31', 'moving', 'p:manager', now(), now(), 'p:manager')`)
		return err
	})
	var x check.Exceptions
	o.in(t, func(tx pgx.Tx) (err error) {
		x, err = record.ReadExceptions(t.Context(), tx, nil)
		return err
	})
	if e, ok := x.For(check.Finding{Employee: "EMP-1001", Check: "shift"}, "VP-101", fleet.NewDate(2026, 12, 31)); !ok ||
		e.Reason != "school run" || e.By != "p:manager" {
		t.Errorf("got %+v, %v; want the exception on its last day", e, ok)
	}
	if _, ok := x.For(check.Finding{Employee: "EMP-1001", Check: "location"}, "VP-101", fleet.NewDate(2026, 1, 1)); ok {
		t.Error("an exception that was taken back holds")
	}
}

// BenchmarkRecords measures a fleet of 12,000 vans with 8 riders each: handing it
// over, and reading it for an audit.
func BenchmarkRecords(b *testing.B) {
	o := newOffice(b)
	town := madeup.Plan{Seed: 8, Vans: 12_000, Riders: 8, Percent: 5}.Build()
	for _, h := range poolpatroltest.Files(town.Records) {
		began := time.Now()
		o.imports(b, h)
		b.Logf("preview and import of %s: %s", h.Kind, time.Since(began).Round(time.Millisecond))
	}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			o.records(b)
		}
	})
	b.Run("pin", func(b *testing.B) {
		r := o.records(b)
		for b.Loop() {
			err := o.db.App.InOrg(b.Context(), postgrestest.North, func(tx pgx.Tx) error {
				if _, err := pin(b.Context(), tx, r, time.Now()); err != nil {
					return err
				}
				return errUndo
			})
			if !errors.Is(err, errUndo) {
				b.Fatal(err)
			}
		}
	})
}

var errUndo = errors.New("undo")
