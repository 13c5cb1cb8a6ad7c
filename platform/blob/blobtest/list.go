package blobtest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/blob"
)

// A Lister is a backend that says what lies in it.
type Lister interface {
	blob.Backend
	List(ctx context.Context, prefix string, visit func(key string, size int64, modified time.Time) error) error
}

// List checks that a backend lists the keys under a prefix, with their sizes and
// times, and stops when it is told to.
func List(t *testing.T, b Lister) {
	t.Helper()
	for _, key := range []string{"data/b.json", "data/a.json", "data/deep/c.json", "database.json", "other/x.json"} {
		place(t, b, key, "{}")
	}
	for prefix, want := range map[string][]string{
		"data/":      {"data/a.json", "data/b.json", "data/deep/c.json"},
		"data":       {"data/a.json", "data/b.json", "data/deep/c.json", "database.json"},
		"data/deep/": {"data/deep/c.json"},
		"data/a":     {"data/a.json"},
		"nowhere/":   nil,
	} {
		var got []string
		err := b.List(t.Context(), prefix, func(key string, size int64, modified time.Time) error {
			if size != 2 || modified.IsZero() {
				t.Errorf("%s: got %d bytes of %s", key, size, modified)
			}
			got = append(got, key)
			return nil
		})
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v, want %v", prefix, got, err, want)
		}
	}
	enough, n := errors.New("enough"), 0
	err := b.List(t.Context(), "data/", func(string, int64, time.Time) error { n++; return enough })
	if !errors.Is(err, enough) || n != 1 {
		t.Errorf("got %v after %d, want an end at the first", err, n)
	}
}

func place(t *testing.T, b blob.Backend, key, text string) {
	t.Helper()
	draft, err := b.Draft(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := draft.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if _, err := draft.Commit(t.Context(), key, blob.Sum([]byte(text)), blob.Absent); err != nil {
		t.Fatal(err)
	}
}
