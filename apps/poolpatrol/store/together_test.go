package store

import (
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestTwoServersBeginOnePass promises two managers who have every van audited at once, on two
// servers, one pass of which both are told, two hundred times.
func TestTwoServersBeginOnePass(t *testing.T) {
	o, _ := smallTown(t)
	other, err := postgres.Open(t.Context(), o.db.AppURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	servers := [2]*Store{o.Store, New(Config{DB: other, Rules: o.rules})}
	began := 0
	for round := range 200 {
		var got [2]Pass
		var started [2]bool
		var errs [2]error
		var both sync.WaitGroup
		for i, s := range servers {
			who := poolpatroltest.Manager(postgrestest.North)
			who.ID = fmt.Sprint("p:", i)
			both.Go(func() { got[i], started[i], errs[i] = s.StartPass(t.Context(), who, Asked, "") })
		}
		both.Wait()
		if errs[0] != nil || errs[1] != nil || got[0].ID == "" || got[0].ID != got[1].ID || got[0].AskedBy != got[1].AskedBy ||
			started[0] == started[1] {
			t.Fatalf("round %d: got %+v, %v and %+v, %v", round, got[0], errs[0], got[1], errs[1])
		}
		began++
		o.in(t, func(tx pgx.Tx) error {
			return o.endPass(t.Context(), tx, postgrestest.North, got[0].ID, job.End{State: job.Done})
		})
	}
	fmt.Printf("200 times two managers began an audit at once on two servers: %d passes\n", began)
}
