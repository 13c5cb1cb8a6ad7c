package signal_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/fault"
)

var now = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

const imphalWest = 256

func report(change func(*signal.Report)) signal.Report {
	r := signal.Report{EventID: "e1", Source: "paper", SourceType: "public_open_source", EventType: "battle", At: now.Add(-time.Hour),
		LGD: imphalWest, Summary: "Something happened"}
	change(&r)
	return r
}

func died(n int) *int { return &n }

// TestWhatAReportLeavesOutIsClassified promises layers, severity, way and tag by type, by deaths and by whole words.
func TestWhatAReportLeavesOutIsClassified(t *testing.T) {
	for _, tt := range []struct {
		name        string
		change      func(*signal.Report)
		layers      []signal.Layer
		severity    int
		polarity    signal.Polarity
		enforcement bool
	}{
		{"a fight without deaths", func(r *signal.Report) { r.EventType, r.Fatalities = "Battles", died(0) },
			[]signal.Layer{signal.Physical}, 2, signal.Escalatory, false},
		{"one death", func(r *signal.Report) { r.EventType, r.Fatalities = "Riots", died(1) }, []signal.Layer{signal.Physical}, 3,
			signal.Escalatory, false},
		{"three deaths", func(r *signal.Report) { r.EventType, r.Fatalities = "violence against civilians", died(3) },
			[]signal.Layer{signal.Physical}, 4, signal.Escalatory, false},
		{"ten deaths", func(r *signal.Report) { r.EventType, r.Fatalities = "explosion", died(10) }, []signal.Layer{signal.Physical}, 5,
			signal.Escalatory, false},
		{"a peaceful protest", func(r *signal.Report) { r.EventType = "Peaceful protest" }, []signal.Layer{signal.Cognitive}, 1,
			signal.Neutral, false},
		{"a mass protest", func(r *signal.Report) { r.EventType, r.Summary = "", "Mass protest rally with thousands" },
			[]signal.Layer{signal.Cognitive, signal.Network}, 2, signal.Neutral, false},
		{"a recovery of arms", func(r *signal.Report) { r.EventType, r.Summary = "", "Arms cache recovered near border area" },
			[]signal.Layer{signal.Physical}, 2, signal.Neutral, true},
		{"capitals", func(r *signal.Report) { r.EventType, r.Summary = "", "IED found on NH-37" }, []signal.Layer{signal.Physical}, 2,
			signal.Escalatory, false},
		{"a bandh", func(r *signal.Report) { r.EventType = "bandh" }, []signal.Layer{signal.Network}, 2, signal.Escalatory, false},
		{"talks", func(r *signal.Report) { r.EventType, r.Summary = "", "Peace dialogue meeting" }, []signal.Layer{signal.Cognitive}, 1,
			signal.Stabilizing, false},
		{"a machine's word alone", func(r *signal.Report) { r.Source, r.Fatalities = "GDELT", died(12) },
			[]signal.Layer{signal.Physical}, 2, signal.Escalatory, false},
		{"what it says itself", func(r *signal.Report) {
			r.EventType, r.Severity, r.Polarity, r.Layers = "arms_recovery", 3, signal.Escalatory, []signal.Layer{signal.Network}
		}, []signal.Layer{signal.Network}, 3, signal.Escalatory, true},
	} {
		got, err := signal.Classifier{}.Classify(report(tt.change), now)
		if err != nil || !slices.Equal(got.Layers,
			tt.layers) || got.Severity != tt.severity || got.Polarity != tt.polarity || got.Enforcement != tt.enforcement {
			t.Errorf("%s: got %+v, %v", tt.name, got, err)
		}
	}
}

// TestFarmsAreNoArms promises that words are whole: what only contains one is not classified by it.
func TestFarmsAreNoArms(t *testing.T) {
	_, err := signal.Classifier{}.Classify(report(func(r *signal.Report) {
		r.EventType, r.Summary = "other",
			"Farms recovered after the flood"
	}), now)
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want a refusal: nothing says what it is", err)
	}
}

func TestWhatCannotBeWeighedIsRefused(t *testing.T) {
	for name, change := range map[string]func(*signal.Report){
		"no id":              func(r *signal.Report) { r.EventID = "" },
		"no time":            func(r *signal.Report) { r.At = time.Time{} },
		"six minutes ahead":  func(r *signal.Report) { r.At = now.Add(6 * time.Minute) },
		"no district":        func(r *signal.Report) { r.LGD = 0 },
		"a severity of 6":    func(r *signal.Report) { r.Severity = 6 },
		"a fourth way":       func(r *signal.Report) { r.Polarity = "worse" },
		"a layer twice":      func(r *signal.Report) { r.Layers = []signal.Layer{signal.Physical, signal.Physical} },
		"too many words":     func(r *signal.Report) { r.Summary = strings.Repeat("é", signal.MaxSummary+1) },
		"fewer than no dead": func(r *signal.Report) { r.Fatalities = died(-1) },
	} {
		if got, err := (signal.Classifier{}).Classify(report(change), now); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	if _, err := (signal.Classifier{}).Classify(report(func(r *signal.Report) { r.At = now.Add(4 * time.Minute) }), now); err != nil {
		t.Errorf("clocks differ by four minutes: %v", err)
	}
}

const tableHead = "lgd,valid_from,valid_to,tags,reviewed_by,reviewed_on\n"

// TestTheDistrictSaysHowMuchASignalWeighs promises the greatest of the tags that a person signed, by the time of the signal;
// a word like "border" is a hint and nothing else.
func TestTheDistrictSaysHowMuchASignalWeighs(t *testing.T) {
	table,
		err := signal.ReadTable(strings.NewReader(tableHead +
		"256,2020-01-01,2026-01-01,capital sensitive_zone,A. Reviewer,2025-12-01\n256,2026-01-01,,capital market,A. Reviewer,2026-01-02\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		lgd  int
		at   time.Time
		want float64
		from signal.Origin
	}{
		{256, now, 1.4, signal.Reviewed}, {256, now.AddDate(-2, 0, 0), 1.6, signal.Reviewed},
		{256, now.AddDate(-10, 0, 0), 1, signal.Unknown}, {255, now, 1, signal.Unknown},
	} {
		if got, from := table.Multiplier(tt.lgd, tt.at); got != tt.want || from != tt.from {
			t.Errorf("%d at %v: got %v, %s, want %v, %s", tt.lgd, tt.at, got, from, tt.want, tt.from)
		}
	}
	s, err := signal.Classifier{}.Classify(report(func(r *signal.Report) { r.Summary = "Firing near the border" }), now)
	if err != nil || s.Geo != 1 || !slices.Equal(s.Hints, []signal.Tag{signal.NearBorder}) {
		t.Errorf("got %+v, %v, want a hint and no weight", s, err)
	}
	for name, line := range map[string]string{
		"nobody signed": "256,2020-01-01,,capital,,2025-12-01", "no such tag": "256,2020-01-01,,hill,A,2025-12-01",
		"no day":  "256,soon,,capital,A,2025-12-01",
		"no code": "Imphal,2020-01-01,,capital,A,2025-12-01", "twice": "1,2020-01-01,,,A,2025-12-01\n1,2021-01-01,,,A,2025-12-01",
	} {
		if _, err := signal.ReadTable(strings.NewReader(tableHead + line + "\n")); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestOneEventInFivePapersCountsOnce promises one signal with its number of sources, and that neither another day, type
// nor district is the same event.
func TestOneEventInFivePapersCountsOnce(t *testing.T) {
	var all []signal.Signal
	for i, paper := range []string{"a", "b", "c", "d", "e", "a"} {
		s, err := signal.Classifier{}.Classify(report(func(r *signal.Report) {
			r.EventID, r.Source, r.Fatalities, r.At = paper+string(rune('0'+i)), paper, died(i), now.Add(time.Duration(i-10)*time.Minute)
		}), now)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	got := signal.Cluster(all)
	if len(got) != 1 || got[0].Sources != 5 || got[0].Severity != 4 || !got[0].At.Equal(now.Add(-5*time.Minute)) || got[0].ID != "a0" {
		t.Errorf("got %+v, want one event of five sources", got)
	}
	other := all[0]
	other.At = now.Add(7 * time.Hour) // 00:30 of the next day in India
	elsewhere := all[0]
	elsewhere.LGD = 255
	if got := signal.Cluster(append(all, other, elsewhere)); len(got) != 3 {
		t.Errorf("got %d events, want three", len(got))
	}
}

// TestNoFurtherReportOfTroubleHidesIt promises that adding a report that points up never makes an event weigh less or older.
func TestNoFurtherReportOfTroubleHidesIt(t *testing.T) {
	draw := rapid.Custom(func(t *rapid.T) signal.Signal {
		return signal.Signal{ID: rapid.StringMatching(`[a-z]{3}`).Draw(t, "id"),
			Source: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "source"), Type: signal.Battle,
			At: now.Add(-time.Duration(rapid.IntRange(0, 300).Draw(t, "age")) * time.Minute), LGD: 1,
			Severity: rapid.IntRange(1, 5).Draw(t, "severity"), Geo: 1,
			Polarity: rapid.SampledFrom(signal.Polarities()).Draw(t, "polarity"), Layers: []signal.Layer{signal.Physical},
			Enforcement: rapid.Bool().Draw(t, "enforcement")}
	})
	weight := func(s signal.Signal) float64 {
		if s.Polarity != signal.Escalatory {
			return 0
		}
		return s.Weight()
	}
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SliceOfN(draw, 1, 6).Draw(t, "before")
		more := draw.Draw(t, "more")
		more.Polarity = signal.Escalatory
		a, b := signal.Cluster(before), signal.Cluster(append(before, more))
		if len(a) != 1 || len(b) != 1 || weight(b[0]) < weight(a[0]) || b[0].At.Before(a[0].At) || b[0].Enforcement && !a[0].Enforcement {
			t.Fatalf("%+v became %+v", a, b)
		}
	})
}
