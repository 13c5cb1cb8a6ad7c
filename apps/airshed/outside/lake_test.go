package outside_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/fault"
)

// A shore is a folder that others write to as well, and that can be cut off.
type shore struct {
	*disk.Folder

	dir    string
	refuse int // so many looks fail
	looks  int
}

func newShore(t *testing.T) *shore {
	t.Helper()
	dir := t.TempDir()
	f, err := disk.Open("file://" + dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return &shore{Folder: f, dir: dir}
}

func (s *shore) List(ctx context.Context, prefix string, visit func(string, int64, time.Time) error) error {
	if s.looks++; s.looks <= s.refuse {
		return fault.New(fault.Unavailable, "the bucket does not answer")
	}
	return s.Folder.List(ctx, prefix, visit)
}

// put writes an object as another program would, at an hour of the day.
func (s *shore) put(t *testing.T, key, body string, hour int) {
	t.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(key))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	at := thursday.Add(time.Duration(hour) * time.Hour)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// seeded is an object in the first design's form, of an hour; its figures are that
// design's own.
func seeded(hour string) string {
	return `{"cpcb_data":[{"station":"Alipur","aqi":450,"timestamp":"2026-11-12T` + hour +
		`:00:00Z","pm25":350.5,"pm10":420.2,"latitude":28.8,"longitude":77.1}],
	"nasa_data":[{"latitude":29.2,"longitude":76.5,"brightness":320.5,"confidence":85,"acq_date":"2026-11-11","state":"Haryana","district":"Jind"}],
	"dss_data":{"stubble_burning_percent":22.5,"timestamp":"2026-11-12T06:00:00Z"},"timestamp":"2026-11-12T` + hour + `:30:00Z"}`
}

func shoreLake(s *shore, last func(context.Context) (outside.Snapshot, error)) (*outside.Lake, *stopwatch) {
	n, watch := network()
	return outside.NewLake(n, outside.LakeConfig{Bucket: s, Name: "lake", LastGood: last}), watch
}

// TestTheLatestObjectIsTheLastWritten promises that time counts and not the name,
// and that what is no object is not looked at.
func TestTheLatestObjectIsTheLastWritten(t *testing.T) {
	s := newShore(t)
	s.put(t, "data/z.json", seeded("08"), 8)
	s.put(t, "data/a.json", seeded("09"), 9)
	s.put(t, "data/notes.txt", "hello", 10)
	s.put(t, "reports/r.json", "{}", 11)
	l, watch := shoreLake(s, nil)
	got, err := l.Latest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.Key != "data/a.json" || got.Stale || got.Why != "" || len(got.Object.Air) != 1 || watch.seconds() != nil ||
		!got.Modified.Equal(thursday.Add(9*time.Hour)) {
		t.Errorf("got %s, stale %t: %s", got.Key, got.Stale, got.Why)
	}
	if got.Snapshot.URL != "s3://lake/data/a.json" || string(got.Snapshot.Body) != seeded("09") {
		t.Errorf("snapshot of %s", got.Snapshot.URL)
	}
	noKey(t, []outside.Snapshot{got.Snapshot})
}

// TestAnObjectThatCannotBeUsedIsPassedOver promises the one before it, said to be
// older, with what was wrong.
func TestAnObjectThatCannotBeUsedIsPassedOver(t *testing.T) {
	for name, body := range map[string]string{
		"half":         seeded("10")[:200],
		"without air":  strings.Replace(seeded("10"), "cpcb_data", "other", 1),
		"without time": strings.Replace(seeded("10"), `"timestamp":"2026-11-12T10:30:00Z"`, `"x":1`, 1),
	} {
		s := newShore(t)
		s.put(t, "data/good.json", seeded("08"), 8)
		s.put(t, "data/bad.json", body, 10)
		l, _ := shoreLake(s, nil)
		got, err := l.Latest(t.Context())
		if err != nil || got.Key != "data/good.json" || !got.Stale || !strings.Contains(got.Why, "data/bad.json") {
			t.Errorf("%s: got %s, stale %t: %s, %v", name, got.Key, got.Stale, got.Why, err)
		}
		if src := got.Listed(); !src.Stale || src.Note != got.Why || src.SHA256 != got.Snapshot.SHA256.String() {
			t.Errorf("%s: listed as %+v", name, src)
		}
	}
}

// TestABucketThatIsAwayIsAskedAgain promises 1, 2 and 4 seconds, then the last good
// object, said to be old; and where there is none, a fault.
func TestABucketThatIsAwayIsAskedAgain(t *testing.T) {
	s := newShore(t)
	s.put(t, "data/a.json", seeded("08"), 8)
	s.refuse = 2
	l, watch := shoreLake(s, nil)
	first, err := l.Latest(t.Context())
	if err != nil || first.Stale || !slices.Equal(watch.seconds(), []int{1, 2}) {
		t.Fatalf("%v, waited %v", err, watch.seconds())
	}
	s.refuse = 1000
	got, err := l.Latest(t.Context())
	if err != nil || !got.Stale || got.Key != first.Key || !strings.Contains(got.Why, "does not answer") || !slices.Equal(watch.seconds(),
		[]int{1, 2, 1, 2, 4}) {
		t.Errorf("got %+v, %v, waited %v", got, err, watch.seconds())
	}

	kept := func(context.Context) (outside.Snapshot, error) { return first.Snapshot, nil }
	l, _ = shoreLake(s, kept) // another process, which has read nothing yet
	if got, err = l.Latest(t.Context()); err != nil || !got.Stale || got.Key != "data/a.json" || got.Object == nil {
		t.Errorf("got %+v, %v", got, err)
	}
	broken := func(context.Context) (outside.Snapshot, error) {
		other := first.Snapshot
		other.Body = []byte(seeded("09"))
		return other, nil
	}
	l, _ = shoreLake(s, broken)
	_, err = l.Latest(t.Context())
	isAway(t, err, origin.Lake, fault.Unavailable)
	l, _ = shoreLake(s, nil)
	_, err = l.Latest(t.Context())
	isAway(t, err, origin.Lake, fault.Unavailable)
	s.refuse = 0
	empty, _ := shoreLake(newShore(t), nil)
	_, err = empty.Latest(t.Context())
	isAway(t, err, origin.Lake, fault.NotFound)
}

// TestAnObjectIsWrittenOnce promises that what was put together can be read again,
// that writing it twice leaves one, and that a notice leads nowhere else.
func TestAnObjectIsWrittenOnce(t *testing.T) {
	s := newShore(t)
	l, _ := shoreLake(s, nil)
	o, err := lake.Read([]byte(seeded("08")))
	if err != nil {
		t.Fatal(err)
	}
	first, err := l.Put(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	second, err := l.Put(t.Context(), o)
	if err != nil || first.Key != second.Key || !strings.HasPrefix(first.Key, "data/harmonised_20261112_083000_") {
		t.Errorf("got %s and %s, %v", first.Key, second.Key, err)
	}
	got, err := l.Latest(t.Context())
	if err != nil || got.Key != first.Key || got.Snapshot.SHA256 != first.Snapshot.SHA256 {
		t.Errorf("got %s, %v", got.Key, err)
	}
	for _, key := range []string{"../x.json", "/etc/passwd", "data/../../x", ""} {
		if _, err := l.At(t.Context(), key); !fault.Is(err, fault.Invalid) {
			t.Errorf("key %q: %v", key, err)
		}
	}
	if _, err := l.At(t.Context(), "data/none.json"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a key of nothing: %v", err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, filepath.FromSlash(first.Key)), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Put(t.Context(), o); !fault.Is(err, fault.Conflict) {
		t.Errorf("another object at its place: %v", err)
	}
	var _ blob.Backend = s // the lake stands on what blobs stand on
}
