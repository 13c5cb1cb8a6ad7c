package check_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
)

// says is a model's report on the verdict that agrees with it, changed.
func says(v check.Verdict, change func(*check.Report)) check.Report {
	r := check.Report{Verdict: v.Label, Confidence: v.Confidence, Reasoning: "In the model's words.", Evidence: v.Report().Evidence[:1:1]}
	change(&r)
	return r
}

func kinds(all []check.Override) []check.OverrideKind {
	var out []check.OverrideKind
	for _, o := range all {
		out = append(out, o.Kind)
	}
	return out
}

// TestAModelMayOnlyDoubt promises that a model's report changes words and lowers
// confidence, and nothing else; and that what it got wrong is told.
func TestAModelMayOnlyDoubt(t *testing.T) {
	v := failing(t)
	own := v.Report()
	invented := check.NewEvidence("no_fuel", "employee_id", "EMP-0001")
	foreign := check.NewEvidence("no_fuel", "employee_id", "EMP-0002", "tank_percent", 97)
	for _, tt := range []struct {
		name   string
		change func(*check.Report)
		over   []check.OverrideKind
		sure   check.Confidence
		words  bool
	}{
		{"agrees", func(*check.Report) {}, nil, 4, true},
		{"doubts", func(r *check.Report) { r.Confidence = 2 }, nil, 2, true},
		{"is too sure", func(r *check.Report) { r.Confidence = 5 }, []check.OverrideKind{check.OverConfidence}, 4, true},
		{"is off the scale", func(r *check.Report) { r.Confidence = 0 }, []check.OverrideKind{check.OverConfidence}, 4, true},
		{"lies about the verdict", func(r *check.Report) { r.Verdict = check.Pass }, []check.OverrideKind{check.OverVerdict}, 4, false},
		{"doubts another verdict", func(r *check.Report) { r.Verdict, r.Confidence = check.Pass, 1 },
			[]check.OverrideKind{check.OverVerdict}, 4, false},
		{"has no verdict", func(r *check.Report) { r.Verdict = "maybe" }, []check.OverrideKind{check.OverVerdict}, 4, false},
		{"cites somebody else", func(r *check.Report) { r.Evidence = append(r.Evidence, invented) },
			[]check.OverrideKind{check.OverEvidence}, 4, false},
		{"cites other numbers", func(r *check.Report) { r.Evidence = append(r.Evidence, foreign) },
			[]check.OverrideKind{check.InventedNumber}, 4, false},
		{"cites nothing", func(r *check.Report) { r.Evidence = nil }, []check.OverrideKind{check.OverEvidence}, 4, false},
		{"says nothing", func(r *check.Report) { r.Reasoning = " \n" }, []check.OverrideKind{check.OverLength}, 4, false},
		{"says too much", func(r *check.Report) { r.Reasoning = strings.Repeat("x", 1001) }, []check.OverrideKind{check.OverLength}, 4,
			false},
		{"says as much as it may", func(r *check.Report) { r.Reasoning = strings.Repeat("é", 1000) }, nil, 4, true},
		{"doubts in bad words", func(r *check.Report) { r.Confidence, r.Reasoning = 1, "EMP-4711 did it." },
			[]check.OverrideKind{check.InventedID}, 1, false},
		{"links somewhere", func(r *check.Report) { r.Reasoning = "See https://example.org/a" }, []check.OverrideKind{check.OverForm}, 4,
			false},
		{"gives an address", func(r *check.Report) { r.Reasoning = "Write to boss@example.org" }, []check.OverrideKind{check.OverForm}, 4,
			false},
		{"hides something", func(r *check.Report) { r.Reasoning = "fine\u202e" }, []check.OverrideKind{check.OverForm}, 4, false},
	} {
		said := says(v, tt.change)
		got, over := check.Heed(v, said)
		if !slices.Equal(kinds(over), tt.over) || got.Confidence != tt.sure || got.Verdict != v.Label || !reflect.DeepEqual(got.Evidence,
			own.Evidence) {
			t.Errorf("%s: got %s %d, overrides %v, want %d, %v", tt.name, got.Verdict, got.Confidence, over, tt.sure, tt.over)
		}
		if (got.Reasoning == said.Reasoning) != tt.words || !tt.words && got.Reasoning != own.Reasoning || got.Valid() != nil {
			t.Errorf("%s: says %q", tt.name, got.Reasoning)
		}
	}
}

// TestEveryIDAndNumberWasShown promises that a reasoning is taken only if what it
// names stands in the verdict, however it is written.
func TestEveryIDAndNumberWasShown(t *testing.T) {
	v := failing(t) // about VP-101: EMP-0002 at 3 percent, 12.5 miles; EMP-0003 is not known
	id, number := check.InventedID, check.InventedNumber
	for _, tt := range []struct {
		words string
		want  []check.Override
	}{
		{"EMP-0002 of VP-101 had 3 percent left after 12.5 miles.", nil},
		{"EMP 0002 of vp-101: 3.0 %, 12.50 miles", nil},
		{"Three percent is what EMP‑0002 had.", nil},
		{"Two riders do not pass; EMP-0003's record is incomplete.", nil},
		{"Of three riders, two.", nil},
		{"The limit is 15 percent.", nil}, // shown besides the verdict
		{"CASE-A3F8B291 says so", nil},    // shown as well
		{"EMP-0004 had 3 percent left.", []check.Override{{id, "EMP-0004"}}},
		{"emp_0004 and EMP0005", []check.Override{{id, "EMP-0004"}, {id, "EMP-0005"}}},
		{"ＥＭＰ－０００４", []check.Override{{id, "EMP-0004"}}},
		{"EMP\u200b-0004", []check.Override{{check.OverForm, ""}, {id, "EMP-0004"}}},
		{"VP-102, in SHIFT_DAY, by CASE-A3F8B292", []check.Override{{id, "CASE-A3F8B292"}, {id, "SHIFT_DAY"}, {id, "VP-102"}}},
		{"CASE-12", []check.Override{{number, "12"}}},
		{"It was 97 percent.", []check.Override{{number, "97"}}},
		{"It was 12.6 miles, or 1,250.", []check.Override{{number, "12.6"}, {number, "1250"}}},
		{"९७ प्रतिशत", []check.Override{{number, "97"}}},
		{"It was ⑨ percent.", []check.Override{{number, "9"}}},
		{"Seven riders, at 07:15 on 2026-04-06.", []check.Override{{number, "2026-04-06"}, {number, "7"}, {number, "7:15"}}},
		{"Ninety percent.", []check.Override{{number, "ninety"}}},
	} {
		said := says(v, func(r *check.Report) { r.Reasoning = tt.words })
		got, over := check.Heed(v, said, "limit_percent 15", "CASE-A3F8B291")
		if !slices.Equal(over, tt.want) || (got.Reasoning == tt.words) != (len(tt.want) == 0) {
			t.Errorf("%q: got %v, want %v", tt.words, over, tt.want)
		}
	}
}

// TestNoReportCanTurnAVerdict promises it for any report at all.
func TestNoReportCanTurnAVerdict(t *testing.T) {
	v := failing(t)
	own := v.Report()
	words := rapid.OneOf(rapid.String(), rapid.StringMatching(`(EMP-[0-9]{4}|VP-10[0-9]|[0-9]{1,4}(\.[0-9])?| is fine\. ){1,9}`))
	rapid.Check(t, func(t *rapid.T) {
		r := check.Report{Verdict: check.Label(rapid.SampledFrom([]string{"pass", "fail", "", "maybe"}).Draw(t, "verdict")),
			Confidence: check.Confidence(rapid.IntRange(-3, 9).Draw(t, "confidence")), Reasoning: words.Draw(t, "words"),
			Evidence: rapid.SliceOfN(rapid.Just(check.NewEvidence("no_fuel")), 0, 3).Draw(t, "evidence")}
		got, over := check.Heed(v, r)
		if got.Verdict != v.Label || got.Confidence > v.Confidence || got.Confidence < check.Least || got.Valid() != nil ||
			!reflect.DeepEqual(got.Evidence, own.Evidence) {
			t.Fatalf("%+v made %+v", r, got)
		}
		if got.Reasoning != own.Reasoning &&
			(r.Verdict != v.Label || slices.ContainsFunc(over, func(o check.Override) bool { return o.Kind != check.OverConfidence })) {
			t.Fatalf("words were taken although %v", over)
		}
		if r.Verdict != v.Label && (got.Confidence != v.Confidence || len(over) == 0) {
			t.Fatalf("another verdict's confidence was taken: %+v, %v", got, over)
		}
	})
}

// TestTheCodesOwnSentenceIsAlwaysHeeded promises that what falls back would be
// taken itself: the code invents nothing.
func TestTheCodesOwnSentenceIsAlwaysHeeded(t *testing.T) {
	for _, granted := range [][]check.Exception{nil, {{Subject: "EMP-0002", Check: "fuel", Until: until, Reason: "electric", By: "p-1"}}} {
		v := failing(t, granted...)
		if got, over := check.Heed(v, v.Report()); len(over) > 0 || got.Reasoning != v.Report().Reasoning {
			t.Errorf("%q is not taken: %v", v.Report().Reasoning, over)
		}
	}
}

// TestDoubtReachesTheFindings promises that a doubted finding is one that a
// person looks at first, and that nothing becomes surer.
func TestDoubtReachesTheFindings(t *testing.T) {
	v := failing(t)
	for c := check.Confidence(-1); c < 8; c++ {
		got := v.Doubt(c)
		for i, f := range got.Findings {
			if f.Confidence > v.Findings[i].Confidence || f.Confidence > got.Confidence || f.Confidence < check.Least || f.Mailable() &&
				c < check.Mailable {
				t.Errorf("doubted to %d: %+v", c, f)
			}
		}
	}
	if v.Findings[0].Confidence != 4 {
		t.Error("the verdict itself was changed")
	}
}
