package store

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestVanpoolsAreListedInPages promises that pages together are every van once, in
// order, with the outcome of its last audit.
func TestVanpoolsAreListedInPages(t *testing.T) {
	o := newOffice(t)
	m := poolpatroltest.Manager(postgrestest.North)
	town := madeup.Plan{Seed: 4, Vans: 7, Riders: 4}.Build()
	town.Vanpools[6].Standing = fleet.Suspended
	o.settle(t, town.Records)
	first := town.Vanpools[0]
	o.in(t, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(`insert into poolpatrol.pass (org, id, kind, key, asked_by, policy, began_at)
			values ('north', 'PASS-00000001', 'asked', 'k', 'p', 'x', now()), ('north', 'PASS-00000002', 'asked', 'l', 'p', 'x', now())`)
		b.Queue(`insert into poolpatrol.audit_run (org, id, pass, vanpool_id, outcome, checks, verdicts, at) values
			('north', 'RUN-00000001', 'PASS-00000001', $1, 'verified', '{}', null, now() - interval '1 day'),
			('north', 'RUN-00000002', 'PASS-00000002', $1, 'failed', '{shift}', '[]', now())`, first.ID)
		b.Queue(`update poolpatrol.rider set removed_on = '2026-10-01' where vanpool_id = $1 and employee_id = $2`, first.ID,
			first.Riders[1].Employee)
		return tx.SendBatch(t.Context(), b).Close()
	})
	var seen []fleet.VanpoolID
	for after, pages := "", 0; ; pages++ {
		all, next, err := o.Vanpools(t.Context(), m, record.VanFilter{}, after, 3)
		if err != nil || len(all) > 3 || pages > 3 {
			t.Fatalf("page %d: %d vans, %v", pages+1, len(all), err)
		}
		for _, v := range all {
			seen = append(seen, v.ID)
			wantRiders, want := 4, audit.Outcome("")
			if v.ID == first.ID {
				wantRiders, want = 3, audit.Failed
			}
			if v.Riders != wantRiders || v.Outcome != want || v.SiteName == "" || v.Outcome == audit.Failed &&
				!slices.Equal(v.Checks, []string{"shift"}) {
				t.Errorf("got %+v, want %d riders and the outcome %q", v, wantRiders, want)
			}
		}
		if after = next; next == "" {
			break
		}
	}
	if len(seen) != 7 || !slices.IsSorted(seen) {
		t.Errorf("pages list %v, want each of 7 vans once", seen)
	}
	for _, tt := range []struct {
		q    record.VanFilter
		want int
	}{
		{record.VanFilter{Outcome: audit.Failed}, 1}, {record.VanFilter{Outcome: audit.Verified}, 0},
		{record.VanFilter{Status: fleet.Suspended}, 1},
		{record.VanFilter{Begins: "VP-0000"}, 7}, {record.VanFilter{Begins: "VP-00003"}, 1}, {record.VanFilter{Begins: "%"}, 0},
		{record.VanFilter{Site: "NOWHERE"}, 0},
	} {
		if all, _, err := o.Vanpools(t.Context(), m, tt.q, "", 0); err != nil || len(all) != tt.want {
			t.Errorf("%+v: got %d vans, %v; want %d", tt.q, len(all), err, tt.want)
		}
	}
}

// TestAVanIsShownWithItsPeople promises names, today's shift and the newest runs,
// those who left after those who ride.
func TestAVanIsShownWithItsPeople(t *testing.T) {
	o, town := smallTown(t)
	m := poolpatroltest.Manager(postgrestest.North)
	van := town.Vanpools[1]
	o.in(t, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(`update poolpatrol.rider set removed_on = '2026-10-01' where vanpool_id = $1 and employee_id = $2`, van.ID,
			van.Riders[0].Employee)
		b.Queue(`insert into poolpatrol.rider (org, vanpool_id, employee_id) values ('north', $1, 'EMP-9999')`, van.ID)
		b.Queue(`insert into poolpatrol.assignment (org, employee_id, shift_id, from_day, until_day)
			values ('north', $1, 'SHIFT_UNKNOWN', '2026-01-01', '2099-01-01')`, van.Riders[2].Employee)
		return tx.SendBatch(t.Context(), b).Close()
	})
	v, err := o.Vanpool(t.Context(), m, van.ID)
	if err != nil || len(v.Riders) != 9 || v.Zone != "America/Los_Angeles" || v.Capacity != van.Capacity || len(v.Runs) != 0 {
		t.Fatalf("got %+v, %v", v, err)
	}
	if last := v.Riders[8]; last.Employee != van.Riders[0].Employee || last.Removed == 0 {
		t.Errorf("the last is %+v, want who left", last)
	}
	for _, r := range v.Riders {
		switch r.Employee {
		case "EMP-9999":
			if r.Known || r.Name != "" {
				t.Errorf("got %+v, want somebody nobody knows", r)
			}
		case van.Riders[2].Employee:
			if r.Shift != "SHIFT_UNKNOWN" || r.ShiftName != "" {
				t.Errorf("got %+v, want the shift that began later", r)
			}
		default:
			if !r.Known || r.Name != "Person "+string(r.Employee) || r.ShiftName == "" || r.Since == 0 {
				t.Errorf("got %+v, want a name and a shift", r)
			}
		}
	}
	if _, err := o.Vanpool(t.Context(), m, "VP-404"); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v, want not found", err)
	}
}

// TestGapsAreListedInPages promises that pages together are every gap once, also
// where a field's name holds the mark between the parts of a page's name.
func TestGapsAreListedInPages(t *testing.T) {
	o, _ := smallTown(t)
	o.in(t, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into poolpatrol.gap (org, vanpool_id, employee_id, check_name, field, pass, seen_at)
			select 'north', 'VP-101', e, c, f, 'PASS-00000001', now()
			from unnest(array['', 'EMP-1001']) e, unnest(array['location', 'shift']) c, unnest(array['a|b', 'a|c', 'home']) f`)
		return err
	})
	seen := map[record.Gap]bool{}
	n := 0
	for after := ""; ; {
		all, next, err := o.Gaps(t.Context(), poolpatroltest.Manager(postgrestest.North), after, 1)
		if err != nil || len(all) > 1 || n > 12 {
			t.Fatalf("%d gaps, %v", len(all), err)
		}
		for _, g := range all {
			seen[g] = true
			n++
		}
		if after = next; next == "" {
			break
		}
	}
	if len(seen) != 12 || n != 12 {
		t.Errorf("%d gaps are listed, %d of them once; want 12", n, len(seen))
	}
}
