package bundle_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/bundle/content"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

func TestABundleIsGenuineAndSaysWhatThatMeans(t *testing.T) {
	s := bundletest.New(t)
	id := s.Case(t, 7)
	rep := check(s.Export(t, id), s.Public)
	if got, want := rep.Verdict(), bundle.Genuine; got != want {
		t.Fatalf("got %s, want %s: %v", got, want, rep.Findings())
	}
	if rep.Case != string(id) || rep.Org != "north" || rep.Origin != bundletest.Origin || rep.Signer != s.Public || rep.MadeAt == nil {
		t.Errorf("the report is about %+v", rep)
	}
	sections := map[string]bool{}
	for _, c := range rep.Checks {
		sections[c.Section] = true
		if c.Name == "" || c.Proves == "" || c.DoesNot == "" || c.Seen == "" || c.Outcome != bundle.Holds {
			t.Errorf("check %+v does not say what it is, saw, proves and does not prove", c)
		}
	}
	for _, want := range []string{"bundle", "case", "history", "facts", "snapshots", "log"} {
		if !sections[want] {
			t.Errorf("nothing of section %s was checked", want)
		}
	}
}

func TestTheSameBundleIsAlwaysTheSameBytes(t *testing.T) {
	s := bundletest.New(t)
	b, err := s.Exporter.Export(t.Context(), bundletest.Auditor, string(s.Case(t, 7)), "")
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := b.Write(t.Context(), out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) || int64(first.Len()) != b.Size {
		t.Errorf("got %d and %d bytes, want twice the same %d", first.Len(), second.Len(), b.Size)
	}
	// An archive of the same files by other hands is the same, too.
	if again := bundletest.TakeApart(t, first.Bytes()).Pack(t); len(check(again, s.Public).Findings()) != 0 {
		t.Error("packed by other hands it is another bundle")
	}
}

func TestAnExportIsOnRecordBeforeAnythingLeaves(t *testing.T) {
	s := bundletest.New(t)
	id := s.Case(t, 7)
	b, err := s.Exporter.Export(t.Context(), bundletest.Auditor, string(id), "the tribunal's office")
	if err != nil {
		t.Fatal(err)
	}
	// Nothing was written yet, and the next bundle shows the first.
	f := bundletest.TakeApart(t, s.Export(t, id))
	i := slices.IndexFunc(bundletest.Lines(f.Files["log/records.ndjson"]),
		func(l []byte) bool { return bytes.Contains(l, []byte(b.Record)) })
	if i < 0 {
		t.Fatal("the second bundle does not hold the record of the first")
	}
	_, rec, err := audit.ParseRecord(bundletest.Lines(f.Files["log/records.ndjson"])[i])
	if err != nil {
		t.Fatal(err)
	}
	body := string(rec.Body.(json.RawMessage))
	if rec.Kind != audit.Export || rec.Actor.ID != bundletest.Auditor.ID || rec.Subject != string(id) ||
		!strings.Contains(body, b.SHA256.String()) {
		t.Errorf("got record %+v, want an export of %s", rec, b.SHA256)
	}
	if strings.Contains(body, "tribunal") {
		t.Error("the log holds who received it, who may be a person")
	}
	exports, err := s.Vault.Exports(t.Context(), orgAdmin(), seal.Subject{Type: "rider", ID: "R-7"})
	if err != nil || len(exports) != 2 || exports[0].Bundle != b.SHA256 || exports[0].To != "the tribunal's office" {
		t.Errorf("got exports %+v, %v; want both, with who received them", exports, err)
	}
}

func orgAdmin() identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p:admin", Name: "Test admin", Org: postgrestest.North,
		Roles: []identity.Role{identity.OrgAdmin}}
}

func TestOnlyWhoMayTakesACaseOut(t *testing.T) {
	s := bundletest.New(t)
	id := string(s.Case(t, 7))
	as := func(kind identity.Kind, org identity.Org, roles ...identity.Role) identity.Actor {
		return identity.Actor{Kind: kind, ID: "x", Org: org, Roles: roles}
	}
	for _, tt := range []struct {
		name  string
		actor identity.Actor
		id    string
		want  fault.Kind
	}{
		{"nobody", identity.Actor{}, id, fault.SignIn},
		{"a person without a role", as(identity.Person, "north"), id, fault.Refused},
		{"an operator", as(identity.Person, "north", identity.Operator), id, fault.Refused},
		{"a guard", as(identity.Person, "north", identity.Gate), id, fault.Refused},
		{"a program", as(identity.Machine, "north", identity.Auditor), id, fault.Refused},
		{"another organisation", as(identity.Person, "south", identity.Auditor), id, fault.NotFound},
		{"a case that is none", bundletest.Auditor, "case_no", fault.NotFound},
		{"a case that is not there", bundletest.Auditor, "case_01ARZ3NDEKTSV4RRFFQ69G5FAV", fault.NotFound},
	} {
		if _, err := s.Exporter.Export(t.Context(), tt.actor, tt.id, ""); !fault.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	if n := exportsOnRecord(t, s); n != 0 {
		t.Errorf("%d exports are on record, want none", n)
	}
}

func exportsOnRecord(t *testing.T, s *bundletest.Stage) int {
	t.Helper()
	rows, _ := s.DB.System.Query(t.Context(), `select count(*) from gavel.record where kind = 'export'`)
	n, err := pgx.CollectOneRow(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// exporter is one with other waiting manners or more sections.
func exporter(t *testing.T, s *bundletest.Stage, wait func(context.Context, time.Duration) error, more ...bundle.Section) *bundle.Exporter {
	t.Helper()
	sections := append(content.Sections(content.Sources{DB: s.DB.App, Cases: s.Cases, Evidence: s.Evidence, Blobs: s.Blobs}), more...)
	e, err := bundle.NewExporter(bundle.Config{DB: s.DB.App, System: s.DB.System, Vault: s.Vault, Rules: policy.Standard(),
		Signer:  s.Secret,
		Program: bundletest.Program, Now: time.Now, Wait: wait, Sections: sections})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestRecordsAreWaitedForAndNoLongerThanFiveSeconds(t *testing.T) {
	s := bundletest.New(t)
	id := string(s.Case(t, 7))
	waited := time.Duration(0)
	never := exporter(t, s, func(_ context.Context, d time.Duration) error { waited += d; return nil })
	if _, err := never.Export(t.Context(), bundletest.Auditor, id, ""); !fault.Is(err, fault.Unavailable) {
		t.Errorf("with no log working: got %v, want unavailable", err)
	}
	if waited != 5*time.Second {
		t.Errorf("waited %s, want 5 s", waited)
	}
	gone := errors.New("the caller went away")
	if _, err := exporter(t, s, func(context.Context, time.Duration) error { return gone }).Export(t.Context(), bundletest.Auditor, id,
		""); !errors.Is(err, gone) {
		t.Errorf("got %v, want the waiting broken off", err)
	}
	if n := exportsOnRecord(t, s); n != 0 {
		t.Errorf("%d exports are on record although nothing left", n)
	}
	if got := check(s.Export(t, s.Case(t, 8)), s.Public).Verdict(); got != bundle.Genuine {
		t.Errorf("once the log works: got %s, want genuine", got)
	}
}

// meddling is a section during whose export something happens to the case.
func meddling(happen func(ctx context.Context, req bundle.Request) error) bundle.Section {
	return bundle.Section{Name: "meddling", Title: "Something happens", Version: 1,
		Export: func(ctx context.Context, w *bundle.Writer, req bundle.Request) error {
			if err := happen(ctx, req); err != nil {
				return err
			}
			return w.Text("empty.txt", nil)
		},
		Verify: func(_ *bundle.Reader, rep *bundle.Report) { rep.Check("nothing", "nothing", "anything").Saw("nothing") }}
}

func TestACaseThatMovesIsReadAgainUntilItIsOfOneMoment(t *testing.T) {
	s := bundletest.New(t)
	drain := func(ctx context.Context, _ time.Duration) error { _, err := s.Log.Drain(ctx); return err }
	calls := 0
	moving := meddling(func(ctx context.Context, req bundle.Request) error {
		if calls++; calls > 1 {
			return nil
		}
		_, err := s.Evidence.Derive(ctx, bundletest.Analyst, caseID(req), "sum", "F1", "F2")
		return err
	})
	b, err := exporter(t, s, drain, moving).Export(t.Context(), bundletest.Auditor, string(s.Case(t, 7)), "")
	if err != nil || calls != 2 {
		t.Fatalf("got %v after %d readings, want the second to do", err, calls)
	}
	var out bytes.Buffer
	if err := b.Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	rep := bundletest.Verify(out.Bytes(), bundle.Options{Sections: append(bundletest.Known(), moving), Keys: []audit.Verifier{s.Public}})
	if got := rep.Verdict(); got != bundle.Genuine {
		t.Errorf("got %s, want genuine: %v", got, rep.Findings())
	}
	restless := meddling(func(ctx context.Context, req bundle.Request) error {
		return s.Cases.Note(ctx, bundletest.Analyst, caseID(req), "", "and again")
	})
	if _, err := exporter(t, s, drain, restless).Export(t.Context(), bundletest.Auditor, string(s.Case(t, 8)), ""); !fault.Is(err,
		fault.Unavailable) {
		t.Errorf("a case that never rests: got %v, want unavailable", err)
	}
}

func TestWhatIsErasedStaysVerifiableAndUnreadable(t *testing.T) {
	s := bundletest.New(t)
	id := s.Case(t, 7)
	before := s.Export(t, id)
	_, err := s.Vault.Erase(t.Context(), orgAdmin(), seal.Request{Subject: seal.Subject{Type: "rider", ID: "R-7"}, Ground: seal.OnRequest})
	if err != nil {
		t.Fatal(err)
	}
	after := s.Export(t, id)
	for name, data := range map[string][]byte{"the older bundle": before, "a fresh bundle": after} {
		if rep := check(data, s.Public); rep.Verdict() != bundle.Genuine {
			t.Errorf("%s: got %s, want genuine: %v", name, rep.Verdict(), rep.Findings())
		}
		for file, body := range bundletest.TakeApart(t, data).Files {
			if bytes.Contains(body, []byte("not on the van")) {
				t.Errorf("%s: %s tells what was sealed", name, file)
			}
		}
	}
}

// TestASnapshotOfNothingButZerosIsNoTrap promises that what Export makes of the
// oddest bytes can be opened: bytes that pack too well are not packed.
func TestASnapshotOfNothingButZerosIsNoTrap(t *testing.T) {
	const size = 112 << 20
	s := bundletest.New(t)
	id := s.Case(t, 7)
	snap, err := s.Evidence.Take(t.Context(), bundletest.Analyst, evidence.Receipt{Source: "cpcb"}, io.LimitReader(zeros{}, size))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Evidence.Put(t.Context(), bundletest.Analyst, id, evidence.Putting{SHA256: snap.SHA256, Title: "Zeros"}); err != nil {
		t.Fatal(err)
	}
	data := s.Export(t, id)
	if rep := check(data, s.Public); rep.Verdict() != bundle.Genuine || len(data) < size {
		t.Errorf("got %s of %d bytes, want a genuine bundle that holds them unpacked: %v", rep.Verdict(), len(data), rep.Findings())
	}
}

type zeros struct{}

// Read has no end.
func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestWhoMayTakeACaseOutIsPolicysWord promises that no role in the code lets
// anybody export: without policies nobody may.
func TestWhoMayTakeACaseOutIsPolicysWord(t *testing.T) {
	s := bundletest.New(t)
	e, err := bundle.NewExporter(bundle.Config{DB: s.DB.App, System: s.DB.System, Vault: s.Vault, Signer: s.Secret,
		Program: "gavel test", Now: time.Now, Wait: func(context.Context, time.Duration) error { return nil },
		Sections: content.Sections(content.Sources{})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Export(t.Context(), bundletest.Auditor, "case_01ARZ3NDEKTSV4RRFFQ69G5FAV", ""); !fault.Is(err, fault.Refused) {
		t.Errorf("an auditor, with no policy: got %v, want refused", err)
	}
}
