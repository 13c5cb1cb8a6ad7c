package report_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/quality"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
)

// complaint is the bad November day answered by the second method: Punjab, very likely.
func complaint() analysis.Analysis {
	a := conclusive()
	states := a.Attribution.States
	w := &analysis.Whose{
		Finding: likelihood.Finding{State: "Punjab", P: 0.94, Word: likelihood.VeryLikely, Smoke: likelihood.VeryLikely,
			Act: likelihood.Complaint, Wanting: []likelihood.Demand{}},
		Policy: string(analysis.Statements), Asked: 0.9, Why: []likelihood.Reason{}, Members: []likelihood.Member{},
		Matter: likelihood.Matter{Known: true, M: 0.97, Least: 38.6, Hours: 161, Of: 168, Days: 8},
		Data: analysis.WhoseData{Grade: likelihood.Medium, Lacks: []likelihood.Lack{}, Partial: []likelihood.Lack{likelihood.CloudUnknown},
			Wind: 98.2, Cloud: 81.3, Effective: 212.4, Still: 4.2, Flags: []quality.Flag{}, Days: 4, Afternoons: 4, States: 3},
	}
	for i, s := range states {
		w.States = append(w.States, analysis.WhoseShare{State: s.State, P: []float64{0.94, 0.02, 0, 0}[i], Low: p(s.Low),
			Median: p(s.Median), High: p(s.High), Fires: 100})
	}
	a.Whose, a.Gaps = w, slices.DeleteFunc(a.Gaps, func(g analysis.Gap) bool { return g.Code == analysis.WindEdge })
	a.Attribution = analysis.Attribution{Verdict: analysis.Complaint, Conclusive: true, First: "Punjab", Reasons: []plume.Reason{},
		States: states, Districts: []analysis.Share{}, Members: 100, Of: 100, Agreed: 94, Needed: 90, Means: a.Attribution.Means}
	return a
}

// inquiry is the same day with winds that make it likely and no more.
func inquiry() analysis.Analysis {
	a := complaint()
	a.Whose.P, a.Whose.Word, a.Whose.Act, a.Whose.States[0].P = 0.78, likelihood.Likely, likelihood.Inquiry, 0.78
	a.Attribution.Verdict, a.Attribution.Conclusive, a.Attribution.Agreed = analysis.Inquiry, false, 78
	a.Attribution.Reasons = []plume.Reason{{Code: analysis.SurerWhose}}
	return a
}

// undetermined is the same day with readings of six days that say nothing of smoke, and
// no state ahead.
func undetermined() analysis.Analysis {
	a := inquiry()
	a.Whose.P, a.Whose.Word, a.Whose.Act, a.Whose.States[0].P = 0.52, likelihood.NotDetermined, likelihood.Nothing, 0.52
	a.Whose.Smoke, a.Whose.Matter.M = likelihood.NotDetermined, 0.71
	a.Attribution.Verdict, a.Attribution.Agreed = analysis.Undetermined, 52
	a.Attribution.Reasons = []plume.Reason{{Code: analysis.SurerWhose}, {Code: analysis.SurerMatter}}
	return a
}

// poor is the likely day on data that are low for every reason there is.
func poor() analysis.Analysis {
	a := complaint()
	d := &a.Whose.Data
	d.Grade, d.Partial, d.Wind, d.Cloud, d.Effective, d.Still, d.Afternoons = likelihood.Low, []likelihood.Lack{}, 61.0, 12.5, 4.4, 62.5, 1
	d.Flags = []quality.Flag{quality.Reversed, quality.Stuck, quality.Alone}
	d.Lacks = []likelihood.Lack{likelihood.WindShort, likelihood.CloudUnknown, likelihood.FewFires, likelihood.Still, likelihood.Doubtful,
		likelihood.OneState, likelihood.FewPasses}
	a.Whose.Matter, a.Whose.Smoke = likelihood.Matter{Of: 168}, likelihood.NotDetermined
	a.Whose.Word, a.Whose.Act = likelihood.NotDetermined, likelihood.Nothing
	a.Attribution.Verdict, a.Attribution.Conclusive = analysis.Undetermined, false
	a.Attribution.Reasons = []plume.Reason{{Code: analysis.SurerMatter}}
	for _, l := range d.Lacks {
		a.Attribution.Reasons = append(a.Attribution.Reasons, plume.Reason{Code: plume.Code(l)})
	}
	a.Whose.States, a.Attribution.States = a.Whose.States[:1], []analysis.Share{}
	a.Whose.States[0].Low, a.Whose.States[0].Median, a.Whose.States[0].High = nil, nil, nil
	return a
}

// nothingToShare is a day for which nobody looked for fires.
func nothingToShare() analysis.Analysis {
	a := undetermined()
	a.Whose.Why, a.Whose.States, a.Whose.State, a.Whose.P = []likelihood.Reason{likelihood.NotLooked}, []analysis.WhoseShare{}, "", 0
	a.Attribution.Verdict, a.Attribution.First, a.Attribution.States = plume.Unattributed, "", []analysis.Share{}
	a.Attribution.Reasons = []plume.Reason{{Code: plume.FiresUnknown}}
	return a
}

func secondMethod() map[string]analysis.Analysis {
	return map[string]analysis.Analysis{"complaint": complaint(), "inquiry": inquiry(), "undetermined": undetermined(), "poor": poor(),
		"nothing-to-share": nothingToShare()}
}

// TestAWordNamesAStateOnlyWhereSomethingMayBeDone promises that a state is named in the
// summary, the request and the letters of a complaint and of an inquiry, and nowhere else;
// and that an inquiry threatens nobody.
func TestAWordNamesAStateOnlyWhereSomethingMayBeDone(t *testing.T) {
	for name, a := range secondMethod() {
		r := build(t, a)
		names := name == "complaint" || name == "inquiry"
		said := r.Summary + r.Legal.Request
		if strings.Contains(said, "Punjab") != names || (len(r.Notices) > 0) != names {
			t.Errorf("%s: %s; %d letters", name, said, len(r.Notices))
		}
		if prosecutes := r.Legal.Direction != ""; prosecutes != (name == "complaint") {
			t.Errorf("%s cites %q", name, r.Legal.Direction)
		}
		if names && !strings.Contains(r.Summary, string(a.Whose.Word)) {
			t.Errorf("%s: %s", name, r.Summary)
		}
		penalty := slices.ContainsFunc(r.Law.Cited, func(c lawbook.Cited) bool { return slices.Contains(c.Supports, lawbook.Penalty) })
		if penalty != (name == "complaint") {
			t.Errorf("%s cites a penalty: %v", name, penalty)
		}
	}
}

// TestAReadBackReportLeadsWithTheSameFinding promises that what an officer reads first
// follows from the kept bytes alone, and differs by what was found.
func TestAReadBackReportLeadsWithTheSameFinding(t *testing.T) {
	first := map[string]string{}
	for name, a := range secondMethod() {
		r := build(t, a)
		body, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		var back report.Report
		if err := json.Unmarshal(body, &back); err != nil {
			t.Fatal(err)
		}
		f := back.Found("/x")
		if f.Says != r.Found("/x").Says || f.Says.Hi == "" {
			t.Errorf("%s: %q and %q", name, f.Says, r.Found("/x").Says)
		}
		if other, taken := first[f.Brief.En]; taken {
			t.Errorf("%s and %s both begin %q", name, other, f.Brief.En)
		}
		first[f.Brief.En] = name
		if err := f.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhatWasSeenBetweenThePassesIsSaid promises, in both languages, the fires that no pass
// saw with their states and the last look, what may not be made of them, and that nobody
// having watched is not mentioned.
func TestWhatWasSeenBetweenThePassesIsSaid(t *testing.T) {
	if r := build(t, inquiry()); strings.Contains(r.LowerBound, "etween the passes") {
		t.Errorf("nobody watched: %s", r.LowerBound)
	}
	a := inquiry()
	a.Whose.Between = &analysis.Between{Watched: fire.Watched{Looks: 160, Fires: 14, Again: 3}, InTime: 11, Last: a.Surge.Time,
		Satellites: []fire.Satellite{"Meteosat-9"},
		States:     []analysis.BetweenState{{State: "Punjab", Fires: 9}, {State: "Haryana", Fires: 2}}}
	r := build(t, a)
	for _, want := range []string{"Meteosat-9 saw 11 fires that no pass saw, in Punjab and Haryana", "counted once",
		"make the data no better", "say nothing on whether smoke mattered"} {
		if !strings.Contains(r.LowerBound, want) {
			t.Errorf("%q is not in %s", want, r.LowerBound)
		}
	}
	a.Whose.Between.InTime, a.Whose.Between.States = 0, []analysis.BetweenState{}
	if r := build(t, a); !strings.Contains(r.LowerBound, "saw no fire that no pass saw") || !strings.Contains(r.LowerBound, "small fires") {
		t.Errorf("got %s", r.LowerBound)
	}
}

// TestWhichPollutantsWentTogetherIsSaid promises a sentence for each way it can be, and
// none where too few hours are known.
func TestWhichPollutantsWentTogetherIsSaid(t *testing.T) {
	a := inquiry()
	pm10, co := analysis.Companion{Pollutant: aqi.PM10, Rank: p(0.81), Went: true}, analysis.Companion{Pollutant: aqi.CO, Rank: p(0.2)}
	unknown := analysis.Companion{Pollutant: aqi.SO2}
	for want, all := range map[string][]analysis.Companion{
		"PM10 rose and fell with PM2.5, and CO did not": {pm10, co, unknown}, "week PM10 rose and fell with PM2.5.": {pm10},
		"none of CO rose and fell": {co, unknown},
	} {
		a.Whose.Together = all
		if said := strings.Join(build(t, a).Alternatives, " "); !strings.Contains(said, want) || strings.Contains(said, "SO2 ") {
			t.Errorf("%q is not in %s", want, said)
		}
	}
	a.Whose.Together = []analysis.Companion{unknown}
	if said := strings.Join(build(t, a).Alternatives, " "); strings.Contains(said, "rose and fell") {
		t.Errorf("got %s", said)
	}
}
