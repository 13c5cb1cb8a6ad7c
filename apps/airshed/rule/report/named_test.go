package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
)

// cites reports whether a report cites a provision.
func cites(r report.Report, id lawbook.ID) bool {
	return slices.ContainsFunc(r.Law.Cited, func(c lawbook.Cited) bool { return c.ID == id })
}

// TestWhoIsNamed promises that a second state is named only where all of its range is
// more than next to nothing, that nobody is where the first share lies beyond the
// reach of the Act, and that the Act's penalty and appeal are cited only of somebody.
func TestWhoIsNamed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(a *analysis.Attribution)
		want   []string
	}{
		{"both ranges above a tenth", func(*analysis.Attribution) {}, []string{"Punjab", "Haryana"}},
		{"the second from a tenth", func(a *analysis.Attribution) { a.States[1].Low = 10 }, []string{"Punjab", "Haryana"}},
		{"the second from below a tenth", func(a *analysis.Attribution) { a.States[1].Low = 9.9 }, []string{"Punjab"}},
		{"the first abroad", func(a *analysis.Attribution) { a.First, a.States[0].State = analysis.Abroad, analysis.Abroad }, []string{}},
		{"the first out of reach", func(a *analysis.Attribution) { a.First, a.States[0].State = "Madhya Pradesh", "Madhya Pradesh" },
			[]string{}},
	} {
		a := conclusive()
		a.Attribution.States = slices.Delete(a.Attribution.States, 2, 3) // abroad is put in the first place instead
		tt.change(&a.Attribution)
		r := build(t, a)
		var sent []string
		for _, n := range r.Notices {
			sent = append(sent, n.State)
		}
		if !slices.Equal(r.Law.Reached, tt.want) || !slices.Equal(sent, tt.want) {
			t.Errorf("%s: reached %v, notices to %v, want %v", tt.name, r.Law.Reached, sent, tt.want)
		}
		if named := len(tt.want) > 0; cites(r, "caqm-act-14") != named || cites(r, "caqm-act-18") != named {
			t.Errorf("%s: penalty cited %v, appeal cited %v", tt.name, cites(r, "caqm-act-14"), cites(r, "caqm-act-18"))
		}
		if found, err := r.Verify(nil, r.Parts()...); err != nil || len(found.Findings) > 0 {
			t.Errorf("%s: %v, %v", tt.name, err, found.Findings)
		}
	}
}

// TestADirectionIsAsOldAsTheFires promises that no direction is cited about fires of
// days on which it was not there yet, and that one of a season ends with it.
func TestADirectionIsAsOldAsTheFires(t *testing.T) {
	for _, tt := range []struct {
		from, surge string
		d90, d95    bool
	}{
		{"2025-10-01T00:30:00Z", "2025-10-04T07:30:00Z", true, true},
		{"2025-09-29T07:30:00Z", "2025-10-03T07:30:00Z", true, false},
		{"2026-11-10T07:30:00Z", "2026-11-14T07:30:00Z", false, true},
	} {
		a := conclusive()
		a.Fires.From, a.Surge.Time = at(tt.from), at(tt.surge)
		r := build(t, a)
		if cites(r, "caqm-direction-90") != tt.d90 || cites(r, "caqm-direction-95") != tt.d95 {
			t.Errorf("fires from %s, surge %s: cited %+v", tt.from, tt.surge, r.Law.Refused)
		}
	}
}

// TestOnlyWhatWasDoneIsSaid promises that static sources are said to be taken out
// only where a list of them was used, that no log is spoken of which nobody read, and
// that the counts are said not to be the official ones.
func TestOnlyWhatWasDoneIsSaid(t *testing.T) {
	a := conclusive()
	with := strings.Join(build(t, a).Alternatives, " ")
	a.Rules = []analysis.Rule{{Name: analysis.StaticSources, Version: analysis.NoRule}}
	r := build(t, a)
	without := strings.Join(r.Alternatives, " ")
	const taken, none = "after known static sources were taken out", "no list of static sources was used"
	if !strings.Contains(with, taken) || strings.Contains(with, none) || strings.Contains(without, taken) ||
		!strings.Contains(without, none) {
		t.Errorf("with a list: %s\nwithout: %s", with, without)
	}
	if !strings.Contains(r.LowerBound, "not comparable with official counts") {
		t.Errorf("got %s", r.LowerBound)
	}
	m := meta()
	for _, outages := range [][]string{nil, {}, {"12 November, 10:00 to 10:20 IST"}} {
		m.Outages = outages
		r, err := report.Build(a, m, book(t))
		if err != nil {
			t.Fatal(err)
		}
		c, err := r.Certificate()
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(c.Notices, " ")
		if got, want := strings.Contains(all, "No log of the system was consulted"), outages == nil; got != want {
			t.Errorf("outages %v: %s", outages, all)
		}
		if got, want := strings.Contains(all, "log shows no outage"), outages != nil && len(outages) == 0; got != want {
			t.Errorf("outages %v: %s", outages, all)
		}
	}
}
