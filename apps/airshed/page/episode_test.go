package page

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/platform/identity"
)

// TestAMissingSatelliteIsFootnoted promises statement 14's other half: a satellite
// without rows stands in the table and says why.
func TestAMissingSatelliteIsFootnoted(t *testing.T) {
	s := newStage(t)
	e := s.found(t, "one", laketest.Surge(t))
	s.Get(t, identity.Officer, frame.EpisodeAddress(e.Key, "")).Holds(t, 200, "NOAA-20", "NOAA-21", "<sup>*</sup>",
		"* It passed and reported nothing", "Suomi-NPP", "** Is in service and was not among the data",
		"Counts of fires are a lower bound")
}

// TestTheEpisodePageShowsReasonsBeforeAnythingElse promises what an episode's page
// holds: map, curves and shares as drawings and as tables, the verdict with its tests,
// what else it could be, what is missing, the circle labelled, and every digest.
func TestTheEpisodePageShowsReasonsBeforeAnythingElse(t *testing.T) {
	s := newStage(t)
	e := s.found(t, "one", laketest.Surge(t))
	page := s.Get(t, identity.Auditor, frame.EpisodeAddress(e.Key, ""))
	page.Holds(t, 200, "Surge at Alipur", "Conclusive: Punjab", "mapsvg wide-only", "mapsvg phone-only", "seriessvg wide-only",
		"sharessvg wide-only", `data-hour="0"`, "data-cursor-bar hidden",
		"60 of 60 name the same state first", "What else could explain it", "Not known", "legacy, attributes nothing", "PM10", "NO2",
		e.Data, e.Analysis, "Answer 1", "Districts are not known", "not a share of the particles", "All hours", `id="layer-fires"`)
	for _, table := range []string{"hours", "stations", "paths", "way", "fires"} {
		page.Holds(t, 200, `id="table-`+table+`"`)
	}
	s.Get(t, identity.Auditor, frame.EpisodeAddress(e.Key, "")+"?lang=hi").Holds(t, 200, "निर्णायक: पंजाब", "नक़्शे वाला ही सूचक")
	s.Get(t, identity.Auditor, frame.EpisodesAt+"/nothing").Holds(t, http.StatusNotFound, "See the list of episodes")
	s.Get(t, identity.Auditor, frame.EpisodeAddress(e.Key, "")+"?answer=2").Holds(t, http.StatusNotFound)
}

// TestAnInconclusiveEpisodeNamesNobody promises that a state is named as an origin on
// no page where the answer does not settle it.
func TestAnInconclusiveEpisodeNamesNobody(t *testing.T) {
	s, o := newStage(t), laketest.Surge(t)
	o.Looked = lake.Span{}
	e := s.found(t, "one", o)
	s.Get(t, identity.Analyst, frame.HomeAt).Lacks(t, "Punjab")
	page := s.Get(t, identity.Analyst, frame.EpisodeAddress(e.Key, ""))
	page.Holds(t, 200, "Inconclusive", "These shares settle nothing", "Why it is not conclusive", "What would settle it")
	page.Lacks(t, "Conclusive: Punjab")
	s.Get(t, identity.Analyst, frame.PatternsAt).Lacks(t, "Punjab")
}

// TestNoWindIsNoAttributionAndTheMapSaysSo promises that without wind the page stands,
// without corridor and shares, and that the circle does not stand in for them.
func TestNoWindIsNoAttributionAndTheMapSaysSo(t *testing.T) {
	s, o := newStage(t), laketest.Surge(t)
	o.Wind = nil
	e := s.found(t, "one", o)
	page := s.Get(t, identity.Analyst, frame.EpisodeAddress(e.Key, ""))
	page.Holds(t, 200, "No attribution", "The wind is not known: there is no corridor", "There are no shares", "legacy, attributes nothing")
	page.Lacks(t, "These shares settle nothing", `class="corr"`)
}

// TestAPageStandsWithoutItsPicture promises that a map which cannot be drawn takes
// nothing else with it.
func TestAPageStandsWithoutItsPicture(t *testing.T) {
	s := newStage(t)
	e := s.found(t, "one", laketest.Surge(t))
	s.Set(t, `update airshed.scan set data = repeat('0', 64)`)
	page := s.Get(t, identity.Analyst, frame.EpisodeAddress(e.Key, ""))
	page.Holds(t, 200, "The map and the curves cannot be drawn now", "Conclusive: Punjab", "sharessvg", "What else could explain it")
	page.Lacks(t, "mapsvg")
}

// TestEarlierAnswersStay promises that newer data add an answer, and that the earlier
// one is still shown as it was, and says that it is not the newest.
func TestEarlierAnswersStay(t *testing.T) {
	s, o := newStage(t), laketest.Surge(t)
	o.Looked = lake.Span{}
	s.found(t, "one", o)
	later := laketest.Surge(t)
	later.Time = later.Time.Add(10 * time.Minute)
	later.Looked.To = later.Time
	e := s.found(t, "two", later)
	if e.Answers != 2 {
		t.Fatalf("%d answers, want 2", e.Answers)
	}
	s.Get(t, identity.Analyst, frame.EpisodeAddress(e.Key, "")).Holds(t, 200, "Conclusive: Punjab", "Answer 1", "Answer 2", "Inconclusive")
	first := s.Get(t, identity.Analyst, frame.EpisodeAddress(e.Key, "")+"?answer=1")
	first.Holds(t, 200, "This is answer 1 of 2", "Why it is not conclusive", "Show the newest answer")
}

// TestTablesOfAnEpisodeAreFiles promises the rows of a table of the page as a file.
func TestTablesOfAnEpisodeAreFiles(t *testing.T) {
	s := newStage(t)
	e := s.found(t, "one", laketest.Surge(t))
	fires := s.Get(t, identity.Analyst, frame.EpisodeAddress(e.Key, "/file?table=fires"))
	fires.Holds(t, 200, `"Time, IST",Satellite,"Power, MW"`, "NOAA-20", "Punjab")
	s.Get(t, identity.Analyst, frame.EpisodeAddress(e.Key, "/file?table=shares")).Holds(t, 200, "Punjab")
	s.Get(t, identity.Analyst, frame.EpisodeAddress(e.Key, "/file?table=x")).Holds(t, http.StatusNotFound)
}

// TestEveryNumberOfTheReportOpensACard promises that the reader of a draft can open
// each number, in both languages, and sees where it was read.
func TestEveryNumberOfTheReportOpensACard(t *testing.T) {
	s := newStage(t)
	e := s.found(t, "one", laketest.Surge(t))
	for _, lang := range []string{"en", "hi"} {
		page := s.Get(t, identity.Officer, frame.EpisodeAddress(e.Key, "/report")+"?lang="+lang)
		page.Holds(t, 200, "CAQM-2025-11-13-000", "popovertarget=", e.Analysis)
		opened := regexp.MustCompile(`class="number" popovertarget="(card-F[0-9]+)"`).FindAllStringSubmatch(page.Body, -1)
		if tagged := strings.Count(page.Body, "<data "); len(opened) == 0 || tagged != len(opened) {
			t.Errorf("%s: %d numbers, of which %d open a card", lang, tagged, len(opened))
		}
		for _, o := range opened {
			if !strings.Contains(page.Body, `id="`+o[1]+`" popover`) {
				t.Errorf("%s: there is no card %s", lang, o[1])
			}
		}
	}
	page := s.Get(t, identity.Officer, frame.EpisodeAddress(e.Key, "/report"))
	page.Holds(t, 200, "Draft, not filed", "/surge/aqi", "IF the 24-hour AQI", "unsigned")
}

// TestAnEpisodeOfTheSecondMethodLeadsWithItsThreeStatements promises that the page says
// whose smoke it was, whether it mattered and how good the data are before anything else,
// in both languages, and names no state on data that are low.
func TestAnEpisodeOfTheSecondMethodLeadsWithItsThreeStatements(t *testing.T) {
	s := newStage(t)
	s.Choose(t, analysis.Statements)
	e := s.found(t, "one", laketest.Surge(t))
	page := s.Get(t, identity.Officer, frame.EpisodeAddress(e.Key, ""))
	page.Holds(t, 200, "Not determined whose smoke it was: the data are low.", "Data: low, because cloud is not known at each pass",
		"What a complaint needs", "Why no complaint may be made", "seen and allowed for", "Whether smoke mattered is not determined.")
	page.Lacks(t, "Inconclusive")
	s.Get(t, identity.Officer, frame.EpisodeAddress(e.Key, "")+"?lang=hi").Holds(t, 200, "तय नहीं कि धुआँ किसका था", "शिकायत को क्या चाहिए")
	s.Get(t, identity.Officer, frame.EpisodeAddress(e.Key, "/report")).Holds(t, 200, "no state is named as its origin")
	s.Get(t, identity.Officer, frame.EpisodesAt).Holds(t, 200, "Not determined")
}
