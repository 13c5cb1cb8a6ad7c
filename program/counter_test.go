package program

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// A counter is a real server on a database of its own, with a case in which
// things are proposed. Nobody has done anything in the organisation south. The
// engine is away: people decide all the same.
type counter struct {
	t       *testing.T
	db      *postgrestest.Database
	environ []string // of the server
	base    string
	file    string // id of the case
	n       *int
	kept    *string // a record
	dir     string  // for files
}

// part runs a part of a test at the counter.
func (k *counter) part(t *testing.T, name string, run func(k *counter, t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		mine := *k
		mine.t = t
		run(&mine, t)
	})
}

// colleague is somebody of north whom the office has let in.
const colleague = "p_01K5ZJ3W8Q6X9V2T4N7M1B0CD3"

func newCounter(t *testing.T, more ...string) *counter {
	t.Helper()
	k := &counter{t: t, n: new(int), kept: new(string), dir: t.TempDir(), db: postgrestest.New(t, builtIn().migrations()...)}
	k.environ = append(append(settingsFor(t, k.db), "GAVEL_HOOKS_LOOPBACK=on"), more...)
	p := start(t, k.environ, "serve")
	t.Cleanup(func() {
		if code := p.ends(t, errTerminated); code != 0 {
			t.Errorf("the server ended with code %d\n%s", code, p.log)
		}
	})
	k.base = fmt.Sprint("http://", p.said(t, "listening")["address"])
	awaitReady(t, k.base)
	k.file = strings.TrimSpace(k.as(identity.Officer).run(t, "case", "open", "--title", "Smoke over Jind", "-o", "name").out)
	k.exec(`insert into gavel.person (org, id, issuer, subject, name, email, roles, first_seen_at, last_seen_at)
		values ('north', '` + colleague + `', 'office', 'asha', 'Asha', 'asha@example.org', '{officer}', now(), now())`)
	return k
}

func (k *counter) exec(sql string) {
	k.t.Helper()
	err := k.db.App.InOrg(k.t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, err := tx.Exec(k.t.Context(), sql)
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
}

// as is the command line of somebody in north.
func (k *counter) as(role identity.Role) setup { return k.of(postgrestest.North, role) }

func (k *counter) of(org identity.Org, role identity.Role) setup {
	return setup{environ: append(append([]string{}, k.environ...), "HOME="+k.t.TempDir(), "GAVEL_SERVER="+k.base,
		"GAVEL_TOKEN="+devTokenOf(k.t, org, role))}
}

// propose opens a proposal that an officer decides: a note, which is routine,
// unless an edit says otherwise.
func (k *counter) propose(edits ...func(*review.Proposal)) string {
	k.t.Helper()
	*k.n++
	args := fmt.Appendf(nil, `{"text":"line one\nline two","to":"rider %d"}`, *k.n)
	p := review.Proposal{Org: postgrestest.North, Case: k.file, Kind: "call", App: "general", Tool: "note_roster", Effect: act.Write,
		Key: fmt.Sprintf("run_1/c%d", *k.n), Run: "run_1", Call: fmt.Sprintf("c%d", *k.n), Gate: review.ByAnother, Args: args,
		ArgsSHA256: act.Digest(args),
		Shown: fmt.Appendf(nil, `{"agent":"clerk","args":%s,"line":"Note what rider %d said","said":"He called at nine."}`, args,
			*k.n), RequestedBy: "agent:general/clerk", Deciders: []identity.Role{identity.Officer}, PolicyRecord: "rec_1",
		CreatedAt: time.Now(), ExpiresAt: time.Now().Add(50 * time.Hour)}
	for _, edit := range edits {
		edit(&p)
	}
	p.ShownSHA256 = act.Digest(p.Shown)
	err := k.db.App.InOrg(k.t.Context(), p.Org, func(tx pgx.Tx) error {
		var b pgx.Batch
		if err := review.ProposeLater(&b, &p); err != nil {
			return err
		}
		return tx.SendBatch(k.t.Context(), &b).Close()
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return p.ID
}

// mail makes a proposal one that leaves the house; undoable gives it a window,
// and byTwo wants two signatures.
func mail(p *review.Proposal)     { p.Tool, p.Effect = "send_letter", act.Outside }
func undoable(p *review.Proposal) { p.Undo = 5 * time.Minute }
func byTwo(p *review.Proposal) {
	p.Required, p.Deciders = 2, []identity.Role{identity.Officer, identity.ProgrammeManager}
}

// approved is a proposal that was approved and can be undone.
func (k *counter) approved() string {
	k.t.Helper()
	id := k.propose(undoable)
	if got := k.as(identity.Officer).run(k.t, "approve", id, "--yes"); got.code != 0 {
		k.t.Fatalf("approve %s: %+v", id, got)
	}
	return id
}

// opened is another case.
func (k *counter) opened() string {
	k.t.Helper()
	*k.n++
	return strings.TrimSpace(k.as(identity.Officer).run(k.t, "case", "open", "--title", fmt.Sprint("Case ", *k.n), "-o", "name").out)
}

// state is how far a proposal has come, as the command line tells a program.
func (k *counter) state(id string) string {
	k.t.Helper()
	return strings.TrimSpace(k.as(identity.Officer).run(k.t, "show", id, "--jq", ".state").out)
}

// bundle is a case in a file, made once.
func (k *counter) bundle() string {
	k.t.Helper()
	file := filepath.Join(k.dir, "case.zip")
	if _, err := os.Stat(file); err == nil {
		return file
	}
	if got := k.as(identity.Officer).run(k.t, "bundle", "export", k.opened(), "-f", file); got.code != 0 {
		k.t.Fatalf("bundle: %+v", got)
	}
	return file
}

// hold is a legal hold that was placed.
func (k *counter) hold() string {
	k.t.Helper()
	return strings.TrimSpace(k.as(identity.OrgAdmin).run(k.t, "subject", "hold", "rider:R-9", "--reason", "appeal", "-o", "name").out)
}

// pause is the id of a pause that is on.
func (k *counter) pause() string {
	k.t.Helper()
	return strings.TrimSpace(k.as(identity.OrgAdmin).run(k.t, "pause", "app:poolpatrol", "--reason", "wrong list", "-o", "name").out)
}

// delegation is one of the officer's, to a colleague.
func (k *counter) delegation() string {
	k.t.Helper()
	got := k.as(identity.Officer).run(k.t, "delegation", "add", "--to", colleague, "--until", "72h", "-o", "name")
	if got.code != 0 {
		k.t.Fatalf("delegate: %+v", got)
	}
	return strings.TrimSpace(got.out)
}

// device is one that was paired.
func (k *counter) device() {
	k.t.Helper()
	*k.n++
	admin := k.as(identity.OrgAdmin)
	code := strings.TrimSpace(admin.run(k.t, "device", "pair", fmt.Sprint("Gate ", *k.n), "--jq", ".code").out)
	if got := admin.run(k.t, "api", "POST", "/v1/devices/pair", "-f", "code="+code); got.code != 0 {
		k.t.Fatalf("pair: %+v", got)
	}
}

// policies is a folder with the policies that are in force.
func (k *counter) policies() string {
	k.t.Helper()
	dir := filepath.Join(k.t.TempDir(), "policies")
	if got := k.as(identity.OrgAdmin).run(k.t, "policy", "files", "--to", dir); got.code != 0 {
		k.t.Fatalf("policies: %+v", got)
	}
	return dir
}

// record is one that the log has taken in.
func (k *counter) record() string {
	k.t.Helper()
	officer := k.as(identity.Officer)
	if *k.kept == "" {
		*k.kept = strings.TrimSpace(officer.run(k.t, "show", k.approved(), "--jq", ".decisions[0].record").out)
	}
	wait.Until(k.t, "the log has taken "+*k.kept+" in", func() bool { return officer.run(k.t, "audit", "verify", *k.kept).code != 1 })
	return *k.kept
}

// nextKey is the public half of a key that would follow the log's.
func (k *counter) nextKey() string {
	k.t.Helper()
	_, public, err := audit.NewKey("gavel.invalid/test")
	if err != nil {
		k.t.Fatal(err)
	}
	return string(public)
}
