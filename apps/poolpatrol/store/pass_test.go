package store

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestWhoComesSecondIsGivenThePassUnderWay promises two people who start one audit of
// all vans in the same moment, or one after the other, one pass; and whoever sends
// twice, their own pass.
func TestWhoComesSecondIsGivenThePassUnderWay(t *testing.T) {
	o, _ := smallTown(t)
	first, second := poolpatroltest.Manager(postgrestest.North), poolpatroltest.Manager(postgrestest.North)
	second.ID = "p:other"
	type answer struct {
		pass    Pass
		started bool
		err     error
	}
	answers := make(chan answer, 4)
	ask := func(key string) {
		p, started, err := o.StartPass(t.Context(), second, Asked, key)
		answers <- answer{p, started, err}
	}
	var under Pass
	o.in(t, func(tx pgx.Tx) (err error) {
		if under, _, err = o.beginPass(t.Context(), tx, first, Asked, "page:after:", time.Now()); err != nil {
			return err
		}
		go ask("page:after:")
		wait.Until(t, "the second waits for the first", func() bool {
			var n int
			err := tx.QueryRow(t.Context(), `select count(*) from pg_locks where not granted
				and transactionid = pg_current_xact_id()::xid`).Scan(&n)
			return err == nil && n > 0
		})
		return nil
	})
	ask("page:after:") // a moment later
	ask("")            // over the API
	o.in(t, func(tx pgx.Tx) error {
		return o.endPass(t.Context(), tx, postgrestest.North, under.ID, job.End{State: job.Done})
	})
	ask("page:after:") // from a page that was open meanwhile
	for range 4 {
		if got := <-answers; got.err != nil || got.started || got.pass.ID != under.ID || got.pass.AskedBy != first.ID {
			t.Errorf("got %+v, want to be given %s", got, under.ID)
		}
	}
	if p, started, err := o.StartPass(t.Context(), second, Asked, ""); err != nil || !started || p.ID == under.ID {
		t.Errorf("once it has ended: got %s, %v, %v", p.ID, started, err)
	}
}

// TestAPassThatIsCalledOffEnds promises that no further van is looked at, and that the pass
// says who wanted that.
func TestAPassThatIsCalledOffEnds(t *testing.T) {
	o, _ := smallTown(t)
	p, _, err := o.StartPass(t.Context(), poolpatroltest.Manager(postgrestest.North), Asked, "")
	if err != nil {
		t.Fatal(err)
	}
	o.in(t, func(tx pgx.Tx) error {
		_, err := job.Cancel(t.Context(), tx, PassJob, poolpatroltest.Manager(postgrestest.North), p.ID, time.Now())
		return err
	})
	in := PassInput{Org: postgrestest.North, Pass: p.ID}
	for range 2 {
		if read, err := o.PinPass(t.Context(), in); err != nil || read.More {
			t.Errorf("there is more to look at: %v, %v", read.More, err)
		}
	}
	o.in(t, func(tx pgx.Tx) error {
		got, err := PassBy(t.Context(), tx, "id", p.ID)
		if got.State != job.Refused || got.Reason != poolpatroltest.Manager(postgrestest.North).ID+" called it off" {
			t.Errorf("got %+v", got)
		}
		return err
	})
}

// TestAKeptAddressOfTheListStillLeadsThere promises that tokens of the list from earlier
// versions go on where they did, and that what no list of ours wrote is refused.
func TestAKeptAddressOfTheListStillLeadsThere(t *testing.T) {
	o, _ := smallTown(t)
	var ids []string
	who := poolpatroltest.Manager(postgrestest.North)
	for range 3 {
		p, _, err := o.StartPass(t.Context(), who, Asked, "")
		if err != nil {
			t.Fatal(err)
		}
		o.in(t, func(tx pgx.Tx) error {
			return o.endPass(t.Context(), tx, postgrestest.North, p.ID, job.End{State: job.Done})
		})
		ids = append([]string{p.ID}, ids...)
	}
	first, next, err := o.Passes(t.Context(), who, "", 1)
	if err != nil || len(first) != 1 || first[0].ID != ids[0] {
		t.Fatalf("got %+v, %v", first, err)
	}
	at := first[0].BeganAt.UTC().Format(time.RFC3339Nano)
	for _, token := range []string{next, at + "/" + ids[0], at} {
		rest, last, err := o.Passes(t.Context(), who, token, 2)
		if err != nil || len(rest) != 2 || rest[0].ID != ids[1] || rest[1].ID != ids[2] || last != "" {
			t.Errorf("after %q: got %+v, %q, %v", token, rest, last, err)
		}
	}
	for _, odd := range []string{"x", "x/" + ids[0], at + "/\x00"} {
		if _, _, err := o.Passes(t.Context(), who, odd, 2); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", odd, err)
		}
	}
}
