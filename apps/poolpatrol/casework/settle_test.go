package casework

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestACaseShowsThoseInQuestion promises that evidence and facts are of whom a case is
// about and of the van, that whoever fits is counted, and that a second look which
// finds the same is one piece more and not all of them again. The van of newGrounded
// has five riders, of whom the fifth works at night.
func TestACaseShowsThoseInQuestion(t *testing.T) {
	g := newGrounded(t)
	g.audit(t)
	id := g.put(t, "VP-101")
	of := ` and case_id = '` + string(id) + `'`
	if n := g.count(t, `select count(*) from gavel.evidence where title ~ 'EMP-100[1-4]$'`+of); n != 0 {
		t.Errorf("%d pieces are about riders who fit", n)
	}
	pieces := g.count(t, `select count(*) from gavel.evidence where true`+of)
	if pieces < 2 || pieces > 2*mostGrounds {
		t.Errorf("%d pieces of evidence; want those of one rider and the van", pieces)
	}
	v, there, err := g.app.store.CaseVan(t.Context(), casefile.Case{ID: id, Org: postgrestest.North})
	if err != nil || !there {
		t.Fatalf("the van of the case: %v, %v", there, err)
	}
	about, fit := v.Life.Subjects, lifecycle.Fit(v.Verdicts, v.Life.Subjects)
	if len(about) != 1 || about[0].Employee != "EMP-1005" || fit != 4 || v.Run == "" {
		t.Errorf("the case is about %v, and %d fit (audit %q); want EMP-1005 and 4", about, fit, v.Run)
	}
	facts := g.count(t, `select count(*) from gavel.fact where true`+of)
	g.again(t, id, 1, "verdicts")
	if n := g.count(t, `select count(*) from gavel.evidence where title like '% check repeated: same result, %'`+of); n != 1 {
		t.Errorf("%d pieces say that the same was found again, want 1", n)
	}
	if n := g.count(t, `select count(*) from gavel.evidence where true`+of); n != pieces+1 {
		t.Errorf("%d pieces after a second look, want %d", n, pieces+1)
	}
	if n := g.count(t, `select count(*) from gavel.fact where true`+of); n != facts {
		t.Errorf("%d facts after a second look, want %d", n, facts)
	}
}

// TestNoCaseIsOpenedOnRecordsThatBecameOld promises that a pass which was interrupted
// for days accuses nobody on what it read then.
func TestNoCaseIsOpenedOnRecordsThatBecameOld(t *testing.T) {
	g := newGrounded(t)
	in := g.looked(t, "k")
	g.app.clock = durable.Clock{Epoch: time.Now().Add(-time.Hour), Speed: 50} // fifty hours later
	if done, err := (&Steps{g.app}).Settle(t.Context(), in); err != nil || !done {
		t.Fatalf("settled: %v, %v", done, err)
	}
	if n := g.count(t, `select count(*) from poolpatrol.case`); n != 0 {
		t.Errorf("%d cases were opened on records of two days ago", n)
	}
	if n := g.count(t, `select count(*) from poolpatrol.audit_run where outcome = 'failed' and not settled`); n != 0 {
		t.Errorf("%d audits are never settled", n)
	}
	if g.app.shelf.book != nil {
		t.Error("a pass that is over is still on the shelf, with where people live")
	}
}

// TestNobodyIsAddedToACaseOnRecordsThatBecameOld promises the same of a case that is
// open: a rider who is found by such a pass is neither on it nor written to, and by the
// next pass they are.
func TestNobodyIsAddedToACaseOnRecordsThatBecameOld(t *testing.T) {
	g := newGrounded(t)
	g.audit(t)
	g.exec(t, `update poolpatrol.assignment set shift_id = 'SHIFT_NIGHT' where employee_id = 'EMP-1004'`)
	g.looked(t, "later")
	id := casefile.CaseID(collect[string](t, g.office, `select id from poolpatrol.case where vanpool_id = 'VP-101'`)[0])
	gathered := func(after time.Duration) (e lifecycle.Event) {
		g.in(t, func(tx pgx.Tx) error {
			s, err := g.app.hold(t.Context(), tx, id, g.app.now().Add(after))
			if err != nil {
				return err
			}
			all, err := s.passes(t.Context())
			if err == nil && len(all) == 1 {
				e = all[0].event
			}
			return err
		})
		return e
	}
	if old := gathered(fleet.MaxAge + time.Hour); old.Kind != lifecycle.Audited || !old.Failed || len(old.Findings) != 0 {
		t.Errorf("on old records: %+v", old)
	}
	if n := g.count(t, `select count(*) from poolpatrol.case_todo where case_id = '`+string(id)+`' and key like 'grounds:%'`); n != 1 {
		t.Errorf("%d audits are put on the case, want the first alone", n)
	}
	if now := gathered(0); now.Failed || len(now.Findings) != 2 {
		t.Errorf("on records of today: %+v", now)
	}
	if n := g.count(t, `select count(*) from poolpatrol.case_todo where case_id = '`+string(id)+`' and key like 'grounds:%'`); n != 2 {
		t.Errorf("%d audits are put on the case, want what was found of another rider, too", n)
	}
}

// TestTwoPassesSettleAVanOnce promises one case for each van that fails, and no word of
// trouble, where two passes come to it at the same time.
func TestTwoPassesSettleAVanOnce(t *testing.T) {
	g := newGrounded(t)
	var said bytes.Buffer
	g.app.log = slog.New(slog.NewTextHandler(&said, nil)) // which locks for itself
	passes := []store.PassInput{g.looked(t, "k1"), g.looked(t, "k2")}
	errs := make([]error, len(passes))
	var all sync.WaitGroup
	for i, in := range passes {
		all.Go(func() {
			for done := false; !done && errs[i] == nil; {
				done, errs[i] = (&Steps{g.app}).Settle(context.WithoutCancel(t.Context()), in)
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if said.Len() > 0 {
		t.Errorf("it said: %s", said.String())
	}
	if n := g.count(t, `select count(*) from poolpatrol.case`); n != 2 {
		t.Errorf("%d cases of two vans that fail", n)
	}
}

// TestAVanAndWhoIsInQuestionLeadToTheirCase promises the link to an open case from the
// van and from the riders it is about, and from nobody else.
func TestAVanAndWhoIsInQuestionLeadToTheirCase(t *testing.T) {
	g := newGrounded(t)
	g.audit(t)
	for _, tt := range []struct {
		van  fleet.VanpoolID
		who  fleet.EmployeeID
		want int
	}{{"VP-101", "", 1}, {"", "EMP-1005", 1}, {"", "EMP-1001", 0}, {"VP-999", "", 0}} {
		got, err := g.app.store.OpenCases(t.Context(), poolpatroltest.Manager(postgrestest.North), tt.van, tt.who)
		if err != nil || len(got) != tt.want || tt.want == 1 && (got[0].Vanpool != "VP-101" || got[0].Ref == "" ||
			got[0].State != "hitl_review") {
			t.Errorf("%s%s: got %+v, %v; want %d", tt.van, tt.who, got, err, tt.want)
		}
	}
}
