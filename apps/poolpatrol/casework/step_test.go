package casework

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestWhatAPersonHasReadIsReadByNobodyElse promises that a decision ends the reading
// of replies it was made on, so that a model which answers late moves nothing; and that
// a request that is taken back takes the draft along that was still being worded.
func TestWhatAPersonHasReadIsReadByNobodyElse(t *testing.T) {
	g := newGrounded(t)
	g.audit(t)
	id := casefile.CaseID(collect[string](t, g.office, `select id from poolpatrol.case where vanpool_id = 'VP-101'`)[0])
	open := func() []string {
		return collect[string](t, g.office, `select key from poolpatrol.case_todo where done_at is null and key like 'late%'
			and case_id = $1 order by key`, id)
	}
	g.in(t, func(tx pgx.Tx) error {
		s, err := g.app.hold(t.Context(), tx, id, g.app.now())
		if err != nil {
			return err
		}
		if s.life.State != lifecycle.Review {
			t.Fatalf("without mail the case is %s, want a person's", s.life.State)
		}
		for _, a := range []lifecycle.Action{{Kind: readReply, Key: "late-reading", Employee: "EMP-1005"},
			{Kind: lifecycle.SaveDraft, Key: "late-draft", Employee: "EMP-1005"}} {
			if err := s.leave(t.Context(), a); err != nil {
				return err
			}
		}
		return s.take(t.Context(), happening{"in:1", lifecycle.Event{Kind: lifecycle.Arrived, At: s.at, Employee: "EMP-1005"}})
	})
	if got := open(); !slices.Equal(got, []string{"late-reading"}) {
		t.Errorf("after another reply %v is to be done, want the reading and no draft for the reply before", got)
	}
	g.in(t, func(tx pgx.Tx) error {
		s, err := g.app.hold(t.Context(), tx, id, g.app.now())
		if err != nil {
			return err
		}
		by := lifecycle.Decider{Actor: poolpatroltest.Manager(postgrestest.North)}
		return s.take(t.Context(), happening{"proposal:P-1", lifecycle.Event{Kind: lifecycle.Decided, At: s.at,
			Decision: &lifecycle.Decision{Choice: lifecycle.LookAgain, By: by, Seen: s.life.Inbound}}})
	})
	if got := open(); len(got) > 0 {
		t.Errorf("a person has decided, and %v is still to be read", got)
	}
}
