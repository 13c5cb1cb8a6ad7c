package list_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/list"
)

type row struct {
	At time.Time
	ID string
}

// TestEveryRowIsOnOnePart promises that whoever goes from part to part meets every row once,
// in order, however many there are, also where several are of one moment; and that the last
// part says that it is.
func TestEveryRowIsOnOnePart(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, limit := rapid.IntRange(0, 40).Draw(r, "n"), rapid.IntRange(1, 15).Draw(r, "limit")
		var all []row
		for i := range n {
			all = append(all, row{time.Date(2026, 1, 1, 0, 0, i/3, 0, time.UTC), string(rune('A' + i))})
		}
		read := func(from list.Cursor, most int) ([]row, error) {
			left := slices.DeleteFunc(slices.Clone(all), func(x row) bool {
				return !from.At.IsZero() && (x.At.Before(from.At) || x.At.Equal(from.At) && x.ID <= from.ID)
			})
			return left[:min(len(left), most)], nil
		}
		var got []row
		after, parts := "", 0
		for {
			rows, next, err := list.Part(after, limit, func(x row) list.Cursor { return list.Cursor{At: x.At, ID: x.ID} }, read)
			if err != nil || len(rows) > limit || next != "" && len(rows) != limit {
				r.Fatalf("a part of %d has %d rows, and next %q (%v)", limit, len(rows), next, err)
			}
			got, parts = append(got, rows...), parts+1
			if after = next; after == "" {
				break
			}
		}
		if !slices.Equal(got, all) || parts != max((n+limit-1)/limit, 1) {
			r.Fatalf("%d parts of %d have %v, want %v", parts, limit, got, all)
		}
	})
}

func TestAMadeUpTokenIsRefused(t *testing.T) {
	const moment = "2026-01-01T00:00:00Z"
	for _, token := range []string{"x", moment, moment + " a\x00", moment + " " + strings.Repeat("a", 101)} {
		if _, err := list.ParseCursor(token); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q got %v, want invalid", token, err)
		}
	}
}

type colour string

type filter struct {
	Van   string `query:"vanpool_id" page:"van" maxLength:"6"`
	Shade colour `query:"shade" enum:"red,blue"`
	Site  string `query:"site" page:"-"`
	Open  bool   `query:"open"`
	Limit int    // narrows nothing
}

// TestWhatNarrowsAListIsTheSameEverywhere promises that a page's address, the API's and the
// struct say the same, and that a page takes nothing else.
func TestWhatNarrowsAListIsTheSameEverywhere(t *testing.T) {
	var f filter
	q := url.Values{"van": {"VP-101"}, "shade": {"blue"}, "open": {"yes"}, "vanpool_id": {"other"}, "site": {"one"}}
	if err := list.Read(q, &f); err != nil || f != (filter{"VP-101", "blue", "", true, 0}) {
		t.Fatalf("got %+v (%v)", f, err)
	}
	if got := list.Queries(&f); !slices.Equal(got, []string{"vanpool_id", "VP-101", "shade", "blue", "site", "", "open", "true"}) {
		t.Errorf("the API is asked %v", got)
	}
	if got := list.Pairs(&f); !slices.Equal(got, []string{"van", "VP-101", "shade", "blue", "open", "yes"}) {
		t.Errorf("the page is at %v", got)
	}
	for _, q := range []url.Values{{"shade": {"green"}}, {"van": {"VP-1010"}}, {"van": {"a\x00"}}, {"van": {"\xff"}}} {
		if err := list.Read(q, &filter{}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%v got %v, want invalid", q, err)
		}
	}
}
