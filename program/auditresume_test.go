package program

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/program/config"
)

// restoredLog is an installation whose log was published with three entries and
// whose database was put back to two.
func restoredLog(t *testing.T) setup {
	t.Helper()
	db, store := postgrestest.New(t, audit.Migrations()), "file://"+t.TempDir()
	secret, _, err := audit.NewKey("gavel.invalid/test")
	must(t, err)
	shelf, err := openBlob(&config.Config{BlobURL: store})
	must(t, err)
	seq, err := audit.NewSequencer(audit.SequencerConfig{System: db.System, Signer: secret, Now: time.Now,
		Logger: slog.New(slog.DiscardHandler), Shelf: shelf})
	must(t, err)
	p, err := audit.NewPublisher(audit.PublisherConfig{System: db.System, Shelf: shelf, Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	for range 2 {
		must(t, db.System.InTx(t.Context(), func(tx pgx.Tx) error {
			_, err := audit.Append(t.Context(), tx, audit.Record{At: time.Now(), Kind: audit.Act, Actor: identity.Gavel(audit.Installation),
				Subject: "test", Body: struct{}{}})
			return err
		}))
		_, err = seq.Drain(t.Context())
		must(t, err)
		must(t, p.Publish(t.Context()))
	}
	conn, err := pgx.Connect(t.Context(), db.AdminURL)
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `set session_replication_role = replica; delete from gavel_sys.log_published where size > 2; delete
		from gavel_sys.log_checkpoint where size > 2;
		delete from gavel.record r using gavel.record_place p where p.org = r.org and p.record_id = r.id and p.seq >= 2; delete
		from gavel.record_place where seq >= 2;
		update gavel_sys.log_tile set hashes = substring(hashes for 64) where level = 0`)
	must(t, err)
	return setup{environ: []string{"GAVEL_MODE=test", "GAVEL_DATABASE_SYSTEM_URL=" + db.SystemURL, "GAVEL_BLOB_URL=" + store}}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestAfterARestoreFsckEndsCleanWithANamedGap promises an operator that the two
// commands of the runbook say what happened.
func TestAfterARestoreFsckEndsCleanWithANamedGap(t *testing.T) {
	at := restoredLog(t)
	if got := at.run(t, "audit", "fsck"); got.code != exitProblems || !strings.Contains(got.out, "restored from an older copy") {
		t.Errorf("before: got %+v", got)
	}
	if got := at.run(t, "audit", "resume", "--reason", "a lost disk"); got.code != exitOK || !strings.Contains(got.out, "rec_") {
		t.Errorf("resume: got %+v", got)
	}
	if got := at.run(t, "audit", "fsck"); got.code != exitOK || !strings.Contains(got.talk, "entries 2 to 2 were lost in a restore") ||
		!strings.Contains(got.talk, "a lost disk") {
		t.Errorf("after: got %+v", got)
	}
}
