package evidence_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/evidence/selector"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func (r *rig) took(t testing.TB, source, text string) evidence.Snapshot {
	t.Helper()
	snap, err := r.Take(t.Context(), gavel, evidence.Receipt{Source: source}, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func (r *rig) standing(t testing.TB, source string) evidence.Standing {
	t.Helper()
	all, err := r.Standings(t.Context(), postgrestest.North)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Source.Name == source {
			return s
		}
	}
	t.Fatalf("no source is called %s", source)
	return evidence.Standing{}
}

func TestAStandingSaysHowASourceIsAndWhatRestsOnIt(t *testing.T) {
	r := newRig(t)
	if s := r.standing(t, "cpcb"); s.Is() != evidence.Never || s.LastID != "" || s.Facts != 0 {
		t.Errorf("before anything came: got %+v (%s)", s, s.Is())
	}
	if s := r.standing(t, "small"); s.Is() != evidence.Unscheduled {
		t.Errorf("a source nobody waits for is %s", s.Is())
	}
	snap := r.took(t, "cpcb", "sector,val\n1,412\n")
	r.record(t, r.openCase(t, "c"), cell(t, snap, 1, "412"))
	s := r.standing(t, "cpcb")
	if s.Is() != evidence.Fresh || s.LastID != snap.ID || s.Facts != 1 || s.Fetches != 1 || s.Changes != 0 {
		t.Errorf("got %+v (%s)", s, s.Is())
	}
	late, err := evidence.New(evidence.Config{DB: r.db.App, Blobs: r.blobs, Rules: policy.Standard(), Vault: r.vault, Sources: testSources,
		Code:  "test",
		Clock: durable.Clock{Epoch: time.Now().Add(-time.Hour), Speed: 6}})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := late.Standings(t.Context(), postgrestest.North); err != nil || all[1].Is() != evidence.Late {
		t.Errorf("five hours later: got %+v, %v", all[1], err)
	}
	if all, err := r.Standings(t.Context(), postgrestest.South); err != nil || all[1].Is() != evidence.Never || all[1].Facts != 0 {
		t.Errorf("south: got %+v, %v", all[1], err)
	}
}

func TestAChangeOfFormIsNoticedAndOtherBytesAreNot(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		text string
		want int64
	}{
		{"station,pm25\nAlipur,412\n", 0},
		{"station,pm25\nAlipur,399\nJind,88\n", 0},      // other rows
		{"\xef\xbb\xbfstation,pm25\r\nAlipur,1\r\n", 0}, // the same head, written otherwise
		{"station,pm10\nAlipur,399\n", 1},               // a column was renamed
		{"station,pm10,wind\nAlipur,399,N\n", 2},        // one came
		{`{"station":"Alipur"}`, 3},                     // it is no table any more
		{`{"town":"Jind"}`, 3},
	} {
		r.took(t, "cpcb", tt.text)
		if got := r.standing(t, "cpcb").Changes; got != tt.want {
			t.Errorf("after %q: got %d changes, want %d", tt.text, got, tt.want)
		}
	}
}

func TestRowsOfATableAreShownAPageAtATime(t *testing.T) {
	r := newRig(t)
	text := "a,b\n" + strings.Repeat("1,2\n", selector.PageRows+3)
	snap := r.took(t, "cpcb", text)
	for _, tt := range []struct {
		from, rows int
		more       bool
		want       fault.Kind
	}{
		{1, selector.PageRows, true, 0}, {4, selector.PageRows, false, 0}, {selector.PageRows + 3, 1, false, 0},
		{selector.PageRows + 4, 0, false, fault.NotFound}, {0, 0, false, fault.Invalid}, {-1, 0, false, fault.Invalid},
	} {
		e, more, err := r.Rows(t.Context(), postgrestest.North, snap.SHA256, tt.from)
		if tt.want != 0 {
			if !fault.Is(err, tt.want) {
				t.Errorf("from %d: got %v, want %s", tt.from, err, tt.want)
			}
			continue
		}
		if err != nil || len(e.Rows) != tt.rows || more != tt.more || e.Rows[0].Number != tt.from {
			t.Errorf("from %d: got %d rows, more %v, %v; want %d, %v", tt.from, len(e.Rows), more, err, tt.rows, tt.more)
		}
	}
	if _, _, err := r.Rows(t.Context(), postgrestest.South, snap.SHA256, 1); !fault.Is(err, fault.NotFound) {
		t.Errorf("south reads north's rows: %v", err)
	}
	empty := r.took(t, "small", "a,b\n")
	if e, more, err := r.Rows(t.Context(), postgrestest.North, empty.SHA256, 1); err != nil || more || len(e.Rows) != 0 ||
		len(e.Header) != 2 {
		t.Errorf("a table without rows: got %+v, %v, %v", e, more, err)
	}
}
