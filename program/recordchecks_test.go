package program

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

// TestTheGuideNamesEverythingTheDoctorLooksAt promises that the operator's table is
// the doctor's own list.
func TestTheGuideNamesEverythingTheDoctorLooksAt(t *testing.T) {
	guide, err := os.ReadFile("../docs/guide/operator.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(guide), "\n### What the doctor looks at\n")
	if !found {
		t.Fatal("the operator's guide has no table of what the doctor looks at")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	for _, c := range (&cli{apps: builtIn()}).checks(loadConfig(t)) {
		if !strings.Contains(table, "\n| "+c.Group+" |") {
			t.Errorf("the guide does not name %s (%s)", c.Group, c.Name)
		}
	}
}

// TestWhatIsOnRecordIsNotSaidToBeWellUnseen promises that a machine without the
// system role's address says that it looked at nothing.
func TestWhatIsOnRecordIsNotSaidToBeWellUnseen(t *testing.T) {
	checks := (&cli{apps: builtIn()}).recordChecks(loadConfig(t))
	if len(checks) < 7 {
		t.Fatalf("only %d checks", len(checks))
	}
	for _, f := range doctor.Run(t.Context(), checks, time.Minute) {
		if f.Status != doctor.OK || !strings.Contains(f.Detail, "not checked: the system role's address is not configured") {
			t.Errorf("%s: got %+v", f.Group, f)
		}
	}
}

// recordFaults are one fault for each line about what is on record, as a superuser
// makes them.
const recordFaults = `
	set session_replication_role = replica;
	insert into gavel_sys.log_checkpoint (size, n, note) values (1, 1, 'not a checkpoint');
	insert into gavel_sys.log_queue (org, record_id) values ('north', 'rec_01K00000000000000000000000');
	insert into gavel.mail (org, id, key, kind, recipient, thread, message_id, reply_to, in_reply_to, refs, language, automatic, because,
	sealed, args_sha256,
		state, tries, queued_at, ended_at)
	values ('north', 'mail_01K00000000000000000000000', 'k', 'notice', 'staff:p_1', '', 'id@mail.example', '', '', '{}', 'en', false, 'P-1',
	'', repeat('0', 64),
		'unknown', 1, now(), now());
	insert into gavel.webhook (org, id, url, title, kinds, state, reason, owner_id, made_at, changed_at, place)
	values ('north', 'hook_01K00000000000000000000000', 'https://example.org/secret', 'The register', '{case}', 'failed', 'server', 'p_1',
	now(), now(), 0);
	insert into gavel_sys.recovery (id, engine, reason, by_id, at, acts, letters, word, anew)
	values ('recovery_01K00000000000000000000000', 'same', 'x', 'x', now(), 0, 0, 0, 0);
	insert into gavel.fetch (org, id, sha256, source, fetched_at, told, place, licence, actor_kind, actor_id, record_id)
	values ('north', 'snap_01K00000000000000000000000', repeat('0', 64), 'data-gov-in', now() - interval '1 day', '', '', '', 'system',
	'gavel', 'rec_1');
	insert into gavel.seal_key (org, id, owner, master, wrapped, made_at)
	values ('north', 'key_01K00000000000000000000000', 'rider:R-7', 'gone', decode(repeat('00', 60), 'hex'), now())`

// TestEachFaultOnRecordIsNamedWithItsCure promises that the doctor, as it is put
// together here, finds an installation well, and then each fault that was seeded.
func TestEachFaultOnRecordIsNamedWithItsCure(t *testing.T) {
	c := &cli{apps: builtIn()}
	db := postgrestest.New(t, c.apps.migrations()...)
	cfg := loadConfig(t, "GAVEL_MODE=test", "GAVEL_DATABASE_SYSTEM_URL="+db.SystemURL, "GAVEL_BLOB_URL=file://"+t.TempDir(),
		"GAVEL_SEAL_KEYS="+seal.NewMaster("m1"))
	for _, f := range doctor.Run(t.Context(), c.recordChecks(cfg), time.Minute) {
		if f.Status != doctor.OK || strings.Contains(f.Detail, "not checked") {
			t.Errorf("before: got %+v", f)
		}
	}
	admin, err := pgx.Connect(t.Context(), db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	if _, err := admin.Exec(t.Context(), recordFaults); err != nil {
		t.Fatal(err)
	}
	store, err := openBlob(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.PutNamed(t.Context(), "log/latest", []byte("not a checkpoint either"), ""); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		group  string
		status doctor.Status
		fix    string
	}{
		{"Log", doctor.Fail, "docs/runbook/log-damaged.md"},
		{"Log", doctor.Fail, "docs/runbook/log-damaged.md"},
		{"Log", doctor.Warn, "gavel serve"},
		{"Letters", doctor.Warn, "docs/runbook/mail-not-going.md"},
		{"Recovery", doctor.Warn, "docs/runbook/restore.md"},
		{"Webhooks", doctor.Warn, "gavel webhook list"},
		{"Sources", doctor.Warn, "docs/runbook/source-silent.md"},
		{"Keys", doctor.Fail, "GAVEL_SEAL_KEYS"},
	}
	found := doctor.Run(t.Context(), c.recordChecks(cfg), time.Minute)
	if len(found) != len(want) {
		t.Fatalf("got %d findings, want %d", len(found), len(want))
	}
	for i, f := range found {
		if f.Group != want[i].group || f.Status != want[i].status || !strings.Contains(f.Fix, want[i].fix) ||
			strings.Contains(f.Detail, "/secret") {
			t.Errorf("got %+v, want %+v", f, want[i])
		}
	}
}
