package page

import (
	"encoding/csv"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

func TestEveryTextIsThereInEveryLanguageAndUsed(t *testing.T) {
	webtest.Messages(t, ".", Messages(), "record.kind.", "retention.", "agent.", "netra.try.", "asked.", "do.", "effect.", "entry.",
		"field.", "form.", "hint.", "line.", "reason.", "setting.", "status.", "subject.", "title.", "tool.", "value.", "waiting.")
}

// TestOurPartOfTheStylesheetIsWhole promises that a slip in it cannot swallow the rules of others, and that no rule has a colour of
// its own.
func TestOurPartOfTheStylesheetIsWhole(t *testing.T) { webtest.Stylesheet(t, Assets()) }

const (
	english = "Derived from public open-source indicators. Decision support only."
	hindi   = "केवल निर्णय में सहायता के लिए।"
)

// TestTheBoardLeadsWithWhatMoved promises the district that moved most first, one of which nothing was heard hatched and without a
// number, police action alone named as such, what each of that means, and the text of governance in the reader's language.
func TestTheBoardLeadsWithWhatMoved(t *testing.T) {
	s := newStage(t)
	s.Get(t, identity.Analyst, HomeAt).Holds(t, 200, "No district yet", "gavel netra districts", english)
	s.scene(t)
	board := s.Get(t, identity.Analyst, HomeAt)
	board.Holds(t, 200, "Made-up 1", "▲ +", "no score", "Only police action heard", "Nothing heard", "Not a ranking",
		"Districts without a score: 8", `class="tile none"`, "Monitoring, 30 to under 60", english, "LGD 1")
	rows := regexp.MustCompile(`<th scope="row">\s*<a href="/netra/districts/(\d+)`).FindAllStringSubmatch(board.Main(), -1)
	if len(rows) != 10 || rows[0][1] != "1" || rows[1][1] != "5" {
		t.Fatalf("the list begins with %v", rows)
	}
	s.Get(t, identity.Officer, HomeAt+"?window=72&lang=hi").Holds(t, 200, "ज़िला जोखिम", "सबसे अधिक बदले", hindi)
	some := s.Get(t, identity.Officer, HomeAt+"?state=State+0")
	some.Holds(t, 200, `/netra/districts/2?`)
	if _, list, _ := strings.Cut(some.Main(), `id="list"`); list == "" || strings.Contains(list, `/netra/districts/1?`) {
		t.Error("a district of another state is on the list")
	}
	s.Get(t, identity.Officer, HomeAt+"?window=5").Holds(t, 422, "24, 72 or 168")
	s.Get(t, identity.HR, HomeAt).Holds(t, 403)
}

// TestPagesSayWhereBandsBeginAsItIsSet promises the organisation's own thresholds in the legend of the map and as the lines of a
// district's picture.
func TestPagesSayWhereBandsBeginAsItIsSet(t *testing.T) {
	s := newStage(t)
	s.scene(t)
	before := s.Get(t, identity.Officer, DistrictsAt+"/1").Body
	s.SetLimits(t, func(l *store.Limits) { l.Monitoring, l.Preventive = 17, 41 })
	board := s.Get(t, identity.Officer, HomeAt)
	board.Holds(t, 200, "Monitoring, 17 to under 41", "Preventive readiness, 41 to under 75")
	board.Lacks(t, "Monitoring, 30 to under 60")
	threshold := regexp.MustCompile(`>(17|30|41|60)</text>`)
	if got := threshold.FindAllString(s.Get(t, identity.Officer, DistrictsAt+"/1").Body, -1); len(got) == 0 ||
		slices.ContainsFunc(got, func(x string) bool { return x == ">30</text>" || x == ">60</text>" }) {
		t.Errorf("the lines of the picture stand at %v; before they did at %v", got, threshold.FindAllString(before, -1))
	}
}

// TestTheFileOfTheBoardSaysWhatThePageSays promises every district with its numbers, the method, and the text of governance on each line.
func TestTheFileOfTheBoardSaysWhatThePageSays(t *testing.T) {
	s := newStage(t)
	s.scene(t)
	lines, err := csv.NewReader(strings.NewReader(s.Get(t, identity.Auditor, HomeAt+"/file").Body)).ReadAll()
	if err != nil || len(lines) != 11 {
		t.Fatalf("got %d lines, %v", len(lines), err)
	}
	for i, l := range lines[1:] {
		if l[len(l)-1] != english || l[16] != "v2" {
			t.Errorf("line %d: %v", i+1, l)
		}
		if (l[3] == "") != (l[6] != "scored") {
			t.Errorf("line %d: a score of %q with the status %q", i+1, l[3], l[6])
		}
	}
	if lines[1][0] != "1" || lines[1][6] != "scored" {
		t.Errorf("the first is %v", lines[1])
	}
}

// TestThePointsOfAPageAddUp promises that what is printed in a layer's lines is the layer as it is printed, on the page and in the
// file, that relief stands apart, and what would change the score.
func TestThePointsOfAPageAddUp(t *testing.T) {
	s := newStage(t)
	s.scene(t)
	page := s.Get(t, identity.Analyst, DistrictsAt+"/1")
	page.Holds(t, 200, "Stones thrown at the weekly market", "calms", "Relief", "What would change it", "If nothing new is heard",
		"The score without this signal:", "Four weeks", "Coverage", "Nobody has compared scores", english, "in 24 hours",
		"No score of this window was given out yet")
	lines, err := csv.NewReader(strings.NewReader(s.Get(t, identity.Analyst, DistrictsAt+"/1/file").Body)).ReadAll()
	if err != nil || len(lines) < 5 {
		t.Fatalf("got %d lines, %v", len(lines), err)
	}
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	layers, sums := map[string]float64{}, map[string]float64{}
	for _, l := range lines[1:] {
		layers[l[2]] = number(l[3])
		sums[l[2]] += number(l[6])
		if l[4] == "peace" && (number(l[7]) >= 0 || number(l[6]) != 0) {
			t.Errorf("a peace meeting has the points %s and the relief %s", l[6], l[7])
		}
	}
	for layer, want := range layers {
		if math.Abs(sums[layer]-want) > 1e-9 {
			t.Errorf("%s: its points come to %v, it is %v", layer, sums[layer], want)
		}
	}
	if layers["physical"] == 0 || layers["network"] == 0 {
		t.Errorf("layers are %v", layers)
	}
}

// TestADistrictThatNobodySpokeOfHasNoNumber promises the reason in place of a score, and coverage that says it is not known: nobody can
// say there that less is heard than usual, as of a district of which it is known.
func TestADistrictThatNobodySpokeOfHasNoNumber(t *testing.T) {
	s := newStage(t)
	s.scene(t)
	silent := s.Get(t, identity.Officer, DistrictsAt+"/7")
	silent.Holds(t, 200, "Nothing heard", "silence does not mean that all is calm", "not known yet", english)
	silent.Lacks(t, "Score, of 100", "Less is heard than usual")
	s.Get(t, identity.Officer, DistrictsAt+"/5").Holds(t, 200, "Less is heard than usual")
	s.Get(t, identity.Officer, DistrictsAt+"/4").Holds(t, 200, "Only police action heard")
	s.Get(t, identity.Officer, DistrictsAt+"/7?lang=hi").Holds(t, 200, "चुप्पी का अर्थ शांति नहीं है", hindi)
	s.Get(t, identity.Officer, DistrictsAt+"/77").Holds(t, 404)
	s.Get(t, identity.Officer, DistrictsAt+"/x").Holds(t, 404)
}

// TestTheHistoryShowsWhatWasGivenOutAndWhereTheMethodChanged promises both, on the picture and in the table.
func TestTheHistoryShowsWhatWasGivenOutAndWhereTheMethodChanged(t *testing.T) {
	s := newStage(t)
	s.scene(t)
	s.freeze(t, score.SeedV1())
	s.freeze(t, score.V2())
	s.Get(t, identity.Officer, DistrictsAt+"/1").Holds(t, 200, "method changed: v2", `class="ref"`, "Given out")
}
