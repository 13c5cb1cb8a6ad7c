package bundle_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/seal/sealtest"
)

func rider(id string) seal.Subject { return seal.Subject{Type: "rider", ID: id} }

// TestABundleOfAnErasedPersonVerifiesAndSaysWhatIsGone promises that an erasure
// is neither taken for a forgery nor passed over, and that a bundle made before
// it still verifies.
func TestABundleOfAnErasedPersonVerifiesAndSaysWhatIsGone(t *testing.T) {
	for _, whole := range []string{"one note", "the whole case"} {
		t.Run(whole, func(t *testing.T) {
			s := bundletest.New(t)
			id := s.Case(t, 17)
			seq := s.Person(t, id, rider("R-17"))
			if whole == "the whole case" {
				if err := s.Cases.NameSubjects(t.Context(), bundletest.Admin, id, 0, rider("R-17")); err != nil {
					t.Fatal(err)
				}
			}
			before := s.Export(t, id)
			if finds := sealtest.Packed(t, "before", before, bundletest.Name).Finds; len(finds) == 0 {
				t.Fatal("the name is not found before the erasure")
			}
			day := time.Now().UTC().Format(time.DateOnly)
			done := s.Erase(t, rider("R-17"))
			if done.Exports != 1 {
				t.Errorf("the erasure counts %d exports that it did not reach, want 1", done.Exports)
			}
			after := s.Export(t, id)
			for _, f := range sealtest.Packed(t, "after", after, bundletest.Name, "I was not on the van").Finds {
				t.Error(f)
			}
			rep := check(after, s.Public)
			if rep.Verdict() != bundle.Genuine || check(before, s.Public).Verdict() != bundle.Genuine {
				t.Fatalf("after: %s %v; before: %v", rep.Verdict(), rep.Findings(), check(before, s.Public).Findings())
			}
			told := erasedTexts(rep)
			if !strings.Contains(told, day) {
				day = time.Now().UTC().Format(time.DateOnly) // midnight was in between
			}
			want := []string{fmt.Sprintf("Note %d (history/entries.ndjson) was erased on %s, by record rec_", seq, day),
				"Title and note of evidence E3 (snapshots/evidence.ndjson) was erased",
				"What F8@1 was called (facts/erased.ndjson) was erased", "What F10@1 was called"}
			if whole == "the whole case" {
				want = append(want, "The title of the case (case/case.json) was erased", "Note 2 (history", "evidence E1 ",
					"What F1@1 was called")
			}
			for _, text := range want {
				if !strings.Contains(told, text) {
					t.Errorf("it does not say %q in\n%s", text, told)
				}
			}
			if whole == "one note" && (strings.Contains(told, "title of the case") || strings.Contains(told, "Note 2 ") ||
				strings.Contains(told, "F1@1")) {
				t.Errorf("more was erased than concerned them:\n%s", told)
			}
			var out bytes.Buffer
			if err := rep.Write(&out, bundle.Brief); err != nil || !strings.Contains(out.String(), "erased: Note ") {
				t.Errorf("people are not told: %v\n%s", err, out.String())
			}
		})
	}
}

func erasedTexts(rep *bundle.Report) string {
	var b strings.Builder
	for _, c := range rep.Checks {
		for _, f := range c.Erased {
			fmt.Fprintln(&b, f.Text)
		}
	}
	return b.String()
}

// setErased makes the bundles of cases in which somebody was erased.
func (s *scene) setErased(t *testing.T) {
	t.Helper()
	partly, wholly := s.stage.Case(t, 17), s.stage.Case(t, 19)
	s.stage.Person(t, partly, rider("R-17"))
	s.stage.Person(t, wholly, rider("R-19"))
	if err := s.stage.Cases.NameSubjects(t.Context(), bundletest.Admin, wholly, 0, rider("R-19")); err != nil {
		t.Fatal(err)
	}
	s.stage.Erase(t, rider("R-17"))
	s.stage.Erase(t, rider("R-19"))
	for id, to := range map[string]**bundletest.Forgery{string(partly): &s.partly, string(wholly): &s.wholly} {
		b, err := s.stage.Exporter.Export(t.Context(), bundletest.Auditor, id, "")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := b.Write(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		if rep := check(out.Bytes(), s.stage.Public); rep.Verdict() != bundle.Genuine {
			t.Fatalf("untouched: %v", rep.Findings())
		}
		*to = bundletest.TakeApart(t, out.Bytes())
	}
}

// erasureKinds are what an insider with the institution's key does to pass a
// deletion off as an erasure, or to use one.
func erasureKinds(s *scene) []kind {
	const sheet, pieces, numbers, nameless = "history/entries.ndjson", "snapshots/evidence.ndjson", "facts/facts.ndjson",
		"facts/erased.ndjson"
	when := func(f *bundletest.Forgery) string {
		_, rest, _ := bytes.Cut(f.Files[sheet], []byte(`"erased_at":"`))
		at, _, _ := bytes.Cut(rest, []byte(`"`))
		return string(at)
	}
	edit := func(from **bundletest.Forgery, what, path, holding string, change func(line map[string]any, at string)) kind {
		return kind{"insider", what, path, func(t *testing.T, s *scene) []byte {
			f := (*from).Copy()
			at := when(f)
			f.Edit(t, path, holding, func(l map[string]any) { change(l, at) })
			f.SignWith(t, s.stage.Secret)
			return f.Pack(t)
		}}
	}
	blank := func(l map[string]any, at string) {
		l["text"], l["salt"], l["erased_at"] = "", "", at
		delete(l["actor"].(map[string]any), "name")
	}
	whole := func(from **bundletest.Forgery, what, path string, change func(f *bundletest.Forgery)) kind {
		return kind{"insider", what, path, func(t *testing.T, s *scene) []byte {
			f := (*from).Copy()
			change(f)
			f.SignWith(t, s.stage.Secret)
			return f.Pack(t)
		}}
	}
	const gone = `"erased_at"`
	return []kind{
		edit(&s.partly, "pass a deleted note off as erased, beside a true erasure", sheet, "Wind from", blank),
		edit(&s.mine, "pass a deleted note off as erased, with no erasure at all", sheet, "Wind from",
			func(l map[string]any, _ string) { blank(l, "2026-01-01T00:00:00Z") }),
		edit(&s.partly, "empty a note without calling it erased", sheet, "Wind from",
			func(l map[string]any, _ string) { l["text"], l["salt"] = "", "" }),
		edit(&s.partly, "date an erasure of a note back", sheet, gone,
			func(l map[string]any, _ string) { l["erased_at"] = "2020-01-01T00:00:00Z" }),
		edit(&s.partly, "put words into an erased note", sheet, gone, func(l map[string]any, _ string) { l["text"] = "They confessed." }),
		edit(&s.partly, "put words into an erased note and take the mark off", sheet, gone, func(l map[string]any, _ string) {
			l["text"], l["salt"] = "They confessed.", strings.Repeat("00", 16)
			delete(l, "erased_at")
		}),
		edit(&s.partly, "have an erased note by somebody else", sheet, gone,
			func(l map[string]any, _ string) { l["actor"].(map[string]any)["id"] = "p:officer" }),
		edit(&s.partly, "have an erased note of another kind", sheet, gone, func(l map[string]any, _ string) { l["kind"] = "closed" }),
		edit(&s.partly, "date an erased note back", sheet, gone, func(l map[string]any, _ string) { l["at"] = "2020-01-01T00:00:00Z" }),
		whole(&s.partly, "drop the records of an erasure and their proofs", sheet, dropErasures),
		edit(&s.partly, "have the record of an erasure list another note", "log/records.ndjson", `"what":"entries"`,
			func(l map[string]any, _ string) {
				l["body"].(map[string]any)["listed"] = []any{"1-99"}
			}),
		edit(&s.partly, "pass a deleted title of evidence off as erased", pieces, `"E1"`,
			func(l map[string]any, at string) { l["title"], l["erased_at"] = "", at }),
		edit(&s.partly, "empty a title of evidence without calling it erased", pieces, `"E1"`,
			func(l map[string]any, _ string) { l["title"] = "" }),
		edit(&s.partly, "put a title on erased evidence", pieces, gone, func(l map[string]any, _ string) { l["title"] = "Confession" }),
		edit(&s.partly, "put a title on erased evidence and take the mark off", pieces, gone, func(l map[string]any, _ string) {
			l["title"] = "Confession"
			delete(l, "erased_at")
		}),
		edit(&s.partly, "change the number of a fact that lost its names", numbers, `"31"`,
			func(l map[string]any, _ string) { l["value"], l["exact"], l["display"] = "99", "99", "99" }),
		edit(&s.partly, "name somebody else in a fact that lost its names", numbers, `"31"`, func(l map[string]any, _ string) {
			l["subject"].(map[string]any)["names"] = map[string]any{"en": []any{"Somebody Else"}}
		}),
		whole(&s.partly, "take the names out of a fact that nobody erased", nameless, func(f *bundletest.Forgery) {
			line := fmt.Sprintf(`{"erased_at":%q,"fact":"F1@1","sha256":%q}`, when(f), strings.Repeat("0", 64))
			f.Files[nameless] = append(bytes.Clone(f.Files[nameless]), line+"\n"...)
		}),
		edit(&s.partly, "give another digest for a fact that lost its names", nameless, "",
			func(l map[string]any, _ string) { l["sha256"] = strings.Repeat("0", 64) }).naming(numbers),
		edit(&s.partly, "date an erasure of names back", nameless, "",
			func(l map[string]any, _ string) { l["erased_at"] = "2020-01-01T00:00:00Z" }),
		whole(&s.partly, "drop the list of facts that lost their names", numbers,
			func(f *bundletest.Forgery) { delete(f.Files, nameless) }),
		edit(&s.mine, "pass a deleted title of the case off as erased", "case/case.json", "",
			func(l map[string]any, _ string) { l["title"], l["erased_at"] = "", "2026-01-01T00:00:00Z" }),
		edit(&s.mine, "empty the title of the case", "case/case.json", "", func(l map[string]any, _ string) { l["title"] = "" }),
		edit(&s.wholly, "give a case whose title was erased another one", "case/case.json", "", func(l map[string]any, _ string) {
			l["title"] = "Confession"
			delete(l, "erased_at")
		}),
		whole(&s.wholly, "have the record of a title's erasure say something else", "log/records.ndjson", func(f *bundletest.Forgery) {
			f.Files["log/records.ndjson"] = bytes.ReplaceAll(f.Files["log/records.ndjson"], []byte(`"what":"title"`),
				[]byte(`"what":"entry"`))
		}),
	}
}

// dropErasures takes the records of erasures out of the log's section, with their
// proofs.
func dropErasures(f *bundletest.Forgery) {
	records, proofs := bundletest.Lines(f.Files["log/records.ndjson"]), bundletest.Lines(f.Files["log/proofs.ndjson"])
	for i := len(records) - 1; i >= 0; i-- {
		if bytes.Contains(records[i], []byte(`"kind":"erasure"`)) {
			records, proofs = slices.Delete(records, i, i+1), slices.Delete(proofs, i, i+1)
		}
	}
	f.Files["log/records.ndjson"], f.Files["log/proofs.ndjson"] = bundletest.Unlines(records), bundletest.Unlines(proofs)
}
