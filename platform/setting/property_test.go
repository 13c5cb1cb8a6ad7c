package setting_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/setting"
)

func drawn(t *rapid.T) limits {
	l := usual()
	l.Days, l.Grace = rapid.IntRange(1, 90).Draw(t, "days"), rapid.IntRange(0, 60).Draw(t, "grace")
	l.Radius = float64(rapid.IntRange(1, 1000).Draw(t, "radius")) / 10
	l.Contact = strings.TrimSpace(rapid.StringMatching(`[ -~é\p{Devanagari}]{0,30}`).Draw(t, "contact"))
	return l
}

// TestAHistoryIsALineWhoeverWrites promises, of writers who read, think and write at once with
// what they have read as If-Match, that every write which was taken follows the one its writer
// had seen: no version is missing, none is there twice, and each is what exactly one of them wrote.
func TestAHistoryIsALineWhoeverWrites(t *testing.T) {
	r := newRig(t)
	item := 0
	rapid.Check(t, func(rt *rapid.T) {
		item++
		k := gates
		k.Many = 1 << 20
		name := fmt.Sprintf("line %d", item)
		writers := rapid.IntRange(2, 6).Draw(rt, "writers")
		wishes := make([][]limits, writers)
		for i := range wishes {
			for range rapid.IntRange(1, 4).Draw(rt, "writes") {
				wishes[i] = append(wishes[i], drawn(rt))
			}
		}
		type took struct {
			seen int64
			wish string
		}
		var mu sync.Mutex
		taken := map[int64]took{}
		var all sync.WaitGroup
		for i := range wishes {
			all.Go(func() {
				seen := int64(0)
				for _, wish := range wishes[i] {
					h, err := r.Set(t.Context(), asha, k, name, text(wish), seen)
					switch {
					case err == nil:
						mu.Lock()
						taken[h.Version] = took{seen, canonical(t, wish)}
						mu.Unlock()
						seen = h.Version
					case fault.Is(err, fault.Stale):
						if now, err := r.Current(t.Context(), asha, k, name); err == nil {
							seen = now.Version
						}
					default:
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		history, _, err := r.Versions(t.Context(), asha, k, name, "", 200)
		if err != nil || len(history) != len(taken) || len(history) == 0 {
			rt.Fatalf("%v: %d versions of %d writes that were taken", err, len(history), len(taken))
		}
		for i, h := range history {
			want := int64(len(history) - i)
			if got := taken[want]; h.Version != want || got.seen != want-1 || got.wish != string(h.Value) {
				rt.Fatalf("version %d: got %d, %s; was written to %d as %s", want, h.Version, h.Value, got.seen, got.wish)
			}
		}
	})
}

// TestAVersionDiffersFromItselfInNothing promises that, and that a difference between two
// values is empty only if they are the same.
func TestAVersionDiffersFromItselfInNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, err := thresholds.Fits("", text(drawn(t)))
		if err != nil {
			t.Fatal(err)
		}
		other, err := thresholds.Fits("", text(drawn(t)))
		if err != nil {
			t.Fatal(err)
		}
		if d, err := setting.Diff(one, one); err != nil || len(d.Changes) != 0 {
			t.Fatalf("%v, %+v", err, d)
		}
		if d, err := setting.Diff(one, other); err != nil || (len(d.Changes) == 0) != (string(one) == string(other)) {
			t.Fatalf("%v, %+v between %s and %s", err, d, one, other)
		}
		again, err := thresholds.Fits("", one)
		if err != nil || string(again) != string(one) {
			t.Fatalf("what is kept is not kept again as it is: %v, %s, %s", err, one, again)
		}
	})
}

// FuzzAnythingIsAValueOrRefused sends anything as a value: what is taken is kept the same when
// it is sent again, fits in the bounds, and reads as the type it is of.
func FuzzAnythingIsAValueOrRefused(f *testing.F) {
	f.Add([]byte(text(usual())))
	f.Add([]byte(`{"radius":1e400}`))
	f.Add([]byte(`{"contact":"\ud800"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		kept, err := thresholds.Fits("", raw)
		if err != nil {
			if fault.KindOf(err) == fault.Internal {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		var l limits
		if err := json.Unmarshal(kept, &l); err != nil || len(kept) > setting.MostBytes {
			t.Fatalf("%q: %v", kept, err)
		}
		if again, err := thresholds.Fits("", kept); err != nil || string(again) != string(kept) {
			t.Fatalf("%q, then %q: %v", kept, again, err)
		}
	})
}
