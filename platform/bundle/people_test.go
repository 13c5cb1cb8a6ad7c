package bundle_test

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// TestWhoDecidedForWhomIsProven promises that a bundle names both, holds the
// delegation with its records, and keeps why somebody delegated to itself.
func TestWhoDecidedForWhomIsProven(t *testing.T) {
	s := bundletest.New(t)
	data := s.Export(t, s.Case(t, 7))
	f := bundletest.TakeApart(t, data)
	rep := check(data, s.Public)
	if rep.Verdict() != bundle.Genuine {
		t.Fatalf("got %s, want genuine: %v", rep.Verdict(), rep.Findings())
	}
	for name, want := range map[string][]string{
		decisionsPath: {`"name":"Deputy analyst"`, `"on_behalf":"p:officer","on_behalf_name":"Test officer"`,
			`"on_behalf":"p:second","on_behalf_name":"Second officer"`},
		leavesPath: {`"from":"p:officer"`, `"to":"p:deputy"`, `"roles":["officer"]`, `"ended_by":"p:officer"`,
			`"from":"p:second"`, `"kind":"call"`},
		"log/records.ndjson": {`"kind":"delegation"`, `"step":"made"`, `"step":"ended"`},
	} {
		for _, text := range want {
			if !bytes.Contains(f.Files[name], []byte(text)) {
				t.Errorf("%s does not hold %s:\n%s", name, text, f.Files[name])
			}
		}
	}
	for name, body := range f.Files {
		if bytes.Contains(body, []byte("dentist")) {
			t.Errorf("%s tells why somebody delegated", name)
		}
	}
}

// TestADelegationEndedMeanwhileIsToldAsItWas promises that a bundle is of one
// moment also where a delegation ends between two of its sections.
func TestADelegationEndedMeanwhileIsToldAsItWas(t *testing.T) {
	s := bundletest.New(t)
	id := s.Case(t, 7)
	ended := false
	ending := meddling(func(ctx context.Context, _ bundle.Request) error {
		all, _, err := s.Reviews.Delegations(ctx, bundletest.Second, review.DelegationQuery{Person: bundletest.Second.ID})
		for _, d := range all {
			if _, err = s.Reviews.EndDelegation(ctx, bundletest.Second, d.ID); err == nil {
				ended = true
			}
		}
		return err
	})
	drain := func(ctx context.Context, _ time.Duration) error { _, err := s.Log.Drain(ctx); return err }
	b, err := exporter(t, s, drain, ending).Export(t.Context(), bundletest.Auditor, string(id), "")
	if err != nil || !ended {
		t.Fatalf("got %v, ended: %v", err, ended)
	}
	var out bytes.Buffer
	if err := b.Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	rep := bundletest.Verify(out.Bytes(), bundle.Options{Sections: append(bundletest.Known(), ending), Keys: []audit.Verifier{s.Public}})
	if rep.Verdict() != bundle.Genuine || bytes.Contains(bundletest.TakeApart(t, out.Bytes()).Files[leavesPath],
		[]byte(`"ended_by":"p:second"`)) {
		t.Errorf("got %s, want genuine, and the end in the next bundle: %v", rep.Verdict(), rep.Findings())
	}
	next := s.Export(t, id)
	if rep := check(next, s.Public); rep.Verdict() != bundle.Genuine || !bytes.Contains(bundletest.TakeApart(t, next).Files[leavesPath],
		[]byte(`"ended_by":"p:second"`)) {
		t.Errorf("the next: got %s, want genuine, with the end: %v", rep.Verdict(), rep.Findings())
	}
}

// TestATestIsToldAfterItsEndAndNeverBefore promises that a bundle gives away no
// test that somebody is still to decide: neither in its files nor in what
// verifying says of them.
func TestATestIsToldAfterItsEndAndNeverBefore(t *testing.T) {
	s := bundletest.New(t)
	data := s.Export(t, s.Case(t, 7))
	f := bundletest.TakeApart(t, data)
	for i, truth := range bundletest.Truths {
		told := bytes.Contains(f.Files[proposalsPath], []byte(truth)) && bytes.Contains(f.Files["index.html"], []byte(truth))
		if told != (i < 3) {
			t.Errorf("%q: told is %v", truth, told)
		}
	}
	if n := bytes.Count(f.Files[proposalsPath], []byte(`"test":{"nonce":`)); n != 3 {
		t.Errorf("%d proposals say that they were tests, want 3", n)
	}
	lines := bundletest.Lines(f.Files[proposalsPath])
	half := slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte("wrong office 3")) })
	if half < 0 || !bytes.Contains(lines[half], []byte(`"state":"open"`)) || bytes.Contains(f.Files[proposalsPath],
		[]byte("wrong office 4")) {
		t.Errorf("want the test that somebody has answered to be there like any other, and no trace of the last:\n%s",
			f.Files[proposalsPath])
	}
	// Nor do the records: of the last there are some, since people were put off it
	// and refused; and what both would become is what the real one beside them would.
	if last := s.Last.ID; bytes.Contains(f.Files["log/records.ndjson"], []byte(`"proposal":"`+last+`"`)) {
		t.Errorf("the log's section names %s, which no file of the bundle holds", last)
	}
	if !bytes.Contains(f.Files["log/records.ndjson"], []byte(`"kind":"attention"`)) {
		t.Error("what people did around a real proposal is not in the bundle")
	}
	for name, text := range f.Files {
		if strings.HasPrefix(name, "decisions/") && bytes.Contains(text, []byte(`2.1+`)) || bytes.Contains(f.Files["log/records.ndjson"],
			[]byte(`2.1+`)) {
			t.Errorf("the key of a test in %s tells it", name)
		}
	}
	rep := check(data, s.Public)
	if rep.Verdict() != bundle.Genuine {
		t.Fatalf("got %s, want genuine: %v", rep.Verdict(), rep.Findings())
	}
	for _, c := range rep.Checks {
		if c.Name == "what was a test, and what was not" && c.Seen != "3 tests" {
			t.Errorf("got %q, want 3 tests", c.Seen)
		}
	}
}

// erasing blanks the proposals of the cases that somebody is a subject of.
func erasing() seal.Eraser {
	return seal.Eraser{Name: "review", Erase: func(ctx context.Context, tx pgx.Tx, who seal.Subject,
		at time.Time) (all seal.Reach, err error) {
		about, err := casefile.About(ctx, tx, who)
		for _, id := range about {
			did, err := review.Erase(ctx, tx, bundletest.Admin.Org, string(id), at)
			if err != nil {
				return all, err
			}
			left := did.Left
			all = casefile.Together(all, did)
			all.Left = left
		}
		return all, err
	}}
}

// TestAnErasedTestSaysThatItsDigestStaysUnproven promises that after an erasure a
// bundle still verifies, names nobody who decided or for whom, and says that what
// was wrong with a test is gone.
func TestAnErasedTestSaysThatItsDigestStaysUnproven(t *testing.T) {
	s := bundletest.With(t, bundletest.Setup{Erasers: []seal.Eraser{erasing()}})
	id := s.Case(t, 7)
	if err := s.Cases.NameSubjects(t.Context(), bundletest.Admin, id, 0, rider("R-7")); err != nil {
		t.Fatal(err)
	}
	s.Erase(t, rider("R-7"))
	data := s.Export(t, id)
	f := bundletest.TakeApart(t, data)
	rep := check(data, s.Public)
	if rep.Verdict() != bundle.Genuine {
		t.Fatalf("got %s, want genuine: %v", rep.Verdict(), rep.Findings())
	}
	// the two that waited ended with it
	if n := strings.Count(erasedTexts(rep), "which was a test ("+proposalsPath+") was erased on"); n != 5 {
		t.Errorf("it says of %d tests that what was wrong is gone, want 5:\n%s", n, erasedTexts(rep))
	}
	ended := regexp.MustCompile(`"erased_at":"[^"]+"[^\n]*"(on_behalf_name|truth)"`)
	if found := ended.Find(f.Files[decisionsPath]); found != nil || ended.Match(f.Files[proposalsPath]) {
		t.Errorf("an erased decision or test still has words: %s", found)
	}
	if !bytes.Contains(f.Files[decisionsPath], []byte(`"on_behalf":"p:officer"`)) {
		t.Error("who decided for whom is gone with the names")
	}
	secret := s.Secret
	bundletest.Tamper(t, []bundletest.Tampering{
		bundletest.Insider("call an erased test a real proposal", proposalsPath, f, secret, func(t testing.TB, f *bundletest.Forgery) {
			f.Edit(t, proposalsPath, `"test":`, func(l map[string]any) { delete(l, "test") })
		}),
		bundletest.Insider("say what was wrong with an erased test", proposalsPath, f, secret, func(t testing.TB, f *bundletest.Forgery) {
			f.Edit(t, proposalsPath, `"test":`, func(l map[string]any) { l["test"].(map[string]any)["truth"] = "Nothing." })
		}),
		bundletest.Insider("name the giver of an erased decision", decisionsPath, f, secret, func(t testing.TB, f *bundletest.Forgery) {
			f.Edit(t, decisionsPath, `"on_behalf":`, func(l map[string]any) { l["on_behalf_name"] = "Somebody Else" })
		}),
	}, func(data []byte) *bundle.Report { return check(data, s.Public) })
}

// TestBundlesOfEarlierProgramsStillVerify promises that what was given out before
// erasures (v1), or delegations and tests (v2), could be told in a bundle is read
// as it was meant. Each was exported by the program of its time.
func TestBundlesOfEarlierProgramsStillVerify(t *testing.T) {
	for name, decisions := range map[string]int{"v1": 0, "v2": 1} {
		data, err := os.ReadFile("testdata/" + name + ".zip")
		if err != nil {
			t.Fatal(err)
		}
		key, err := os.ReadFile("testdata/" + name + ".key")
		if err != nil {
			t.Fatal(err)
		}
		rep := check(data, audit.Verifier(strings.TrimSpace(string(key))))
		want := bundle.Genuine
		if decisions == 0 {
			want = bundle.Unproven // it has no decisions and no acts, and its form did not say that it should
		}
		if rep.Verdict() != want {
			t.Errorf("%s: got %s, want %s: %v", name, rep.Verdict(), want, rep.Findings())
		}
		for _, part := range bundletest.TakeApart(t, data).Manifest(t).Sections {
			if part.Name == "decisions" && part.Version != decisions || part.Name == "case" && decisions == 0 && part.Version != 1 {
				t.Errorf("%s has version %d of %s", name, part.Version, part.Name)
			}
		}
	}
}
