package program

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// restored is an installation with one case that waits for a person, whose database
// was put back: as it is then, with a recovery that is on, or after one.
func restored(how string) func(t *testing.T) setup {
	return func(t *testing.T) setup {
		t.Helper()
		at, _ := restoredAt(t, how)
		return at
	}
}

func restoredAt(t *testing.T, how string) (setup, *postgrestest.Database) {
	t.Helper()
	db := postgrestest.New(t, builtIn().migrations()...)
	conn, err := pgx.Connect(t.Context(), db.AdminURL)
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `set session_replication_role = replica;
		insert into gavel.case (org, id, app, key, ref, title, state, status, opened_at, version)
		values ('north', 'case_01K5ZJ3W8Q6X9V2T4N7M1B0CDE', 'general', 'van-1', 'CASE-1', 'A van', 'waiting', 'asked', now(), 1);
		insert into gavel.case_entry (org, case_id, seq, key, kind, at, actor_kind, actor_id, actor_name, body, salt)
			values ('north', 'case_01K5ZJ3W8Q6X9V2T4N7M1B0CDE', 1, 'opened', 'opened', now() + interval '1 day', 'system', 'gavel', '', '',
			decode(repeat('00', 16), 'hex'))`)
	must(t, err)
	at := setup{environ: []string{"GAVEL_MODE=test", "GAVEL_DATABASE_SYSTEM_URL=" + db.SystemURL}}
	for _, args := range [][]string{{"recover", "begin", "--engine", "same", "--reason", "a lost disk"}, {"recover", "end", "--settle",
		"0s", "--reason", "looked at"}} {
		if how == "" || how == "on" && args[1] == "end" {
			break
		}
		if got := at.run(t, args...); got.code != exitOK {
			t.Fatalf("%v: got %+v", args, got)
		}
	}
	return at, db
}

// TestAnOperatorRecoversAnInstallation walks through the commands of the runbook.
func TestAnOperatorRecoversAnInstallation(t *testing.T) {
	at, db := restoredAt(t, "")
	server, err := postgres.Open(t.Context(), postgres.Called(db.AppURL, serveName))
	must(t, err)
	must(t, server.Ping(t.Context()))
	begin := []string{"recover", "begin", "--engine", "same", "--reason", "a lost disk", "--by", "asha"}
	if got := at.run(t, begin...); got.code != exitConflict || !strings.Contains(got.talk, "stop every server and worker") {
		t.Errorf("beside a server: got %+v", got)
	}
	server.Close()
	if got := at.run(t, begin...); got.code != exitOK || !strings.Contains(got.out, "recovery_") || !strings.Contains(got.out, "asha") {
		t.Errorf("begin: got %+v", got)
	}
	if got := at.run(t, begin...); got.code != exitOK || !strings.Contains(got.talk, "on already") {
		t.Errorf("again: got %+v", got)
	}
	if got := at.run(t, "recover", "end", "--reason", "in a hurry"); got.code != exitConflict ||
		!strings.Contains(got.talk, "let servers and workers run") {
		t.Errorf("too soon: got %+v", got)
	}
	if got := at.run(t, "recover", "end", "--reason", "looked at", "--settle", "0s"); got.code != exitOK {
		t.Errorf("end: got %+v", got)
	}
	if got := at.run(t, "recover", "cases"); got.code != exitOK || !strings.Contains(got.out, "CASE-1") {
		t.Errorf("cases: got %+v", got)
	}
	if got := at.run(t, "recover", "free", "CASE-1", "--org", "north", "--reason", "nothing of it left"); got.code != exitOK {
		t.Errorf("free: got %+v", got)
	}
	if got := at.run(t, "recover", "cases"); got.code != exitOK || got.out != "" {
		t.Errorf("cases after that: got %+v", got)
	}
}
