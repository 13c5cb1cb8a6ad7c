package bundle_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
)

func caseID(req bundle.Request) casefile.CaseID { return casefile.CaseID(req.Case) }

func TestWithoutAKeyABundleIsUnproven(t *testing.T) {
	s := bundletest.New(t)
	rep := check(s.Export(t, s.Case(t, 7)))
	if got, want := rep.Verdict(), bundle.Unproven; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(rep.Findings()) != 1 || !strings.Contains(rep.Findings()[0].Text, string(s.Public)) {
		t.Errorf("got %v, want the one open question, with the key to ask for", rep.Findings())
	}
	if got := (&bundle.Report{}).Verdict(); got != bundle.Unproven {
		t.Errorf("a report without checks is %s, want unproven", got)
	}
}

// rotated is a stage whose log changed keys between two bundles of one case.
func rotated(t *testing.T, vouched bool) (before, after []byte, first, second audit.Verifier) {
	t.Helper()
	s := bundletest.New(t)
	id := s.Case(t, 7)
	before, first = s.Export(t, id), s.Public
	secret, second, err := audit.NewKey(bundletest.Origin)
	if err != nil {
		t.Fatal(err)
	}
	previous := ""
	if vouched {
		previous = s.Secret
	} else {
		s.Accept(t, second)
	}
	s.Rotate(t, secret, previous)
	if err := s.Cases.Note(t.Context(), bundletest.Analyst, id, "", "under the new key"); err != nil {
		t.Fatal(err)
	}
	return before, s.Export(t, id), first, second
}

func TestAServerWithAStrayKeySignsNoBundle(t *testing.T) {
	s := bundletest.New(t)
	id := s.Case(t, 7)
	s.Export(t, id)
	secret, _, err := audit.NewKey(bundletest.Origin)
	if err != nil {
		t.Fatal(err)
	}
	own := s.Log
	s.Rotate(t, secret, "")
	for _, waits := range []bool{false, true} { // for the log, in which case a server of the log's own may take the record in
		if waits {
			if err := s.Cases.Note(t.Context(), bundletest.Analyst, id, "", "a stray server has been started"); err != nil {
				t.Fatal(err)
			}
		}
		if b, err := s.Exporter.Export(t.Context(), bundletest.Auditor, string(id), ""); err == nil {
			t.Errorf("it signed bundle %s", b.Name)
		}
		if _, err := own.Drain(t.Context()); err != nil {
			t.Errorf("the log's own server: %v", err)
		}
	}
	if _, err := s.Exporter.Export(t.Context(), bundletest.Auditor, string(id), ""); !fault.Is(err, fault.Unavailable) ||
		!strings.Contains(err.Error(), "signs no bundle") {
		t.Errorf("with everything taken in: got %v, want that it signs none", err)
	}
}

func TestAKeyIsTrustedIfTheOneBeforeVouchesForIt(t *testing.T) {
	_, stranger, err := audit.NewKey(bundletest.Origin)
	if err != nil {
		t.Fatal(err)
	}
	before, after, first, second := rotated(t, true)
	_, alone, firstAlone, secondAlone := rotated(t, false)
	for _, tt := range []struct {
		name string
		data []byte
		keys []audit.Verifier
		want bundle.Verdict
	}{
		{"the key of the time", before, []audit.Verifier{first}, bundle.Genuine},
		{"a later key for an older bundle", before, []audit.Verifier{second}, bundle.Altered}, // it says nothing about what came before it
		{"the new key", after, []audit.Verifier{second}, bundle.Genuine},
		{"the old key, which vouches for the new one", after, []audit.Verifier{first}, bundle.Genuine},
		{"somebody else's key", after, []audit.Verifier{stranger}, bundle.Altered},
		{"somebody else's key beside the right one", after, []audit.Verifier{stranger, second}, bundle.Genuine},
		{"no key", after, nil, bundle.Unproven},
		{"a new key that nobody vouched for, by the old one", alone, []audit.Verifier{firstAlone}, bundle.Altered},
		{"a new key that nobody vouched for, by itself", alone, []audit.Verifier{secondAlone}, bundle.Genuine},
	} {
		if rep := check(tt.data, tt.keys...); rep.Verdict() != tt.want {
			t.Errorf("%s: got %s, want %s: %v", tt.name, rep.Verdict(), tt.want, rep.Findings())
		}
	}
}

func TestTheOldKeyDoesNotVouchForAForgersKey(t *testing.T) {
	s := bundletest.New(t)
	f := bundletest.TakeApart(t, s.Export(t, s.Case(t, 7)))
	secret, forged, err := audit.NewKey(bundletest.Origin)
	if err != nil {
		t.Fatal(err)
	}
	addTerm(t, f, forged)
	f.SignWith(t, secret)
	rep := check(f.Pack(t), s.Public)
	if rep.Verdict() != bundle.Altered {
		t.Fatalf("got %s, want altered", rep.Verdict())
	}
	found := false
	for _, one := range rep.Findings() {
		found = found || strings.Contains(one.Text, string(forged))
	}
	if !found {
		t.Errorf("got %v, want the forger's key refused", rep.Findings())
	}
}

// field cuts a quoted value out of a line.
func field(t testing.TB, line []byte, name string) string {
	t.Helper()
	_, rest, ok := bytes.Cut(line, []byte(name+`"`))
	if !ok {
		t.Fatalf("%s has no %s", line, name)
	}
	value, _, _ := bytes.Cut(rest, []byte(`"`))
	return `"` + string(value) + `"`
}

func TestASectionNobodyHereKnowsIsNotPassedOver(t *testing.T) {
	s := bundletest.New(t)
	runs := bundle.Section{Name: "runs", Title: "Runs", Version: 2,
		Export: func(_ context.Context, w *bundle.Writer, _ bundle.Request) error {
			return bundle.Lines(w, "runs.ndjson", []map[string]string{{"run": "run_1"}})
		},
		Verify: func(r *bundle.Reader, rep *bundle.Report) {
			c := rep.Check("runs are runs", "little", "much")
			runs, err := bundle.ReadLines[map[string]string](r, "runs.ndjson")
			if err != nil || len(runs) != 1 {
				c.Found(r.Path("runs.ndjson"), "%s is wrong: %v.", r.Path("runs.ndjson"), err)
			}
		}}
	drain := func(ctx context.Context, _ time.Duration) error { _, err := s.Log.Drain(ctx); return err }
	b, err := exporter(t, s, drain, runs).Export(t.Context(), bundletest.Auditor, string(s.Case(t, 7)), "")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := b.Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	older := runs
	older.Version = 1
	silent := runs
	silent.Verify = func(*bundle.Reader, *bundle.Report) {}
	for _, tt := range []struct {
		name  string
		known []bundle.Section
		want  bundle.Verdict
	}{
		{"known", []bundle.Section{runs}, bundle.Genuine},
		{"unknown", nil, bundle.Unproven},
		{"of a later version", []bundle.Section{older}, bundle.Unproven},
		{"without a check", []bundle.Section{silent}, bundle.Unproven},
	} {
		opts := bundle.Options{Sections: append(bundletest.Known(), tt.known...), Keys: []audit.Verifier{s.Public}}
		rep := bundletest.Verify(out.Bytes(), opts)
		if rep.Verdict() != tt.want {
			t.Errorf("%s: got %s, want %s: %v", tt.name, rep.Verdict(), tt.want, rep.Findings())
		}
		if tt.want == bundle.Unproven && (len(rep.Findings()) != 1 || !strings.Contains(rep.Findings()[0].Text, "runs")) {
			t.Errorf("%s: got %v, want section runs named", tt.name, rep.Findings())
		}
	}
}
