package audit_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

const origin = "gavel.test/log"

var quiet = slog.New(slog.DiscardHandler)

// A rig is a database with a log in it, and a key that signs it.
type rig struct {
	t      testing.TB
	db     *postgrestest.Database
	secret string
	public audit.Verifier
}

func newRig(t testing.TB) *rig {
	t.Helper()
	secret, public, err := audit.NewKey(origin)
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, db: postgrestest.New(t, audit.Migrations()), secret: secret, public: public}
}

func (r *rig) sequencer(t testing.TB) *audit.Sequencer {
	t.Helper()
	s, err := audit.NewSequencer(audit.SequencerConfig{System: r.db.System, Signer: r.secret, Now: time.Now, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (r *rig) drain(t testing.TB) int {
	t.Helper()
	n, err := r.sequencer(t).Drain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func officer(org identity.Org) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p:officer", Name: "Test Officer", Org: org, Roles: []identity.Role{identity.Officer}}
}

func record(n int) audit.Record {
	return audit.Record{At: time.Now(), Kind: audit.Decision, App: "airshed", Actor: officer(postgrestest.North),
		Subject: fmt.Sprintf("case_%026d", n), Body: map[string]any{"proposal": fmt.Sprintf("P-%d", n), "decision": "approve"}}
}

// append commits records, each in a transaction of its own.
func (r *rig) append(t testing.TB, recs ...audit.Record) []audit.RecordID {
	t.Helper()
	ids := make([]audit.RecordID, len(recs))
	for i, rec := range recs {
		err := r.db.App.InOrg(t.Context(), rec.Actor.Org, func(tx pgx.Tx) (err error) {
			ids[i], err = audit.Append(t.Context(), tx, rec)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

// fill commits n records in one transaction.
func (r *rig) fill(t testing.TB, n int) []audit.RecordID {
	t.Helper()
	ids := make([]audit.RecordID, n)
	err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		for i := range ids {
			var err error
			if ids[i], err = audit.AppendLater(b, record(i)); err != nil {
				return err
			}
		}
		return tx.SendBatch(t.Context(), b).Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func one[T any](t testing.TB, r *rig, sql string, args ...any) T {
	t.Helper()
	rows, _ := r.db.System.Query(t.Context(), sql, args...)
	v, err := pgx.CollectOneRow(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func (r *rig) fsck(t testing.TB, known ...string) audit.Report {
	t.Helper()
	report, err := audit.Fsck(t.Context(), audit.FsckConfig{System: r.db.System, Trusted: []audit.Verifier{r.public}, Known: known})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// ctx is the test's, for properties that have a T of their own.
func (r *rig) ctx() context.Context { return r.t.Context() }
