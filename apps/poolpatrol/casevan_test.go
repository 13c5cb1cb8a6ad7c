package poolpatrol

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/lifecycle"
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
	if n := g.count(t, `select count(*) from gavel.evidence where title ~ '^EMP-100[1-4]'`+of); n != 0 {
		t.Errorf("%d pieces are about riders who fit", n)
	}
	pieces := g.count(t, `select count(*) from gavel.evidence where true`+of)
	if pieces < 2 || pieces > 2*mostGrounds {
		t.Errorf("%d pieces of evidence; want those of one rider and the van", pieces)
	}
	v, err := g.app.vanOf(t.Context(), casefile.Case{ID: id, Org: postgrestest.North})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.subjects) != 1 || v.subjects[0].Employee != "EMP-1005" || v.fit != 4 || v.run == "" {
		t.Errorf("the case is about %v, and %d fit (audit %q); want EMP-1005 and 4", v.subjects, v.fit, v.run)
	}
	facts := g.count(t, `select count(*) from gavel.fact where true`+of)
	g.exec(t, `insert into poolpatrol.audit_run (org, id, pass, vanpool_id, outcome, checks, verdicts, reason, at, case_id, settled)
		select org, 'RUN-0000000B', pass, 'VP-199', outcome, checks, verdicts, reason, at + interval '7 days', case_id, true from poolpatrol.audit_run where case_id = '`+string(id)+`'`)
	for range 2 {
		if err := g.app.groundCase(t.Context(), casefile.Input{Org: postgrestest.North, Case: id}, lifecycle.Action{Kind: putGrounds, Key: groundsTask + "RUN-0000000B"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := g.count(t, `select count(*) from gavel.evidence where title like '%looked at again, the same'`+of); n != 1 {
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
	g.app.store.clock = durable.Clock{Epoch: time.Now().Add(-time.Hour), Speed: 50} // fifty hours later
	if done, err := (&Steps{g.app}).Settle(t.Context(), in); err != nil || !done {
		t.Fatalf("settled: %v, %v", done, err)
	}
	if n := g.count(t, `select count(*) from poolpatrol.case`); n != 0 {
		t.Errorf("%d cases were opened on records of two days ago", n)
	}
	if n := g.count(t, `select count(*) from poolpatrol.audit_run where outcome = 'failed' and not settled`); n != 0 {
		t.Errorf("%d audits are never settled", n)
	}
}

// TestTwoPassesSettleAVanOnce promises one case for each van that fails, and no word of
// trouble, where two passes come to it at the same time.
func TestTwoPassesSettleAVanOnce(t *testing.T) {
	g := newGrounded(t)
	var said bytes.Buffer
	g.app.log = slog.New(slog.NewTextHandler(&said, nil)) // which locks for itself
	passes := []PassInput{g.looked(t, "k1"), g.looked(t, "k2")}
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
