package evidence_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/blobtest"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/blob/s3"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

func person(org identity.Org, role identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p:" + string(role), Name: "Test " + string(role), Org: org,
		Roles: []identity.Role{role}}
}

var (
	analyst = person(postgrestest.North, identity.Analyst)
	gavel   = identity.Gavel(postgrestest.North)
)

// A rig is a store on a database and a blob store of its own.
type rig struct {
	*evidence.Store
	db     *postgrestest.Database
	cases  *casefile.Store
	blobs  *blob.Store
	vault  *seal.Vault
	folder string // of the blobs
}

var testSources = []evidence.Source{
	{Name: "cpcb", Title: "CPCB stations", Licence: "as published", ExpectedEvery: time.Hour, Without: "no surge is seen"},
	{Name: "small", Title: "A source with a bound", Licence: "ours", MaxBytes: 10},
	{Name: "riders", Title: "Riders' answers", Licence: "internal", Personal: true},
}

func newRig(t testing.TB) *rig {
	t.Helper()
	folder := t.TempDir()
	backend, err := disk.Open("file://" + folder)
	if err != nil {
		t.Fatal(err)
	}
	r := rigOn(t, backend)
	r.folder = folder
	return r
}

func s3Rig(t testing.TB) *rig {
	t.Helper()
	a := blobtest.S3(t)
	u, err := url.Parse(a.URL)
	if err != nil {
		t.Fatal(err)
	}
	backend, err := s3.Open(u.JoinPath("test", rand.Text()).String(), a.AccessKey, a.SecretKey)
	if err != nil {
		t.Fatal(err)
	}
	return rigOn(t, backend)
}

func rigOn(t testing.TB, backend blob.Backend) *rig {
	t.Helper()
	r := &rig{blobs: blob.New(backend, blob.Config{})}
	r.db = postgrestest.New(t, migrationSets()...)
	masters, err := seal.ParseMasters(seal.NewMaster("m1"))
	if err != nil {
		t.Fatal(err)
	}
	if r.vault, err = seal.New(seal.Config{DB: r.db.App, Blobs: r.blobs, Masters: masters, Now: time.Now,
		Rules: policy.Standard()}); err != nil {
		t.Fatal(err)
	}
	r.cases = casefile.NewStore(casefile.Config{DB: r.db.App, Rules: policy.Standard()})
	r.Store, err = evidence.New(evidence.Config{DB: r.db.App, Blobs: r.blobs, Rules: policy.Standard(), Vault: r.vault,
		Sources: testSources, Code: "test-1"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func migrationSets() []postgres.MigrationSet {
	return []postgres.MigrationSet{outbox.Migrations(), casefile.Migrations(), audit.Migrations(), seal.Migrations(), evidence.Migrations()}
}

func TestOrganisationsAreKeptApartInEveryTable(t *testing.T) {
	postgrestest.Walls(t, migrationSets()...)
}

func (r *rig) openCase(t testing.TB, key string) casefile.CaseID {
	t.Helper()
	c, _, err := r.cases.Open(t.Context(), analyst, casefile.Opening{App: "general", Key: key, Title: "Look into " + key})
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}

func (r *rig) take(t testing.TB, content string) evidence.Snapshot {
	t.Helper()
	snap, err := r.Take(t.Context(), gavel, evidence.Receipt{Source: "cpcb"}, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func (r *rig) record(t testing.TB, id casefile.CaseID, drafts ...fact.Fact) []fact.Fact {
	t.Helper()
	out, err := r.Record(t.Context(), gavel, id, drafts...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (r *rig) count(t testing.TB, sql string, args ...any) (n int) {
	t.Helper()
	rows, _ := r.db.System.Query(t.Context(), sql, args...)
	n, err := pgx.CollectOneRow(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// admin runs a statement past every wall and trigger, as a thief with the
// superuser's password could.
func (r *rig) admin(t testing.TB, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), r.db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	for _, s := range []struct {
		sql  string
		args []any
	}{{"set session_replication_role = replica", nil}, {sql, args}} {
		if _, err := conn.Exec(t.Context(), s.sql, s.args...); err != nil {
			t.Fatalf("%s: %v", s.sql, err)
		}
	}
}

// records are the bodies of the log's records of a kind, oldest first.
func (r *rig) records(t testing.TB, kind audit.Kind) []map[string]any {
	t.Helper()
	rows, _ := r.db.System.Query(t.Context(), `select json::json->>'body' from gavel.record where kind = $1 order by id`, kind)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	out := make([]map[string]any, len(texts))
	for i, text := range texts {
		if err := json.Unmarshal([]byte(text), &out[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// blobFile is where the disk keeps a blob.
func (r *rig) blobFile(d blob.Digest) string {
	hex := d.String()
	return filepath.Join(r.folder, "blobs", hex[:2], hex[2:4], hex)
}

func (r *rig) damage(t testing.TB, d blob.Digest, content string) {
	t.Helper()
	path := r.blobFile(d)
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// readings is a CSV of n rows of one column, the value of row i being from(i).
func readings(n int, from func(i int) string) string {
	var b strings.Builder
	b.WriteString("row,val\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "%d,%s\n", i, from(i))
	}
	return b.String()
}

// cell is the draft of a fact read from such a CSV.
func cell(t testing.TB, snap evidence.Snapshot, row int, number string) fact.Fact {
	t.Helper()
	f, err := fact.Read(fact.Reading{
		Kind: fact.Observed, Number: number, Unit: "Mt CO2-e", Decimals: 2, AsOf: time.Date(2026, 11, 14, 23, 0, 0, 123456789,
			time.FixedZone("IST", 19800)),
		Subject: fact.Subject{Type: "sector", IDs: map[string]string{"sector": fmt.Sprint(row), "year": "2030"},
			Names: fact.Names{EN: []string{"Sector"}, HI: []string{"क्षेत्र"}}},
		Source: fact.Source{Snapshot: snap.SHA256.String(), Selector: fact.Selector{CSV: &fact.CSVCell{Row: row, Column: "val"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func with(f fact.Fact, change func(*fact.Fact)) fact.Fact { change(&f); return f }

func digestOf(t testing.TB, f fact.Fact) blob.Digest {
	t.Helper()
	d, err := blob.Parse(f.Source.Snapshot)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
