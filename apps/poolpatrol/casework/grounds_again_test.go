package casework

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// again puts the nth further look at a van on its case, with verdicts as an expression
// of SQL makes them of the first ones.
func (g grounded) again(t *testing.T, id casefile.CaseID, n int, verdicts string) {
	t.Helper()
	run := g.counted(t, id, n, verdicts)
	g.exec(t, `insert into poolpatrol.case_todo (org, case_id, key, n, action) select org, case_id, '`+groundsTask+run+`', max(n) + 1, '{}' from poolpatrol.case_todo where case_id = '`+string(id)+`' group by 1, 2`)
	for range 2 {
		if err := g.app.groundCase(t.Context(), casefile.Input{Org: postgrestest.North, Case: id}, lifecycle.Action{Kind: putGrounds,
			Key: groundsTask + run}); err != nil {
			t.Fatal(err)
		}
	}
}

// counted is a further look that belongs to the case and is not put on it.
func (g grounded) counted(t *testing.T, id casefile.CaseID, n int, verdicts string) string {
	t.Helper()
	run := fmt.Sprintf("RUN-%08X", n)
	g.exec(t, fmt.Sprintf(`insert into poolpatrol.audit_run (org, id, pass, vanpool_id, outcome, checks, verdicts, reason, at, case_id,
		settled)
		select r.org, '%s', r.pass, 'VP-9%02d', r.outcome, r.checks, %s, r.reason, r.at + interval '%d days', r.case_id, true
		from poolpatrol.audit_run r
		join poolpatrol.case c on c.audit_run = r.id where c.id = '%s'`, run, n, verdicts, n, id))
	return run
}

const sameAgain = `select count(*) from gavel.evidence where title like '% check repeated: same result, %' and case_id = '`

// TestNoOneIsAccusedWithoutTheirEvidence promises that however many people a check
// finds, the case has the piece that each is accused on, and the number in it.
func TestNoOneIsAccusedWithoutTheirEvidence(t *testing.T) {
	g := newGrounded(t)
	g.exec(t, `update poolpatrol.employee set home_lat = 39.9, home_zip = '96001' where id in ('EMP-1001', 'EMP-1002', 'EMP-1003')`)
	g.audit(t)
	id := string(g.put(t, "VP-101"))
	for n := 1; n <= 3; n++ {
		who := fmt.Sprintf("EMP-100%d", n)
		if got := g.count(t, `select count(*) from gavel.evidence where title = 'Distance to the pickup, `+who+`' and case_id = '`+id+`'`); got != 1 {
			t.Errorf("%d pieces say how far %s lives, want 1", got, who)
		}
	}
	facts := `select count(distinct f.subject->'ids'->>'piece') from gavel.fact f where f.subject->'ids'->>'measure' = 'distance_miles'
		and f.subject->'ids'->>'piece' like 'for/%' and case_id = '` + id + `'`
	if got := g.count(t, facts); got != 3 {
		t.Errorf("%d distances, want 3", got)
	}
}

// TestOnlyThePiecesOfTheVanAreAHandful promises the same for whatever a check puts
// first, and that what is about the van does not crowd the case.
func TestOnlyThePiecesOfTheVanAreAHandful(t *testing.T) {
	v := check.Verdict{Check: "shift"}
	for range mostGrounds + 2 {
		v.For = append(v.For, check.NewEvidence("remark"))
	}
	for n := range 4 {
		who := fleet.EmployeeID(fmt.Sprintf("EMP-100%d", n))
		v.Findings = append(v.Findings, check.Finding{Employee: who})
		v.For = append(v.For, check.NewEvidence("rotation", "employee_id", who), check.NewEvidence("mismatch", "employee_id", who))
	}
	v.For = append(v.For, check.NewEvidence("rotation", "employee_id", fleet.EmployeeID("EMP-1009"))) // who fits
	van, people := 0, 0
	for _, x := range exhibits(v, nil) {
		if x.Type == "remark" {
			van++
		} else {
			people++
		}
	}
	if van != mostGrounds || people != 8 {
		t.Errorf("%d pieces about the van and %d about people, want %d and 8", van, people, mostGrounds)
	}
}

// TestWhatWasCountedIsStillPutOnTheCase promises that a look which was not put on the
// case says nothing for it: what it found is new when it is found again.
func TestWhatWasCountedIsStillPutOnTheCase(t *testing.T) {
	g := newGrounded(t)
	g.audit(t)
	id := g.put(t, "VP-101")
	const other = `replace(verdicts::text, '"EMP-1005"', '"EMP-1004"')::jsonb`
	g.counted(t, id, 1, other)
	g.again(t, id, 2, other)
	if n := g.count(t, `select count(*) from gavel.evidence where title like '%, EMP-1004' and case_id = '`+string(id)+`'`); n == 0 {
		t.Error("nothing on the case says what was found of EMP-1004")
	}
	if n := g.count(t, sameAgain+string(id)+`'`); n != 0 {
		t.Error("it is called the same")
	}
}

// TestWhatIsTakenBackIsNotTheSame promises that a look is compared with the one before
// it alone: what was found, then otherwise, then as at first leaves the facts as at first.
func TestWhatIsTakenBackIsNotTheSame(t *testing.T) {
	g := newGrounded(t)
	g.audit(t)
	id := g.put(t, "VP-101")
	newest := `select subject->'ids'->>'piece' || ' ' || (subject->'ids'->>'measure') || ' ' || display from gavel.fact f
		where case_id = '` + string(id) + `'
		and version = (select max(version) from gavel.fact l where l.case_id = f.case_id and l.key = f.key) order by 1`
	first := collect[string](t, g.office, newest)
	g.again(t, id, 1, `regexp_replace(verdicts::text, '("[a-z_]+_minutes": )[0-9]+', '\1 77', 'g')::jsonb`)
	if now := collect[string](t, g.office, newest); slices.Equal(now, first) {
		t.Fatalf("the second look changed nothing: %v", now)
	}
	g.again(t, id, 2, "verdicts")
	if now := collect[string](t, g.office, newest); !slices.Equal(now, first) {
		t.Errorf("the facts are %v, want %v", now, first)
	}
	if n := g.count(t, sameAgain+string(id)+`'`); n != 0 {
		t.Error("what was otherwise in between is called the same")
	}
}
