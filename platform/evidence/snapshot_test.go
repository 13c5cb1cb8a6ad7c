package evidence_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

func TestASnapshotIsTheBytesAsReceived(t *testing.T) {
	for name, open := range map[string]func(testing.TB) *rig{"disk": newRig, "s3": s3Rig} {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			content, began := "\xef\xbb\xbfrow,val\r\n1,411.6\r\n\xff", time.Now()
			got, err := r.Take(t.Context(), analyst, evidence.Receipt{
				Source: "cpcb", ContentType: "text/plain; charset=utf-8",
				Place: "https://user:hunter2@example.org/a.csv?api_key=hunter2&day=14#x",
			}, iotest.OneByteReader(strings.NewReader(content)))
			if err != nil {
				t.Fatal(err)
			}
			want := evidence.Snapshot{
				ID: got.ID, SHA256: blob.Sum([]byte(content)), Size: int64(len(content)), Source: "cpcb", FetchedAt: got.FetchedAt,
				Told: "text/plain; charset=utf-8", Detected: "text/csv", Licence: "as published",
				Place: "https://example.org/a.csv?api_key=…&day=14", ActorKind: identity.Person, ActorID: "p:analyst", Record: got.Record,
			}
			if got != want || got.FetchedAt.Before(began.Truncate(time.Microsecond)) || got.FetchedAt.After(time.Now()) {
				t.Errorf("got\n%+v\nwant\n%+v", got, want)
			}
			again, err := r.Snapshot(t.Context(), analyst.Org, got.ID)
			if err != nil || again != want {
				t.Errorf("read back: got %+v, %v", again, err)
			}
			body, err := r.Open(t.Context(), analyst.Org, got.SHA256)
			if err != nil {
				t.Fatal(err)
			}
			defer body.Close()
			if data, err := io.ReadAll(body); err != nil || string(data) != content {
				t.Errorf("opened: got %q, %v", data, err)
			}
			recs := r.records(t, audit.Snapshot)
			if len(recs) != 1 || recs[0]["sha256"] != want.SHA256.String() || recs[0]["source"] != "cpcb" {
				t.Errorf("the log says %v", recs)
			}
		})
	}
}

func TestTheSameBytesAgainAreAnotherFetchOfOneSnapshot(t *testing.T) {
	r := newRig(t)
	first, second := r.take(t, "a,b\n"), r.take(t, "a,b\n")
	if first.ID == second.ID || first.SHA256 != second.SHA256 || first.Record == second.Record {
		t.Errorf("got %+v and %+v", first, second)
	}
	list, err := r.Snapshots(t.Context(), analyst.Org, evidence.SnapshotQuery{SHA256: first.SHA256})
	if err != nil || len(list) != 2 || list[0] != second || list[1] != first {
		t.Errorf("got %v, %v; want both, the newest first", list, err)
	}
	if n := r.count(t, `select count(*) from gavel.snapshot`); n != 1 {
		t.Errorf("%d rows of bytes, want 1", n)
	}
	if got, err := r.Received(t.Context(), analyst.Org, first.SHA256); err != nil || got != first {
		t.Errorf("got %+v, %v; want the first", got, err)
	}
}

func TestARepeatedStepIsOneSnapshot(t *testing.T) {
	r := newRig(t)
	ids := make([]evidence.SnapshotID, 8)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			// Each attempt sees other bytes, as a source that changes would give.
			snap, err := r.Take(t.Context(), gavel, evidence.Receipt{Source: "cpcb", Once: "run-1/fetch"},
				strings.NewReader(strings.Repeat("x", i+1)))
			if err != nil {
				t.Error(err)
			}
			ids[i] = snap.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("got %s and %s", ids[0], id)
		}
	}
	if n := r.count(t, `select count(*) from gavel.fetch`); n != 1 || len(r.records(t, audit.Snapshot)) != 1 {
		t.Errorf("%d fetches and %d records, want 1", n, len(r.records(t, audit.Snapshot)))
	}
	unread := iotest.ErrReader(errors.New("asked twice"))
	if _, err := r.Take(t.Context(), gavel, evidence.Receipt{Source: "cpcb", Once: "run-1/fetch"}, unread); err != nil {
		t.Errorf("a repeat reads the source again: %v", err)
	}
}

func TestWhatWasNotReceivedWholeIsNotOnRecord(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		name  string
		actor identity.Actor
		rc    evidence.Receipt
		body  io.Reader
		want  fault.Kind
	}{
		{"a source that breaks", gavel, evidence.Receipt{Source: "cpcb"}, io.MultiReader(strings.NewReader("a"),
			iotest.ErrReader(errors.New("cut"))), fault.Internal},
		{"over the source's bound", gavel, evidence.Receipt{Source: "small"}, strings.NewReader("12345678901"), fault.TooLarge},
		{"an unknown source", gavel, evidence.Receipt{Source: "nosuch"}, strings.NewReader("a"), fault.Invalid},
		{"nobody", identity.Actor{}, evidence.Receipt{Source: "cpcb"}, strings.NewReader("a"), fault.SignIn},
		{"an auditor", person(postgrestest.North, identity.Auditor), evidence.Receipt{Source: "cpcb"}, strings.NewReader("a"),
			fault.Refused},
		{"personal bytes of nobody", gavel, evidence.Receipt{Source: "riders"}, strings.NewReader("a"), fault.Invalid},
		{"persons in public bytes", gavel, evidence.Receipt{Source: "cpcb", Subjects: []seal.Subject{{Type: "rider", ID: "R-7"}}},
			strings.NewReader("a"), fault.Invalid},
		{"a long type", gavel, evidence.Receipt{Source: "cpcb", ContentType: strings.Repeat("x", 201)}, strings.NewReader("a"),
			fault.TooLarge},
		{"a type with a zero byte", gavel, evidence.Receipt{Source: "cpcb", ContentType: "a\x00b"}, strings.NewReader("a"), fault.Invalid},
	} {
		if _, err := r.Take(t.Context(), tt.actor, tt.rc, tt.body); !fault.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	if n := r.count(t, `select count(*) from gavel.fetch`); n != 0 || len(r.records(t, audit.Snapshot)) != 0 {
		t.Errorf("%d fetches on record, want none", n)
	}
}

func TestAnotherOrganisationsBytesAreNotFound(t *testing.T) {
	r := newRig(t)
	snap := r.take(t, "north only")
	for name, read := range map[string]func() error{
		"open":     func() error { _, err := r.Open(t.Context(), postgrestest.South, snap.SHA256); return err },
		"received": func() error { _, err := r.Received(t.Context(), postgrestest.South, snap.SHA256); return err },
		"snapshot": func() error { _, err := r.Snapshot(t.Context(), postgrestest.South, snap.ID); return err },
	} {
		if err := read(); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: got %v, want not found", name, err)
		}
	}
}

func TestDamagedBytesAreNotPassedOffAsGenuine(t *testing.T) {
	r := newRig(t)
	snap := r.take(t, "row,val\n1,411.6\n")
	r.damage(t, snap.SHA256, "row,val\n1,911.6\n")
	body, err := r.Open(t.Context(), analyst.Org, snap.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if _, err := io.ReadAll(body); !errors.Is(err, blob.ErrDamaged) {
		t.Errorf("got %v, want damaged", err)
	}
}

func TestPersonalBytesAreKeptSealedAndCanBeErased(t *testing.T) {
	r := newRig(t)
	rider := seal.Subject{Type: "rider", ID: "R-7"}
	const content = "row,val\n1,17\nMeera Example\n"
	snap, err := r.Take(t.Context(), gavel, evidence.Receipt{
		Source: "riders", Subjects: []seal.Subject{rider}, Place: "https://mail.example.org/inbox/meera.example?id=9",
	}, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(r.blobFile(snap.SHA256))
	if err != nil || bytes.Contains(raw, []byte("Meera")) || int64(len(raw)) != snap.Size || blob.Sum(raw) != snap.SHA256 {
		t.Errorf("stored %d bytes of %d, %v; want an envelope at its own hash", len(raw), snap.Size, err)
	}
	if snap.Place != "https://mail.example.org" || !snap.Sealed() {
		t.Errorf("got place %q, sealed %v", snap.Place, snap.Sealed())
	}
	body, err := r.Open(t.Context(), analyst.Org, snap.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(body); err != nil || string(data) != content {
		t.Errorf("opened: got %q, %v", data, err)
	}
	id := r.openCase(t, "van-14")
	kept := r.record(t, id, cell(t, snap, 1, "17"))
	if v, err := r.Check(t.Context(), analyst.Org, kept[0]); err != nil || v.Outcome != "pass" {
		t.Errorf("a fact from sealed bytes: got %+v, %v", v, err)
	}
	admin := person(postgrestest.North, identity.OrgAdmin)
	if _, err := r.vault.Erase(t.Context(), admin, seal.Request{Subject: rider, Ground: seal.OnRequest}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Open(t.Context(), analyst.Org, snap.SHA256); !errors.Is(err, seal.ErrErased) {
		t.Errorf("after erasure: got %v, want erased", err)
	}
	if v, err := r.Check(t.Context(), analyst.Org, kept[0]); err != nil || v.Outcome != "unread" || !strings.Contains(v.Why, "erased") {
		t.Errorf("a fact from erased bytes: got %+v, %v; want unread, and why", v, err)
	}
}

func TestWhatWasReceivedStaysAsItWas(t *testing.T) {
	r := newRig(t)
	snap := r.take(t, readings(2, func(int) string { return "1" }))
	id := r.openCase(t, "k")
	r.record(t, id, cell(t, snap, 1, "1"))
	for _, url := range []string{r.db.AppURL, r.db.SystemURL, r.db.OwnerURL, r.db.AdminURL} {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		for _, sql := range []string{
			`update gavel.fact set value = 7`, `delete from gavel.fact`, `truncate gavel.fact cascade`,
			`update gavel.snapshot set size = 7`, `delete from gavel.snapshot`,
			`update gavel.fetch set source = 'given'`, `delete from gavel.fetch`,
			`update gavel.fact_use set version = 7`, `delete from gavel.fact_use`,
		} {
			tx, err := conn.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, err = tx.Exec(t.Context(), `set local gavel.org = 'north'`)
			if err == nil {
				_, err = tx.Exec(t.Context(), sql)
			}
			if err == nil || !strings.Contains(err.Error(), "42501") {
				t.Errorf("%s as %s: got %v, want refused", sql, conn.Config().User, err)
			}
			_ = tx.Rollback(t.Context())
		}
	}
}

func TestFreshnessSaysHowLateASourceIs(t *testing.T) {
	r := newRig(t)
	// An hour of this clock passes in a few milliseconds.
	fast := durable.Clock{Epoch: time.Now(), Speed: 1e6}
	store, err := evidence.New(evidence.Config{DB: r.db.App, Blobs: r.blobs, Clock: fast, Rules: policy.Standard(), Vault: r.vault,
		Sources: testSources, Code: "test"})
	if err != nil {
		t.Fatal(err)
	}
	before := fast.Now()
	if _, err := store.Take(t.Context(), gavel, evidence.Receipt{Source: "cpcb"}, strings.NewReader("abc")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // five and a half hours
	all, err := store.Freshness(t.Context(), analyst.Org)
	if err != nil || len(all) != 4 {
		t.Fatalf("got %v, %v", all, err)
	}
	given, cpcb, small := all[0], all[1], all[2]
	if given.Silent() || !given.Last.IsZero() || small.Silent() {
		t.Errorf("a source nobody waits for is called silent: %+v %+v", given, small)
	}
	if !cpcb.Silent() || cpcb.Last.Before(before.Truncate(time.Microsecond)) || cpcb.Size != 3 || cpcb.Delay < 4*time.Hour {
		t.Errorf("got %+v", cpcb)
	}
	if all, err = store.Freshness(t.Context(), postgrestest.South); err != nil || !all[1].Silent() || !all[1].Last.IsZero() {
		t.Errorf("south: got %+v, %v", all[1], err)
	}
}

func TestSourcesThatMakeNoSenseAreRefused(t *testing.T) {
	r := newRig(t)
	for name, sources := range map[string][]evidence.Source{
		"twice":                    {{Name: "cpcb", Title: "a"}, {Name: "cpcb", Title: "b"}},
		"the built-in one again":   {evidence.Given()},
		"no title":                 {{Name: "cpcb"}},
		"a malformed name":         {{Name: "CPCB", Title: "a"}},
		"personal without a vault": {{Name: "riders", Title: "a", Personal: true}},
	} {
		if _, err := evidence.New(evidence.Config{DB: r.db.App, Blobs: r.blobs, Sources: sources, Code: "test"}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
