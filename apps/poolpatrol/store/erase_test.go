package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

// A trace is a word by which somebody could be found.
type trace struct{ what, word string }

// everything is all rows of the schema as text, parts of snapshots unpacked.
func (o office) everything(t *testing.T) string {
	t.Helper()
	tables := collect[string](t, o, `select c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = 'poolpatrol' and c.relkind = 'r' order by 1`)
	if len(tables) < 17 {
		t.Fatalf("the schema has the tables %v", tables)
	}
	var all strings.Builder
	for _, table := range tables {
		if table == "snapshot_part" {
			continue
		}
		for _, row := range collect[string](t, o, `select to_jsonb(t)::text from poolpatrol.`+table+` t`) {
			fmt.Fprintln(&all, table, row)
		}
	}
	bodies := collect[[]byte](t, o, `select body from poolpatrol.snapshot_part`)
	for _, b := range bodies {
		p, err := unpack(b)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&all, "snapshot_part", asJSON(t, p))
	}
	return all.String()
}

// remember has everything in the records that can say something about somebody:
// an audit that failed them, a snapshot, an exception, gaps, feeds and roads.
func (o office) remember(t *testing.T, van fleet.Vanpool, who intake.Employee, c casefile.CaseID) Snapshot {
	t.Helper()
	o.handFeeds(t, van, who)
	r := o.records(t)
	book, err := fleet.NewBook(r)
	if err != nil {
		t.Fatal(err)
	}
	run := audit.Of(book, van.ID, r.Taken, audit.Specialists(audit.Standard(), book, audit.Inputs{}), check.Exceptions{})
	if run.Outcome != audit.Failed {
		t.Fatalf("the audit says %s, want it to find something", run.Outcome)
	}
	text, err := json.Marshal(run.Verdicts)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), who.ZIP) {
		t.Fatalf("the verdicts say nothing that could be erased: %s", text)
	}
	life := asJSON(t, lifecycle.Case{ID: "CASE-00000001", Vanpool: van.ID, State: lifecycle.PendingReply,
		WasRight: []string{"location|" + string(who.ID) + "|location_mismatch|" + who.ZIP + " to 1,2"},
		Subjects: []lifecycle.Subject{{Employee: who.ID, Standing: lifecycle.SubjectOpen, Findings: run.Findings()}}})
	event := asJSON(t, lifecycle.Event{Kind: lifecycle.Decided, Employee: who.ID, Findings: run.Findings(),
		Decision: &lifecycle.Decision{Choice: lifecycle.WasRight, Employee: who.ID, Reason: who.Name + " was ill",
			Findings: run.Findings()}})
	if !strings.Contains(life, who.ZIP) || !strings.Contains(event, "was ill") {
		t.Fatalf("the case says nothing that could be erased: %s", life)
	}
	var kept Snapshot
	o.in(t, func(tx pgx.Tx) (err error) {
		if kept, err = pin(t.Context(), tx, r, time.Now()); err != nil {
			return err
		}
		b := &pgx.Batch{}
		b.Queue(`insert into poolpatrol.pass (org, id, kind, key, asked_by, policy, snapshot, began_at)
			values ('north', 'PASS-00000001', 'asked', 'k', 'p', 'x', $1, now())`, kept.ID)
		b.Queue(`insert into poolpatrol.audit_run (org, id, pass, vanpool_id, outcome, verdicts, at)
			values ('north', 'RUN-00000001', 'PASS-00000001', $1, 'failed', $2, now())`, van.ID, string(text))
		b.Queue(`insert into poolpatrol.case (org, id, ref, vanpool_id, life, state, reason, failed_checks, audit_run, policy, rules,
			opened_at)
			values ('north', $1, 'CASE-00000001', $2, $3, 'pending_reply', 'location_mismatch', '{location}', 'RUN-00000001', 'p', 'r',
			now())`, c, van.ID, life)
		b.Queue(`insert into poolpatrol.case_subject values ('north', $1, $2, '{location}', 'open')`, c, who.ID)
		b.Queue(`insert into poolpatrol.case_event (org, case_id, n, key, event, at) values ('north', $1, 1, 'k', $2, now())`, c, event)
		b.Queue(`insert into poolpatrol.reading values ('north', $1, 'in:mail_1', $2, 'run_1', '{"sub_label": "medical"}', 'escalation',
			'medical', 'medical_words', true, now())`, c, who.ID)
		b.Queue(`insert into poolpatrol.exception (org, id, subject, check_name, until_day, reason, granted_by, granted_at, case_id)
			values ('north', 'EXC-00000001', $1, 'shift', '2027-01-01', $2, 'p:manager', now(),
			$3)`, who.ID, "because "+who.Name+" asked", c)
		b.Queue(`insert into poolpatrol.gap (org, vanpool_id, employee_id, check_name, field, pass, seen_at)
			values ('north', $1, $2, 'location', 'home', 'PASS-00000001', now())`, van.ID, who.ID)
		b.Queue(`insert into poolpatrol.road (org, home, pickup, miles, minutes, router, at)
			values ('north', $1, '1,2', 3, 4, 'test', now())`, location.CellOf(*who.Home).Name)
		return tx.SendBatch(t.Context(), b).Close()
	})
	return kept
}

// handFeeds has other systems name somebody.
func (o office) handFeeds(t *testing.T, van fleet.Vanpool, who intake.Employee) {
	t.Helper()
	day := fleet.DateAt(time.Now(), time.UTC).String()
	o.imports(t, record.Handover{Kind: intake.Badges, File: fmt.Appendf(nil, "employee_id,site_id,date\n%s,PLANT-1,%s\n", who.ID, day)})
	o.imports(t, record.Handover{Kind: intake.Permits,
		File: fmt.Appendf(nil, "permit_id,employee_id,kind,from\nLOT-55443,%s,monthly,2025-01-01\n", who.ID), Whole: true})
	o.imports(t, record.Handover{Kind: intake.Riders, File: fmt.Appendf(nil, "vanpool_id,employee_id,participant_id\n%s,%s,PART-8812\n",
		van.ID, who.ID)})
}

// TestErasingLeavesNoTrace promises that nothing in any table, snapshot or verdict
// says who somebody was, that erasing again finds nothing, that no import brings
// them back, and that what is known of others stays.
func TestErasingLeavesNoTrace(t *testing.T) {
	o, town := smallTown(t)
	m := poolpatroltest.Manager(postgrestest.North)
	van := town.Vanpools[2]
	who := intake.Employee{ID: van.Riders[3].Employee, Status: fleet.Active, TimeType: "part_time", Site: van.Site, Manager: "EMP-8001",
		Name: "Zebulon Quartermain", Email: "zq@staff.example", Language: "es",
		Address: "77 Hidden Lane", ZIP: "98767", Home: &fleet.Point{Lat: 45.123457, Lng: -117.765433},
		Shifts: []fleet.Assignment{{Shift: "SHIFT_SWING", From: fleet.NewDate(2025, 3, 9)}},
		Away:   []fleet.Span{{From: fleet.NewDate(2025, 4, 19), Until: fleet.NewDate(2025, 4, 23)}}}
	if _, err := o.PutEmployee(t.Context(), m, who, record.Change{}); err != nil {
		t.Fatal(err)
	}
	officer := identity.Actor{Kind: identity.Person, ID: "p:officer", Name: "Test Officer", Org: postgrestest.North,
		Roles: []identity.Role{identity.Officer, identity.OrgAdmin}}
	c, _, err := casefile.NewStore(casefile.Config{DB: o.db.App, Rules: o.rules}).
		Open(t.Context(), officer, casefile.Opening{App: "general", Key: "van", Title: "A van"})
	if err != nil {
		t.Fatal(err)
	}
	kept := o.remember(t, van, who, c.ID)
	traces := []trace{{"name", who.Name}, {"first name", "Zebulon"}, {"address", who.Address}, {"mail address", who.Email},
		{"ZIP", who.ZIP}, {"latitude", "45.12345"}, {"longitude", "117.76543"},
		{"cell", location.CellOf(*who.Home).Name}, {"shift", "2025-03-09"}, {"leave", "2025-04-19"}, {"permit", "LOT-55443"},
		{"participant", "PART-8812"}, {"manager", "EMP-8001"}, {"illness", "medical"}}
	before := o.everything(t)
	for _, x := range traces {
		if !strings.Contains(before, x.word) {
			t.Errorf("%s is nowhere before the erasure: the test proves nothing about it", x.what)
		}
	}
	o.in(t, func(tx pgx.Tx) error {
		inner, err := tx.Begin(t.Context())
		if err != nil {
			return err
		}
		if _, err := inner.Exec(t.Context(), `update poolpatrol.exception set reason = $1`, casefile.ErasedText); err != nil {
			return err
		}
		if _, err := inner.Exec(t.Context(), `update poolpatrol.audit_run set case_id = 'case_y'`); err != nil {
			return err
		}
		reach, err := Eraser().Erase(t.Context(), inner, seal.Subject{Type: RiderType, ID: string(who.ID)}, time.Now())
		if !slices.Equal(reach.Cases, []string{string(c.ID), "case_y"}) {
			t.Errorf("it reached the cases %v, want its own and that of the run", reach.Cases)
		}
		if err != nil {
			return err
		}
		return inner.Rollback(t.Context())
	})
	vault := o.vault(t)
	ask := seal.Request{Subject: seal.Subject{Type: RiderType, ID: string(who.ID)}, Ground: seal.OnRequest}
	done, err := vault.Erase(t.Context(), officer, ask)
	if err != nil {
		t.Fatal(err)
	}
	if got := rowsOf(done); got != 13 {
		t.Errorf("%d rows were blanked, want 13: the case, its event, how a reply was read, the employee, shift, leave, badge, permit, "+
			"gap, seat, exception, snapshot and run", got)
	}
	after := o.everything(t)
	for _, x := range traces {
		if at := strings.Index(after, x.word); at >= 0 {
			t.Errorf("%s is still there: …%s…", x.what, after[max(0, at-200):min(len(after), at+60)])
		}
	}
	o.othersStand(t, kept, van, who.ID)
	if again, err := vault.Erase(t.Context(), officer, ask); err != nil || again.Record != done.Record {
		t.Errorf("erasing again is %s, %v; want the first erasure, %s, since there is nothing left to blank", again.Record, err,
			done.Record)
	}
	if p := o.imports(t, poolpatroltest.Files(town)[2]); p.Kept != 1 || p.Changes() {
		t.Errorf("got %+v, want a later file not to bring them back", p)
	}
	if _, err := o.PutEmployee(t.Context(), m, who, record.Change{}); err != nil {
		t.Fatal(err)
	}
	o.handFeeds(t, van, who)
	again := o.everything(t)
	for _, x := range traces {
		if strings.Contains(again, x.word) {
			t.Errorf("%s is back", x.what)
		}
	}
	v, err := o.Employee(t.Context(), m, who.ID)
	if err != nil || v.ErasedAt == nil || v.Name != "" || v.Status != fleet.Inactive || len(v.Vans) != 1 || v.Vans[0].Removed == 0 {
		t.Errorf("got %+v, %v; want a blank row of somebody who rides nowhere", v, err)
	}
}

// TestWhatStaysOfAVerdict promises that a verdict loses what it says about one
// person, why they were excused, and what would change it, and nothing else.
func TestWhatStaysOfAVerdict(t *testing.T) {
	before := []check.Verdict{
		{Check: "location", Vanpool: "VP-101", Label: check.Fail, Confidence: 4, WouldChange: "a home in 98767",
			Findings: []check.Finding{
				{Employee: "EMP-1001", Check: "location", Kind: "too_far", Confidence: 4, Route: check.ToRider, Mark: "98767",
					WouldChange: "a home in 98767",
					Excused: &check.Exception{Subject: "EMP-1001", Check: "location", Until: 20_000, Reason: "Zebulon moves",
						By: "p:manager"}},
				{Employee: "EMP-1002", Check: "location", Kind: "too_far", Confidence: 3, Mark: "94000", WouldChange: "less"}},
			For: []check.Evidence{check.NewEvidence("distance_check", "employee_id", "EMP-1001", "vanpool_id", "VP-101",
				"distance_miles", 81),
				check.NewEvidence("distance_check", "employee_id", "EMP-1002", "vanpool_id", "VP-101", "distance_miles", 61)}},
		{Check: "shift", Vanpool: "VP-101", Label: check.Fail, Confidence: 4, WouldChange: "another shift of EMP-1002",
			For: []check.Evidence{check.NewEvidence("employee_shift", "employee_id", "EMP-1002", "shift_id", "SHIFT_DAY")}},
	}
	text, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	left, hit, err := blankVerdicts(text, "EMP-1001")
	if err != nil || !hit {
		t.Fatalf("got %v, %v", hit, err)
	}
	var got []check.Verdict
	if err := json.Unmarshal(left, &got); err != nil {
		t.Fatal(err)
	}
	if got[0].WouldChange != "" || got[1].WouldChange != before[1].WouldChange {
		t.Errorf("what would change it: got %q and %q", got[0].WouldChange, got[1].WouldChange)
	}
	want := check.Finding{Employee: "EMP-1001", Check: "location", Kind: "too_far", Confidence: 4, Route: check.ToRider,
		Excused: &check.Exception{Subject: "EMP-1001", Check: "location", Until: 20_000, Reason: casefile.ErasedText, By: "p:manager"}}
	if asJSON(t, got[0].Findings[0]) != asJSON(t, want) || asJSON(t, got[0].Findings[1]) != asJSON(t, before[0].Findings[1]) {
		t.Errorf("got the findings %s", asJSON(t, got[0].Findings))
	}
	if e := got[0].For[0].Data; e.Text("distance_miles") != "" || e.Text("erased") != "true" ||
		got[0].For[1].Data.Text("distance_miles") != "61" {
		t.Errorf("got the evidence %v", got[0].For)
	}
	if again, hit, err := blankVerdicts(left, "EMP-1001"); err != nil || hit || string(again) != string(left) {
		t.Errorf("blanking it again: %v, %v", hit, err)
	}
}

// othersStand checks what is left of a snapshot and a run.
func (o office) othersStand(t *testing.T, kept Snapshot, van fleet.Vanpool, who fleet.EmployeeID) {
	t.Helper()
	o.in(t, func(tx pgx.Tx) error {
		s, r, err := readSnapshot(t.Context(), tx, kept.ID)
		if err != nil {
			return err
		}
		if s.ErasedAt == nil || s.SHA256 != kept.SHA256 {
			t.Errorf("got %+v, want the digest to stay and the erasure noted", s)
		}
		for _, e := range r.Employees {
			if blank := e.Home == (fleet.Home{}); blank != (e.ID == who) {
				t.Errorf("%s is blank: %v", e.ID, blank)
			}
		}
		return nil
	})
	var left []check.Verdict
	if err := json.Unmarshal([]byte(collect[string](t, o, `select verdicts::text from poolpatrol.audit_run`)[0]), &left); err != nil {
		t.Fatalf("what is left of the verdicts cannot be read: %v", err)
	}
	var about, others int
	for _, v := range left {
		for _, e := range v.Evidence() {
			switch e.Data.Text("employee_id") {
			case string(who):
				about++
				if e.Data.Text("erased") != "true" || len(e.Data) > 3 {
					t.Errorf("evidence %s still says %v", e.Type, e.Data)
				}
			case "":
			default:
				others++
			}
		}
		for _, f := range v.Findings {
			if f.Employee == who && (f.Kind == "" || f.Check == "" || f.WouldChange != "" || f.Mark != "") {
				t.Errorf("got the finding %+v, want its kind and no more", f)
			}
		}
	}
	if about == 0 || others < len(van.Riders)-1 {
		t.Errorf("%d pieces of evidence about them and %d about others are left", about, others)
	}
}

func (o office) vault(t *testing.T) *seal.Vault {
	t.Helper()
	masters, err := seal.ParseMasters(seal.NewMaster("m1"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := seal.New(seal.Config{DB: o.db.App, Masters: masters, Now: time.Now, Rules: o.rules, Erasers: []seal.Eraser{Eraser()}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func rowsOf(e seal.Erasure) int {
	at := slices.IndexFunc(e.Rows, func(r seal.Reached) bool { return r.Name == programme.Name })
	if at < 0 {
		return -1
	}
	return e.Rows[at].Rows
}

// TestAHoldOnTheirCaseKeepsThem promises that a legal hold on a case that excused
// somebody, or removed them, refuses the erasure as a whole.
func TestAHoldOnTheirCaseKeepsThem(t *testing.T) {
	o, town := smallTown(t)
	officer := identity.Actor{Kind: identity.Person, ID: "p:officer", Name: "Test Officer", Org: postgrestest.North,
		Roles: []identity.Role{identity.Officer, identity.OrgAdmin}}
	c, _, err := casefile.NewStore(casefile.Config{DB: o.db.App, Rules: o.rules}).
		Open(t.Context(), officer, casefile.Opening{App: "general", Key: "van", Title: "A van"})
	if err != nil {
		t.Fatal(err)
	}
	who := town.Vanpools[0].Riders[0].Employee
	o.in(t, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `update poolpatrol.rider set removed_on = '2026-10-01', removed_case_id = $1, participant_id = 'x'
			where employee_id = $2`, c.ID, who)
		return err
	})
	vault := o.vault(t)
	if _, err := vault.Hold(t.Context(), officer, seal.Target{Case: string(c.ID)}, "a court asked for it", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, err := vault.Erase(t.Context(), officer, seal.Request{Subject: seal.Subject{Type: RiderType, ID: string(who)},
		Ground: seal.OnRequest}); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want the hold to refuse it", err)
	}
	if v, err := o.Employee(t.Context(), poolpatroltest.Manager(postgrestest.North), who); err != nil || v.ErasedAt != nil || v.Name == "" {
		t.Errorf("got %+v, %v; want nothing erased", v, err)
	}
}

// TestWhomOnlyListsNameStaysErased promises that somebody who was never among the
// employees does not come to be by the next file.
func TestWhomOnlyListsNameStaysErased(t *testing.T) {
	o, town := smallTown(t)
	h := record.Handover{Kind: intake.Riders, File: []byte("vanpool_id,employee_id,participant_id\n" + string(town.Vanpools[0].ID) +
		",EMP-9999,PART-1\n")}
	o.imports(t, h)
	o.in(t, func(tx pgx.Tx) error {
		reach, err := Eraser().Erase(t.Context(), tx, seal.Subject{Type: RiderType, ID: "EMP-9999"}, time.Now())
		if reach.Rows != 2 {
			t.Errorf("%d rows were blanked, want the seat and the row that keeps them erased", reach.Rows)
		}
		return err
	})
	if p := o.imports(t, h); p.Kept != 1 || p.Changes() {
		t.Errorf("got %+v, want the seat to stay empty", p)
	}
	if p := o.imports(t, record.Handover{Kind: intake.Employees,
		File: []byte("employee_id,status,name\nEMP-9999,active,Ann\n")}); p.Kept != 1 || p.Changes() {
		t.Errorf("got %+v, want nobody to come to be", p)
	}
}

// TestErasingSomebodyElseIsNothing promises that subjects of other types and forms
// are left to others.
func TestErasingSomebodyElseIsNothing(t *testing.T) {
	o, _ := smallTown(t)
	for _, s := range []seal.Subject{{Type: "staff", ID: "EMP-1001"}, {Type: RiderType, ID: "R-7"}, {Type: RiderType, ID: "EMP-9999"}} {
		o.in(t, func(tx pgx.Tx) error {
			reach, err := Eraser().Erase(t.Context(), tx, s, time.Now())
			if reach.Rows != 0 {
				t.Errorf("%s: %d rows were blanked", s, reach.Rows)
			}
			return err
		})
	}
}

// TestOldThingsGo promises that what was kept its time is deleted, and nothing
// else.
func TestOldThingsGo(t *testing.T) {
	o := newOffice(t)
	town := madeup.Plan{Seed: 5, Vans: 2, Riders: 3}.Build()
	o.settle(t, town.Records)
	now := time.Now()
	at := func(days int) time.Time { return now.AddDate(0, 0, -days) }
	o.in(t, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		for i, days := range []int{401, 399} {
			snap, pass := fmt.Sprintf("SNAP-0000000%d", i), fmt.Sprintf("PASS-0000000%d", i)
			b.Queue(`insert into poolpatrol.snapshot (org, id, taken_at, records_at, sha256, vanpools, riders, parts)
				values ('north', $1, $2, $2, repeat('0', 64), 0, 0, 1)`, snap, at(days))
			b.Queue(`insert into poolpatrol.snapshot_part (org, snapshot, n, body) values ('north', $1, 0, '')`, snap)
			b.Queue(`insert into poolpatrol.pass (org, id, kind, key, asked_by, policy, snapshot, state, began_at, ended_at)
				values ('north', $1, 'asked', $1, 'p', 'x', $2, 'done', $3, $3)`, pass, snap, at(days))
			b.Queue(`insert into poolpatrol.audit_run (org, id, pass, vanpool_id, outcome, at)
				values ('north', $1, $2, 'VP-101', 'verified', $3)`, fmt.Sprintf("RUN-0000000%d", i), pass, at(days))
		}
		for i, days := range []int{181, 179} {
			b.Queue(`insert into poolpatrol.road (org, home, pickup, miles, minutes, router, at)
				values ('north', '9q8yyk8', $1, 3, 4, 'test', $2)`, fmt.Sprint(i), at(days))
		}
		for _, days := range []int{62, 58} {
			b.Queue(`insert into poolpatrol.badge_day (org, employee_id, site_id, on_day)
				values ('north', 'EMP-1001', 'PLANT-1', $1::timestamptz::date)`, at(days))
		}
		return tx.SendBatch(t.Context(), b).Close()
	})
	if n, err := Purge(t.Context(), o.db.System, now); err != nil || n != 5 {
		t.Errorf("deleted %d rows, %v; want a run, a pass, a snapshot, a road and a reading", n, err)
	}
	if n, err := Purge(t.Context(), o.db.System, now); err != nil || n != 0 {
		t.Errorf("deleted %d rows the second time, %v; want none", n, err)
	}
	o.in(t, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `update poolpatrol.audit_run set case_id = 'case_x'`)
		return err
	})
	if n, err := Purge(t.Context(), o.db.System, now.AddDate(3, 0, 0)); err != nil || n != 2 {
		t.Errorf("deleted %d rows three years later, %v; want a road and a reading, since the run is a case's", n, err)
	}
	for _, table := range []string{"snapshot", "snapshot_part", "pass", "audit_run"} {
		if got := collect[int](t, o, `select count(*)::int from poolpatrol.`+table)[0]; got != 1 {
			t.Errorf("%s has %d rows, want the younger one", table, got)
		}
	}
	if got := len(o.records(t).Employees); got != len(town.Employees) {
		t.Errorf("%d employees are left of %d", got, len(town.Employees))
	}
}
