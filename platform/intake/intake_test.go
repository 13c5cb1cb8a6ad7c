package intake_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/intake"
)

// A badge is a row of the table that tests hand over.
type badge struct {
	ID     string
	Holder string
	Floor  int
	Height float64
	Since  time.Time
	Left   bool
}

var badges = intake.Table[badge]{Name: "badges", Key: func(b *badge) string { return b.ID },
	Fields: []intake.Field[badge]{
		intake.Matches("badge_id", regexp.MustCompile(`^B-[0-9]{1,4}$`), func(b *badge) *string { return &b.ID }),
		intake.Words("holder", 40, func(b *badge) *string { return &b.Holder }),
		intake.Count("floor", 99, func(b *badge) *int { return &b.Floor }),
		intake.Measure("height", 3, func(b *badge) *float64 { return &b.Height }),
		intake.Day("since", func(b *badge) *time.Time { return &b.Since }),
	},
	Check: func(b *badge) error {
		if b.Floor == 13 {
			return fault.New(fault.Invalid, "there is no floor 13")
		}
		return nil
	}}

// terms take a file as a whole one, or not.
func terms(whole bool) intake.Terms[badge] {
	return intake.Terms[badge]{Whole: whole, Leaves: func(b *badge) bool {
		was := b.Left
		b.Left = true
		return !was
	}, Stands: func(b *badge) bool { return b.ID == "B-404" },
		Known: func(b *badge) error {
			if b.Floor > 50 {
				return fault.New(fault.Invalid, "floor %d is not built", b.Floor)
			}
			return nil
		}}
}

// previewed is a file as a person is shown it.
func previewed(t testing.TB, was []badge, file []byte, whole bool) intake.Preview {
	t.Helper()
	f, err := intake.Read(badges, file)
	if err != nil {
		t.Fatal(err)
	}
	return intake.PreviewOf(badges, was, file, f, whole, intake.Compare(badges, was, f, terms(whole)))
}

// TestAFileIsPreviewedLineByLine promises what would be added, changed and left out, which
// columns were not read, and each line that cannot be taken with its number and reason.
func TestAFileIsPreviewedLineByLine(t *testing.T) {
	day := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	was := []badge{{ID: "B-1", Holder: "Asha", Floor: 2, Since: day}, {ID: "B-2", Holder: "Bela", Floor: 2, Since: day}, {ID: "B-3",
		Holder: "Cyr", Since: day}}
	p := previewed(t, was,
		[]byte("Since,BADGE_ID,floor,shoe\n2026-01-31,B-1,3,43\n2026-01-31,B-2,2,44\n2026-01-31,B-404,1,1\n2026-02-01,B-9,,x\n"), true)
	if p.Added != 1 || p.Changed != 1 || p.Unchanged != 1 || p.Kept != 1 || p.Gone != 1 || !p.Shrinks || p.Refused != 0 || p.Rows() != 4 ||
		!slices.Equal(p.Ignored, []string{"shoe"}) || !slices.Equal(p.FieldNames(), []string{"floor"}) || p.Kind != "badges" {
		t.Errorf("got %+v", p)
	}
	if err := p.Confirm(intake.Word{SHA256: p.SHA256}); !fault.Is(err, fault.Conflict) {
		t.Errorf("much would go: %v", err)
	}
	if err := p.Confirm(intake.Word{SHA256: p.SHA256, MayShrink: true}); err != nil {
		t.Error(err)
	}
	bad := previewed(t, was,
		[]byte("badge_id,since,floor\nB-1,2026-01-31,13\nx,2026-01-31,1\nB-5,tomorrow,1\nB-6,2026-01-31,100\n"+
			"B-7,2026-01-31,60\nB-8,2026-01-31,1\nB-8,2026-01-31,2\n"), false)
	reasons := map[int]string{2: "no floor 13", 3: "use the form", 4: "use a day", 5: "whole number from 0 to 99", 6: "not built",
		8: "another one than in line 7"}
	if bad.Refused != len(reasons) || bad.Importable() {
		t.Errorf("got %+v", bad.Refusals)
	}
	for _, r := range bad.Refusals {
		if want := reasons[r.Line]; want == "" || !strings.Contains(r.Reason, want) {
			t.Errorf("line %d: got %q, want %q", r.Line, r.Reason, want)
		}
	}
	if err := bad.Confirm(intake.Word{SHA256: bad.SHA256}); !fault.Is(err, fault.Invalid) {
		t.Errorf("lines are refused: %v", err)
	}
}

func drawBadges(t *rapid.T, label string) []badge {
	some := rapid.SliceOfNDistinct(rapid.IntRange(0, 99), 0, 12, rapid.ID[int]).Draw(t, label)
	all := make([]badge, len(some))
	for i, n := range some {
		all[i] = badge{ID: fmt.Sprintf("B-%d", n), Holder: strings.TrimSpace(rapid.StringMatching(`[ -~éह]{0,12}`).Draw(t, "holder")),
			Floor:  rapid.IntRange(0, 12).Draw(t, "floor"),
			Height: float64(rapid.IntRange(0, 300).Draw(t, "height")) / 100, Since: time.Date(2026, 1, rapid.IntRange(1, 31).Draw(t, "day"),
				0, 0, 0, 0, time.UTC)}
	}
	return all
}

// TestOnlyWhatWasPreviewedIsConfirmed promises, of any file and any records, that what a person
// has seen is taken, and that another file, other records, or the same file taken as a whole one
// is refused as stale.
func TestOnlyWhatWasPreviewedIsConfirmed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		was, other := drawBadges(rt, "on record"), drawBadges(rt, "other records")
		file, another := intake.Write(badges, drawBadges(rt, "file")...), intake.Write(badges, drawBadges(rt, "another file")...)
		p := previewed(t, was, file, false)
		word := intake.Word{SHA256: p.SHA256, MayShrink: true}
		if err := p.Confirm(word); err != nil {
			rt.Fatalf("what was seen is refused: %v", err)
		}
		if err := previewed(t, was, another, false).Confirm(word); (err == nil) != (string(another) == string(file)) || err != nil &&
			!fault.Is(err, fault.Stale) {
			rt.Fatalf("another file than was seen: %v", err)
		}
		if err := previewed(t, was, file, true).Confirm(word); !fault.Is(err, fault.Stale) {
			rt.Fatalf("the file taken as a whole one: %v", err)
		}
		same := slices.EqualFunc(sorted(was), sorted(other), func(a, b badge) bool { return a == b })
		if err := previewed(t, other, file, false).Confirm(word); (err == nil) != same {
			rt.Fatalf("compared with other records: %v", err)
		}
	})
}

func sorted(all []badge) []badge {
	return slices.SortedFunc(slices.Values(all), func(a, b badge) int { return strings.Compare(a.ID, b.ID) })
}

// TestWhatIsWrittenIsRead promises that rows come back as they were from the file that is
// written of them, and that such a file changes nothing.
func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := drawBadges(rt, "rows")
		file := intake.Write(badges, want...)
		f, err := intake.Read(badges, file)
		if err != nil || f.Count > 0 || len(f.Rows) != len(want) {
			rt.Fatalf("%v, %+v of %q", err, f.Refusals, file)
		}
		for i, row := range f.Rows {
			if row.Value != want[i] {
				rt.Fatalf("got %+v, want %+v", row.Value, want[i])
			}
		}
		if p := previewed(t, want, file, true); p.Changes() || p.Unchanged != len(want) {
			rt.Fatalf("got %+v", p)
		}
	})
}

// FuzzRead hands over anything: it is refused as a whole, or every line is taken or refused, and
// what is taken is read the same from what is written of it.
func FuzzRead(f *testing.F) {
	f.Add([]byte("badge_id,since\nB-1,2026-01-31\n"))
	f.Add([]byte("badge_id,since,holder\nB-1,2026-01-31,\"a\nb\"\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		read, err := intake.Read(badges, file)
		if err != nil {
			if fault.KindOf(err) == fault.Internal {
				t.Fatal(err)
			}
			return
		}
		if read.Count > 0 {
			return
		}
		rows := make([]badge, len(read.Rows))
		for i, r := range read.Rows {
			rows[i] = r.Value
		}
		again, err := intake.Read(badges, intake.Write(badges, rows...))
		if err != nil || again.Count > 0 || len(again.Rows) != len(rows) {
			t.Fatalf("%v, %+v", err, again.Refusals)
		}
		for i, r := range again.Rows {
			if r.Value != rows[i] {
				t.Fatalf("got %+v, want %+v", r.Value, rows[i])
			}
		}
	})
}
