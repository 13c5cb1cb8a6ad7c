package page

import (
	"bufio"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

func TestEveryTextIsThereInEveryLanguageAndUsed(t *testing.T) {
	webtest.Messages(t, ".", Messages(), "app.", "title.", "reason.", "via.", "agent.", "source.", "record.kind.", "status.", "waiting.",
		"entry.", "tool.", "line.", "asked.",
		"air.try.", "field.", "subject.", "search.", "setting.", "value.", "effect.")
}

// TestOurPartOfTheStylesheetIsWhole promises that a slip in it cannot swallow the rules of
// others, and that no rule has a colour of its own.
func TestOurPartOfTheStylesheetIsWhole(t *testing.T) { webtest.Stylesheet(t, frame.Assets()) }

// TestTheBoardSaysWhereThingsStand promises its states: nobody has looked, a surge
// that goes on, a scan that was refused, data that are old; each says what to do.
func TestTheBoardSaysWhereThingsStand(t *testing.T) {
	s := newStage(t)
	s.Get(t, identity.Analyst, frame.HomeAt).Holds(t, 200, "No scan yet", "Upload the file", "Data come here as uploaded files",
		"Not used here yet")
	empty := s.Get(t, identity.Auditor, frame.HomeAt)
	empty.Holds(t, 200, "An analyst or an officer can run a scan")
	empty.Lacks(t, "Upload the file")

	e := s.found(t, "one", laketest.Surge(t))
	board := s.Get(t, identity.Auditor, frame.HomeAt)
	board.Holds(t, 200, "Surges going on", "Alipur", "Conclusive: Punjab", "Severe", "12 Nov", frame.EpisodeAddress(e.Key, ""),
		"november.json", `data-live="scan_*"`, "IST")
	s.Get(t, identity.Officer, frame.HomeAt+"?lang=hi").Holds(t, 200, "जारी उछाल", "अलीपुर", "निर्णायक: पंजाब")
	board.Holds(t, 200, "comes from an uploaded file", "by a colleague") // it had its readings with it, and nobody is known by an id
	board.Lacks(t, "no data yet", "no surge can be found", "no data lake", "by asha")
	s.Get(t, identity.Auditor, frame.ScanAddress(e.LastScan, "")).Holds(t, 200, "asha")

	s.now = s.now.Add(40 * time.Hour)
	s.Get(t, identity.Analyst, frame.HomeAt).Holds(t, 200, "The newest data are 40 h old", "may be over")

	refused, _, err := s.Store.StartScan(t.Context(), airshedtest.Person(identity.Analyst), store.ScanRequest{Kind: store.Asked,
		Key: "no lake"})
	if err != nil {
		t.Fatal(err)
	}
	s.Get(t, identity.Analyst, frame.HomeAt).Holds(t, 200, "Scanning", refused.ID)
	s.carry(t, refused)
	s.Get(t, identity.Analyst, frame.HomeAt).Holds(t, 200, "Refused", "has no data lake here", "Surges going on",
		"The newest data, which are shown here")
	s.Get(t, identity.Analyst, frame.ScanAddress(refused.ID, "")).Holds(t, 200, "The scan was refused", "No episode was changed")
}

// TestStationsLeftOutAreCountedAndNamed promises statement 14: a station that is silent
// too long is left out of everything, counted, and named with its last hour.
func TestStationsLeftOutAreCountedAndNamed(t *testing.T) {
	s, o := newStage(t), laketest.Surge(t)
	o.Air = append(o.Air, lake.Air{Site: "site_1427", Station: "Najafgarh, Delhi - DPCC", Time: laketest.Now().Add(-50 * time.Hour),
		Basis:  lake.Measured,
		Values: []lake.Value{{Pollutant: aqi.PM25, Amount: 900 * aqi.Micro}}})
	e := s.found(t, "one", o)
	board := s.Get(t, identity.Analyst, frame.HomeAt)
	board.Holds(t, 200, "1 border stations and 2 inside the city were checked", "left out: no data came", "Najafgarh", "last 11 Nov")
	if got := len(regexp.MustCompile(`left out: (silent too long|too few)`).FindAllString(board.Body, -1)); got != 1 {
		t.Errorf("the silent station is counted %d times, want once", got)
	}
	page := s.Get(t, identity.Analyst, frame.EpisodeAddress(e.Key, ""))
	page.Holds(t, 200, "left out: no data for too long, or no index", "st-stale")
	page.Lacks(t, ">900<", "900.0")
}

// TestTheLakeIsLookedAtOnceHoweverOftenItsButtonIsPressed promises it also of two
// people who press it on the same page.
func TestTheLakeIsLookedAtOnceHoweverOftenItsButtonIsPressed(t *testing.T) {
	s := newStage(t)
	if err := s.surveyor.Open(map[string]string{outside.SettingLake: "file://" + t.TempDir(),
		outside.SettingLakeOrg: "north"}); err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`name="after" value="([^"]+)"`).FindStringSubmatch(s.Get(t, identity.Analyst, frame.HomeAt).Body)
	if form == nil {
		t.Fatal("the page has no form that looks at the lake")
	}
	first := s.Post(t, identity.Analyst, frame.ScansAt, url.Values{"after": {form[1]}})
	again := s.Post(t, identity.Officer, frame.ScansAt, url.Values{"after": {form[1]}})
	if first.Status != http.StatusSeeOther || first.Header.Get("Location") == "" ||
		again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("got %d %s and %d %s, want the same scan", first.Status, first.Header.Get("Location"), again.Status,
			again.Header.Get("Location"))
	}
	s.Get(t, identity.Analyst, frame.HomeAt).Holds(t, 200, "A scan is under way", "disabled")
	s.Post(t, identity.Auditor, frame.ScansAt, url.Values{"after": {"none"}}).Holds(t, http.StatusForbidden)
	s.Post(t, identity.Analyst, frame.ScansAt, url.Values{}).Holds(t, http.StatusUnprocessableEntity, "Open the page again")
}

// TestAFileIsHandedInByAForm promises that a file leads to its scan, and that one
// which cannot be read is refused on the board with what is wrong.
func TestAFileIsHandedInByAForm(t *testing.T) {
	s := newStage(t)
	good := s.send(t, identity.Analyst, `C:\data\november.json`, laketest.File(t, laketest.Surge(t)))
	at := good.Header.Get("Location")
	if good.Status != http.StatusSeeOther || !strings.HasPrefix(at, frame.ScansAt+"/SCAN-") {
		t.Fatalf("got %d to %q: %.500s", good.Status, at, good.Main())
	}
	s.Get(t, identity.Analyst, at).Holds(t, 200, "Waiting for a worker", "november.json", "Asked by")
	s.send(t, identity.Analyst, "bad.json", []byte(`{"air": 1}`)).Holds(t, http.StatusUnprocessableEntity, "No scan was started",
		"Nothing was checked")
	s.send(t, identity.Analyst, "none.json", nil).Holds(t, http.StatusUnprocessableEntity, "No file was chosen")
	s.send(t, identity.Auditor, "x.json", []byte(`{}`)).Holds(t, http.StatusForbidden)
}

// TestAScansPageShowsWhatItSaw promises the page of a scan and the list of them.
func TestAScansPageShowsWhatItSaw(t *testing.T) {
	s := newStage(t)
	s.Get(t, identity.Analyst, frame.ScansAt).Holds(t, 200, "No scan yet")
	e := s.found(t, "one", laketest.Surge(t))
	s.Get(t, identity.Analyst, frame.ScansAt).Holds(t, 200, e.LastScan, "Done", "of an uploaded file", "november.json")
	page := s.Get(t, identity.Analyst, frame.ScanAddress(e.LastScan, ""))
	page.Holds(t, 200, "Episodes in these data", "Alipur", "goes on", "+110.0 µg/m³", "What it was read from", "surge-2026-1",
		frame.EpisodeAddress(e.Key, ""))
	s.Get(t, identity.Analyst, frame.ScanAddress("SCAN-00000000", "")).Holds(t, http.StatusNotFound, "See the list of scans")
	s.Get(t, identity.Analyst, frame.ScansAt+"/x").Holds(t, http.StatusNotFound)
	s.Get(t, identity.Analyst, frame.ScansAt+"?after=x").Holds(t, http.StatusUnprocessableEntity, "Open the list from its beginning")
}

// TestListsHavePages promises that a long list of episodes is cut, and that the next
// page goes on where the first ended.
func TestListsHavePages(t *testing.T) {
	s := newStage(t)
	s.Get(t, identity.Analyst, frame.EpisodesAt).Holds(t, 200, "No episode yet")
	e := s.found(t, "one", laketest.Surge(t))
	s.history(t, e)
	first := s.Get(t, identity.Analyst, frame.EpisodesAt)
	first.Holds(t, 200, "Next page")
	if n := strings.Count(first.Body, `<th scope="row">`); n != frame.PerPage {
		t.Errorf("%d episodes on the page, want %d", n, frame.PerPage)
	}
	next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(first.Body)
	if next == nil {
		t.Fatal("no next page")
	}
	s.Get(t, identity.Analyst, strings.ReplaceAll(next[1], "&amp;", "&")).Holds(t, 200, "First page")
}

// history puts sixty episodes of three seasons on record beside one, under different
// satellites.
func (s *stage) history(t *testing.T, e store.Episode) {
	t.Helper()
	s.Set(t, `insert into airshed.episode (org, key, site_id, station, start_at, last_at, over, as_of, answers, first_scan, last_scan,
		found_at, seen_at)
		select org, site || '@' || to_char(at, 'YYYY-MM-DD"T"HH24:MI"Z"'), site, name, at, at + interval '20 hours', true,
		at + interval '21 hours',
		       1, first_scan, last_scan, found_at, seen_at
		from airshed.episode, lateral (select (array['site_1560', 'site_1427', 'site_5024', 'site_1426'])[1 + i % 4] as site,
		(array['Bawana, Delhi', 'Najafgarh, Delhi', 'Alipur, Delhi', 'Narela, Delhi'])[1 + i % 4] as name,
		(timestamp '2023-10-20 12:30' + make_interval(years => i % 3, days => i / 2, hours => i % 7)) at time zone 'UTC' as at
		from generate_series(0, 59) i) n
		where key = $1`, string(e.Key))
	s.Set(t, `insert into airshed.answer (org, key, n, as_of, peak_index, verdict, first_state, data, analysis, scan, at, satellites,
		district)
		select e.org, e.key, 1, e.as_of, 350 + (extract(day from e.start_at)::int * 7) % 130,
		(array['conclusive', 'inconclusive', 'no attribution', 'conclusive'])[1 + extract(day from e.start_at)::int % 4],
		(array['Punjab', 'Haryana', '', 'Punjab'])[1 + extract(day from e.start_at)::int % 4],
		       a.data, a.analysis, a.scan, a.at, case when e.start_at < '2025-01-01' then array['NOAA-20', 'Suomi-NPP']
		else array['NOAA-20', 'NOAA-21'] end, ''
		from airshed.episode e, airshed.answer a where a.key = $1
		and not exists (select 1 from airshed.answer o where o.key = e.key)`, string(e.Key))
}

// TestPatternsCountWhatIsSettledApart promises the tables over seasons: by station, hour
// in the zone, month, season and state, with seasons of other satellites marked, and a
// file of each table that holds the rows of the page.
func TestPatternsCountWhatIsSettledApart(t *testing.T) {
	s := newStage(t)
	s.Get(t, identity.Analyst, frame.PatternsAt).Holds(t, 200, "Nothing to count yet")
	s.history(t, s.found(t, "one", laketest.Surge(t)))
	page := s.Get(t, identity.Analyst, frame.PatternsAt)
	page.Holds(t, 200, "By station", "By the hour they began", "18:00–19:00", "Paddy 2025", "NOAA-20, Suomi-NPP", "other satellites</span>",
		"not all watched by the same satellites",
		"By state, where the answer is conclusive", "Punjab", "No district is named", "clock hours in IST")
	page.Lacks(t, "Haryana")
	file := s.Get(t, identity.Analyst, frame.PatternsAt+"/file?table=seasons")
	file.Holds(t, 200, "season,episodes,conclusive,inconclusive,no_attribution,satellites,other_satellites_than_before\n", "Paddy 2025,",
		",true\n")
	if got := file.Header.Get("Content-Disposition"); !strings.Contains(got, "gavel-airshed-patterns-seasons.csv") {
		t.Errorf("the file is %q", got)
	}
	if lines := strings.Count(s.Get(t, identity.Analyst, frame.PatternsAt+"/file?table=hours").Body, "\n"); lines != 25 {
		t.Errorf("%d lines of hours, want 24 and a head", lines)
	}
	s.Get(t, identity.Analyst, frame.PatternsAt+"/file?table=nothing").Holds(t, http.StatusNotFound, "Use one of")
	s.Get(t, identity.Analyst, frame.PatternsAt+"?lang=hi").Holds(t, 200, "केंद्र के अनुसार", "धान 2025")
}

// TestNobodyElseSeesAnEpisode promises that pages ask who may read, and that another
// organisation finds nothing.
func TestNobodyElseSeesAnEpisode(t *testing.T) {
	s := newStage(t)
	e := s.found(t, "one", laketest.Surge(t))
	for _, path := range []string{frame.HomeAt, frame.HomeAt + "/now", frame.EpisodesAt, frame.EpisodeAddress(e.Key, ""),
		frame.EpisodeAddress(e.Key, "/report"), frame.EpisodeAddress(e.Key, "/file?table=fires"), frame.ScansAt,
		frame.ScanAddress(e.LastScan, ""), frame.PatternsAt,
		frame.PatternsAt + "/file?table=hours"} {
		s.Get(t, identity.Gate, path).Holds(t, http.StatusForbidden)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.AddCookie(&http.Cookie{Name: "gavel_dev", Value: platformtest.Token(t, postgrestest.South, identity.Analyst)})
		s.Do(t, identity.Analyst, req).Lacks(t, "Alipur", e.Analysis)
	}
}

// TestOpenPagesHearOfAScan promises that a scan tells open pages that it has begun and
// that it has ended, under the name that they listen to.
func TestOpenPagesHearOfAScan(t *testing.T) {
	s := newStage(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(&http.Cookie{Name: "gavel_dev", Value: platformtest.Token(t, postgrestest.North, identity.Auditor)})
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(res.Body); in.Scan(); {
			lines <- in.Text()
		}
	}()
	heard := func(want string) {
		t.Helper()
		for deadline := time.After(wait.Patience()); ; {
			select {
			case line := <-lines:
				if strings.Contains(line, want) {
					return
				}
			case <-deadline:
				t.Fatalf("nobody said %s", want)
			}
		}
	}
	heard(`"live":true`)
	scan, _, err := s.Store.StartScan(t.Context(), airshedtest.Person(identity.Analyst), store.ScanRequest{Kind: store.Asked, Key: "heard"})
	if err != nil {
		t.Fatal(err)
	}
	heard(`{"object":"` + store.ScanJob.Live(scan.ID) + `"`)
	s.Get(t, identity.Auditor, frame.ScanAddress(scan.ID, "")).Holds(t, 200, `data-live="`+store.ScanJob.Live(scan.ID)+`"`)
	s.carry(t, scan)
	heard(`{"object":"` + store.ScanJob.Live(scan.ID) + `"`)
}
