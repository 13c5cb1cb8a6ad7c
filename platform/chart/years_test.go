package chart_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/chart"
)

// TestLinesOverYearsStandWhereTheirValuesAre promises uneven years at their own distance, a gap where there is no value, values below
// zero below the axis, and names escaped.
func TestLinesOverYearsStandWhereTheirValuesAre(t *testing.T) {
	svg := string(chart.Years(chart.Look{ID: "x"}, "Net <emissions>", "", "Mt", []int{2025, 2030, 2050},
		[]chart.YearLine{{"A & B", []float64{100, 50, -50}}, {"C", []float64{0, math.NaN(), 100}}}))
	for _, want := range []string{"Net &lt;emissions&gt;", "A &amp; B", `d="M52.0 30.0L147.6 88.7L530.0 206.0"`,
		`d="M52.0 147.3M530.0 30.0"`, `<circle class="lone series s2 dash" cx="530.0"`, ">−50<", ">2030<", ">Mt<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is not in %s", want, svg)
		}
	}
	if again := chart.Years(chart.Look{ID: "x"}, "t", "", "", nil, nil); !strings.HasSuffix(string(again), "</svg>") {
		t.Errorf("nothing: got %s", again)
	}
}

// TestWhatFallsStandsLeft promises bars on the side of their sign, the longest as long as there is room.
func TestWhatFallsStandsLeft(t *testing.T) {
	svg := string(chart.Steps(chart.Look{ID: "x"}, "t", "", []chart.Step{{"Power", "−100", -100}, {"Land", "50", 50},
		{"None", "?", math.NaN()}}))
	if strings.Count(svg, "share-tick") != 2 || !strings.Contains(svg, `x="204.0"`) || !strings.Contains(svg, `x="392.0"`) {
		t.Errorf("got %s", svg)
	}
}

// TestNamesOfLinesThatEndTogetherStayInThePicture promises a name for each of twelve lines that end in one point, none below the foot.
func TestNamesOfLinesThatEndTogetherStayInThePicture(t *testing.T) {
	var lines []chart.YearLine
	for i := range 12 {
		lines = append(lines, chart.YearLine{Name: "Line " + string(rune('A'+i)), Values: []float64{float64(i), 0}})
	}
	svg := string(chart.Years(chart.Look{ID: "x"}, "t", "", "", []int{2025, 2050}, lines))
	for _, m := range regexp.MustCompile(`y="([0-9.]+)">Line`).FindAllStringSubmatch(svg, -1) {
		if y, err := strconv.ParseFloat(m[1], 64); err != nil || y > 211 || y < 30 {
			t.Errorf("a name stands at %s", m[1])
		}
	}
	if strings.Count(svg, ">Line ") != 12 {
		t.Errorf("not every line is named: %s", svg)
	}
}

// TestNamesOfAClusterStayInThePicture promises the same of lines that end close to each other in the middle, one of which has a name of two
// lines: none above the head.
func TestNamesOfAClusterStayInThePicture(t *testing.T) {
	var lines []chart.YearLine
	for i := range 11 {
		lines = append(lines, chart.YearLine{Name: "Line " + string(rune('A'+i)), Values: []float64{0, 50 + float64(i)}})
	}
	lines = append(lines, chart.YearLine{Name: "Line of pumped hydro (eight hours or more)", Values: []float64{0, 100}})
	svg := string(chart.Years(chart.Look{ID: "x"}, "t", "", "", []int{2025, 2050}, lines))
	all := regexp.MustCompile(`y="([0-9.-]+)">(?:Line|hours|more|\(eight)`).FindAllStringSubmatch(svg, -1)
	for _, m := range all {
		if y, err := strconv.ParseFloat(m[1], 64); err != nil || y > 224 || y < 26 {
			t.Errorf("a name stands at %s", m[1])
		}
	}
	if len(all) < 12 {
		t.Errorf("%d names are there: %s", len(all), svg)
	}
}

// TestLinesOverTimeShowGapsAndWhatChanged promises a gap where nothing is known, dots where each value stands for itself, a line at
// each value that counts, and one at each change.
func TestLinesOverTimeShowGapsAndWhatChanged(t *testing.T) {
	at := func(day int) time.Time { return noon.AddDate(0, 0, day) }
	times := []time.Time{at(0), at(1), at(2), at(10)}
	svg := chart.Dates(chart.Look{ID: "x"}, "T", "", 100, []float64{30},
		[]chart.DateLine{{Name: "Now", Times: times, Values: []float64{0, math.NaN(), 50, 100}},
			{Name: "Then", Times: times, Values: []float64{30, math.NaN()}, Dots: true}},
		[]chart.DateMark{{at(5), "new <weights>"}, {at(-3), "before all"}})
	sound(t, svg)
	for _, want := range []string{"M142.4 99.0L568.0 26.0", `cx="36.0" cy="128.2"`, "M302.0 26.0V172.0", "new &lt;weights&gt;", ">30<",
		">23"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("%s is not in %s", want, svg)
		}
	}
	if strings.Contains(string(svg), "before all") {
		t.Error("a change from before the drawing is on it")
	}
}
