package program

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/identity"
)

// atTheTerminal is the analysis of a surge that the program makes of a file by itself.
func atTheTerminal(t *testing.T, body []byte) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "november.json")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := (setup{}.run(t, "airshed", "episode", surge, "--data", file, "--out", file+".analysis")); got.code != 0 {
		t.Fatalf("got %+v", got)
	}
	made, err := os.ReadFile(file + ".analysis")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// counts are how many episodes, answers, cases and drafts of reports there are.
func (k *sky) counts() string {
	return strings.Join(k.ask(`select concat_ws(' ', (select count(*) from airshed.episode), (select count(*) from airshed.answer),
		(select count(*) from gavel.case where app = 'airshed'), (select count(*) from airshed.report))`), "")
}

// TestAFileGivesTheSameBytesWhateverSetsItOff promises that one file is analysed byte
// for byte alike by the terminal offline, by the schedule and by a notice of the lake's
// server, and that it is one episode, one answer, one case and one report however often
// it is looked at.
func TestAFileGivesTheSameBytesWhateverSetsItOff(t *testing.T) {
	t.Parallel()
	body := laketest.File(t, laketest.Surge(t))
	want := atTheTerminal(t, body)
	t.Run("the schedule", func(t *testing.T) {
		t.Parallel()
		k := newSky(t, false)
		k.put("data/november.json", body)
		k.until("a scan that nobody asked for", func() bool {
			return len(k.ask(`select id from airshed.scan where kind = 'scheduled' and state = 'done' and fresh = 1`)) == 1
		})
		k.until("three more", func() bool {
			return len(k.ask(`select id from airshed.scan where kind = 'scheduled' and same_as <> ''`)) >= 3
		})
		k.until("a report", func() bool { return len(k.ask(`select report_id from airshed.report`)) > 0 })
		if got := k.analysis(surge); !bytes.Equal(got, want) || k.counts() != "1 1 1 1" {
			t.Errorf("the analysis has %d bytes and the terminal's %d; episodes, answers, cases and reports: %s", len(got), len(want),
				k.counts())
		}
		if got := k.ask(`select distinct asked_by from airshed.scan`); !slices.Equal(got, []string{"gavel"}) {
			t.Errorf("asked for by %v", got)
		}
		if n, of := k.ask(`select count(*)::text from airshed.scan`)[0], k.ask(`select count(distinct key)::text
			from airshed.scan`)[0]; n != of {
			t.Errorf("%s scans for %s turns", n, of)
		}
	})
	t.Run("a notice of the S3 server", func(t *testing.T) {
		t.Parallel()
		k := newSky(t, true)
		k.pause(true)
		k.put("data/november.json", body)
		if scan := k.done("data/november.json"); scan.State != "done" || scan.Found != "1" || !strings.Contains(scan.Stale, "hours old") {
			t.Errorf("got %+v", scan)
		}
		k.put("data/again.json", body)
		k.put("reports/november.json", body)
		if scan := k.done("data/again.json"); scan.State != "done" || scan.Found != "1" {
			t.Errorf("the same bytes again: got %+v", scan)
		}
		k.pause(false)
		k.until("the schedule looks too", func() bool {
			return len(k.ask(`select id from airshed.scan where kind = 'scheduled' and state = 'done'`)) > 0
		})
		k.until("a report", func() bool { return len(k.ask(`select report_id from airshed.report`)) > 0 })
		if got := k.analysis(surge); !bytes.Equal(got, want) || k.counts() != "1 1 1 1" {
			t.Errorf("the analysis has %d bytes and the terminal's %d; episodes, answers, cases and reports: %s", len(got), len(want),
				k.counts())
		}
		if got := k.ask(`select object from airshed.scan where kind = 'event' order by began_at`); !slices.Equal(got,
			[]string{"data/november.json", "data/again.json"}) {
			t.Errorf("notices set off scans of %v", got)
		}
	})
}

// pause pauses the schedule or resumes it.
func (k *sky) pause(on bool) {
	k.t.Helper()
	if status, text := k.call("PUT", "/v1/airshed/schedule", devToken(k.t, identity.Officer),
		fmt.Sprintf(`{"paused":%t}`, on)); status != 200 {
		k.t.Fatalf("%d %s", status, text)
	}
}

// TestFiftyTriggersAtOnceMakeOneReport promises that of fifty notices at the same
// moment, of ten objects that tell of one surge, each object is looked at once, and that
// what comes of all is one episode, one case, one report, and one question to officers.
func TestFiftyTriggersAtOnceMakeOneReport(t *testing.T) {
	k := newSky(t, false)
	k.pause(true)
	const objects, times = 10, 5
	var messages []string
	for i := range objects {
		o := laketest.Surge(t)
		o.Sources[0].Note = fmt.Sprintf("made up for tests, for the %d. time", i) // other bytes that say the same
		key := fmt.Sprintf("data/surge-%d.json", i)
		k.put(key, laketest.File(t, o))
		messages = append(messages, fmt.Sprintf(`{"Records":[{"eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"gavel"},"object":{"key":%q,"size":1,"eTag":"e%d"}}}]}`, key, i))
	}
	var group sync.WaitGroup
	for i := range objects * times {
		group.Go(func() {
			if status, text := k.call("POST", "/v1/airshed/notices", k.token, messages[i%objects]); status != 200 {
				t.Errorf("%d %s", status, text)
			}
		})
	}
	group.Wait()
	k.until("all scans are done", func() bool {
		return len(k.ask(`select id from airshed.scan where kind = 'event' and state = 'done'`)) == objects
	})
	// Days pass in seconds: on a busy machine the question may be over before anybody looks.
	k.until("officers are asked", func() bool {
		return len(k.ask(`select id from gavel.proposal where app = 'airshed' and tool = 'send_caqm_report_tool'`)) > 0
	})
	if got := k.ask(`select count(*)::text from gavel.proposal where app = 'airshed'`); got[0] != "1" {
		t.Errorf("officers are asked %s times", got[0])
	}
	// On a busy machine the schedule's first scan may have begun before it was paused, and finds the same surge.
	if got := k.ask(`select count(*) filter (where kind = 'event') || ' ' || sum(fresh) || ' ' || sum(found) filter (where kind = 'event')
		from airshed.scan`); got[0] != "10 1 10" || k.counts() != "1 1 1 1" {
		t.Errorf("scans of events, fresh of all, and found: %v; episodes, answers, cases and reports: %s", got, k.counts())
	}
}

// hoursLater shifts an object to so many hours later, with PM2.5 of its own at Alipur.
func hoursLater(o *lake.Object, hours int, pm25 int) *lake.Object {
	by := time.Duration(hours) * time.Hour
	o.Time = o.Time.Add(by)
	for i := range o.Air {
		o.Air[i].Time = o.Air[i].Time.Add(by)
		if o.Air[i].Site == "site_5024" {
			o.Air[i].Values = slices.Clone(o.Air[i].Values)
			o.Air[i].Values[0].Amount = aqi.Amount(pm25) * aqi.Micro
		}
	}
	return o
}

// TestWhatAFileLacksIsSaidOnTheWay promises, through the lake's server, the notices and
// the engine, that a file without air is refused in plain words, that one without fires,
// wind or forecast is answered and says what that costs, and that nobody is named as an
// origin without wind or fires. The air and the forecasts are the first design's: an index
// of 200, 350 and 450, and 15, 25 and 35 per cent.
func TestWhatAFileLacksIsSaidOnTheWay(t *testing.T) {
	k := newSky(t, true)
	k.pause(true)
	k.put("data/no-air.json", []byte(`{"timestamp":"2025-11-13T19:00:00Z","cpcb_data":[]}`))
	if scan := k.done("data/no-air.json"); scan.State != "refused" || !strings.Contains(scan.Reason, "cpcb_data") {
		t.Errorf("without air: got %+v", scan)
	}
	if got := k.counts(); got != "0 0 0 0" {
		t.Errorf("without air there are %s", got)
	}
	for i, tt := range []struct {
		name    string
		pm25    int
		stubble float64
		without func(*lake.Object)
		found   string
		answer  string // verdict and first state of the answer; empty where there is none
		says    []string
	}{
		{"an index of 200", 90, 15, nil, "0", "", nil},
		{"an index of 350 without wind", 185, 25, func(o *lake.Object) { o.Wind = nil }, "1", "no attribution ",
			[]string{`"code":"wind_missing"`, "without wind nobody can say where the air came from"}},
		{"an index of 450 without fires", 315, 35, func(o *lake.Object) { o.Fires, o.Looked = nil, lake.Span{} }, "1", "no attribution ",
			[]string{`"code":"fires_missing"`, "40 points of completeness"}},
		{"without a forecast", 315, 0, func(o *lake.Object) { o.Stubble = nil }, "1", "conclusive Punjab", []string{`"code":"dss_missing"`,
			"20 points of completeness"}},
		{"with everything", 315, 35, nil, "1", "conclusive Punjab", []string{`"percent":35`}},
	} {
		o := hoursLater(laketest.Surge(t), i, tt.pm25)
		o.Stubble.Percent = tt.stubble
		if tt.without != nil {
			tt.without(o)
		}
		key := fmt.Sprintf("data/%d.json", i)
		k.put(key, laketest.File(t, o))
		scan := k.done(key)
		if scan.State != "done" || scan.Found != tt.found {
			t.Errorf("%s: got %+v, want %s found", tt.name, scan, tt.found)
		}
		answer := strings.Join(k.ask(`select verdict || ' ' || first_state from airshed.answer where scan = $1`, scan.ID), "")
		if answer != tt.answer {
			t.Errorf("%s: got the answer %q, want %q", tt.name, answer, tt.answer)
		}
		if tt.answer == "" {
			continue
		}
		body := string(k.analysis(k.ask(`select key from airshed.answer where scan = $1`, scan.ID)[0]))
		for _, words := range tt.says {
			if !strings.Contains(body, words) {
				t.Errorf("%s: the analysis does not say %s", tt.name, words)
			}
		}
		if tt.answer == "no attribution " && !strings.Contains(body, `"states":[]`) {
			t.Errorf("%s: states have shares", tt.name)
		}
	}
}

// TestTheWatchGoesOnWhateverHappens promises that a watch survives a worker that dies,
// looks at nothing while it is paused, goes on when it is resumed, and ends once there is
// no lake; with -record it writes the histories that TestRecordedScansAndWatchesStillGetThrough
// replays.
func TestTheWatchGoesOnWhateverHappens(t *testing.T) {
	k := newSky(t, false)
	k.put("data/november.json", laketest.File(t, laketest.Surge(t)))
	scans := func() int {
		return len(k.ask(`select id from airshed.scan where kind = 'scheduled' and state = 'done'`))
	}
	k.until("the lake is looked at", func() bool { return scans() >= 2 })
	k.ended("first worker", k.worker)
	time.Sleep(5 * quarter)
	before := len(k.ask(`select id from airshed.scan`))
	k.work(k.lake...)
	k.until("a second worker goes on", func() bool { return scans() >= before+2 })
	k.pause(true)
	k.until("nothing is under way", func() bool { return len(k.ask(`select id from airshed.scan where state = 'running'`)) == 0 })
	paused := scans()
	time.Sleep(5 * quarter)
	if now := scans(); now != paused {
		t.Errorf("%d scans during a pause", now-paused)
	}
	got := setup{environ: append(slices.Clone(k.env), "GAVEL_SERVER="+k.base, "GAVEL_TOKEN="+devToken(t, identity.Operator))}.run(t,
		"airshed", "schedule", "--pause", "--jq", ".paused, .lake, .next_at")
	if strings.Join(strings.Fields(got.out), " ") != "true true null" {
		t.Errorf("the schedule shows %+v", got)
	}
	k.ended("second worker", k.worker)
	k.work() // of an installation that has no lake any more
	k.pause(false)
	engine := durabletest.DialTo(t, k.engine)
	if err := engine.GetWorkflow(t.Context(), "airshed/north/watch", "").Get(t.Context(), nil); err != nil {
		t.Errorf("the watch over a lake that is gone: %v", err)
	}
	if *record {
		durabletest.Record(t, engine, "airshed/north/watch", historyFile("airshed", "watch"))
		for name, kind := range map[string]string{"scan": `same_as = ''`, "scan-same": `same_as <> ''`} {
			durabletest.Record(t, engine, "airshed/north/scan:"+k.ask(`select id from airshed.scan where state = 'done'
				and ` + kind + ` order by began_at limit 1`)[0], historyFile("airshed", name))
		}
	}
}
