package madeup

import (
	"crypto/sha256"
	"encoding/json"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

var once = sync.OnceValues(Plan{Seed: 3, Days: 6, Fires: 15, Particles: MinParticles, Harvest: 5, Speed: SpeedError, Way: WayError}.Build)

// small is a season of seconds. It does not change, so tests share it.
func small(t *testing.T) *Season {
	t.Helper()
	s, err := once()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheSamePlanIsTheSameSeason(t *testing.T) {
	digest := func(seed uint64) [32]byte {
		s, err := Plan{Seed: seed, Days: 3, Fires: 12, Particles: MinParticles, Harvest: 5}.Build()
		if err != nil {
			t.Fatal(err)
		}
		readings, err := s.Readings(1, Begin(), s.End())
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal([]any{readings, s.Seen, s.Fires, s.States, s.Cities, s.smoke})
		if err != nil {
			t.Fatal(err)
		}
		return sha256.Sum256(b)
	}
	one, again := digest(7), digest(7)
	if one != again {
		t.Error("two seasons of one plan differ")
	}
	if one == digest(8) {
		t.Error("two seeds give one season")
	}
}

// The method is judged by this package, so nothing here, nor anything it stands on,
// may know the method.
func TestNothingHereKnowsHowSmokeIsTracedBack(t *testing.T) {
	const ours = "github.com/gavelhq/gavel/apps/airshed/rule/"
	seen, todo := map[string]bool{}, []string{"madeup"}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		files, err := filepath.Glob(filepath.Join("..", name, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("package %s: %d files, %v", name, len(files), err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range parsed.Imports {
				path, err := strconv.Unquote(i.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				if rest, ok := strings.CutPrefix(path, ours); ok {
					todo = append(todo, rest)
				}
			}
		}
	}
	if seen["plume"] || seen["analysis"] {
		t.Errorf("the season stands on %v", seen)
	}
	if !seen["lake"] || !seen["fire"] {
		t.Errorf("the look at imports found only %v", seen)
	}
}

func TestEveryPlaceOfTheLandIsInOneState(t *testing.T) {
	d := cast(1, 99)
	for seed := range uint64(20) {
		land := states(seed)
		for range 2000 {
			lat, lon := d.within(south+0.4, north-0.4), d.within(west+0.4, east-0.4) // the coast bends
			n := 0
			for _, s := range land {
				if s.holds(lat, lon) {
					n++
				}
			}
			if n != 1 {
				t.Fatalf("land %d: %v, %v lies in %d states", seed, lat, lon, n)
			}
		}
	}
}

func TestTwoFiresInFiveAreNeverSeen(t *testing.T) {
	s := &Season{Plan: Plan{Seed: 5, Days: 60, Fires: 100, Particles: MinParticles, Harvest: 5}, States: states(5), weather: newWeather(5)}
	s.Cities = cities(s.States)
	s.burn()
	s.look()
	hidden := 0
	for _, f := range s.Fires {
		if f.Hidden {
			hidden++
		}
	}
	part := float64(hidden) / float64(len(s.Fires))
	if math.Abs(part-Unseen) > 0.03 { // four standard deviations of 4,000 draws
		t.Errorf("%.3f of %d fires burn between the passes, want %v", part, len(s.Fires), Unseen)
	}
	dies := Begin().AddDate(0, 0, s.Plan.Dies())
	late, both := 0, map[string]int{}
	for _, d := range s.Seen {
		both[string(d.Satellite)]++
		if d.Time.After(dies) {
			late++
			if d.Satellite != "NOAA-20" {
				t.Fatalf("%s delivers on %s and is dead", d.Satellite, d.Time)
			}
		}
	}
	if late == 0 || both["NOAA-20"] == 0 || both["NOAA-21"] == 0 {
		t.Errorf("detections by satellite %v, %d of them late", both, late)
	}
}

// The greatest day over the mean day of a state is 5.6 in 2022 and 4.0 in 2021 by
// the published counts: 3,634 of 49,922 and 363 of 6,987 in 77 days.
func TestHarvestsComeAsInPublishedSeasons(t *testing.T) {
	s := &Season{Plan: Plan{Seed: 6, Days: 77, Fires: 250, Particles: MinParticles, Harvest: Standard().Harvest}, States: states(6)}
	s.Cities = cities(s.States)
	s.burn()
	sum, n := 0.0, 0
	for i := range s.States {
		days, all, most := make([]int, s.Plan.Days), 0, 0
		for _, f := range s.Fires {
			if f.State == i {
				days[int(f.From/24)]++
				all++
				most = max(most, days[int(f.From/24)])
			}
		}
		if all >= 5*s.Plan.Days { // of a few fires chance makes most of the greatest day
			sum += float64(most) * float64(s.Plan.Days) / float64(all)
			n++
		}
	}
	if got := sum / float64(n); n < 4 || got < 3.5 || got > 7 {
		t.Errorf("the greatest day of %d states is %.1f times the mean one, want about 4 to 6", n, got)
	}
}

func TestTheAnalystsWindIsWrongAsSaid(t *testing.T) {
	s := small(t)
	w, err := s.Wind(Begin(), 24*5)
	if err != nil {
		t.Fatal(err)
	}
	g, err := w.Grid()
	if err != nil {
		t.Fatal(err)
	}
	f, _ := g.Field(wind.M100)
	var speed, way float64
	n := 0
	for hour := 0; hour < 24*5-1; hour += 3 {
		for lat := south; lat <= north; lat += 0.5 {
			for lon := west; lon <= east; lon += 0.5 {
				u, v := s.weather.at(lat, lon, float64(hour))
				a, b, ok := f.At(lat, lon, wind.Hours(Begin())+float64(hour))
				if !ok {
					t.Fatalf("no wind at %v, %v", lat, lon)
				}
				if math.Hypot(u[0], v[0]) < 0.5 { // hundredths of a metre a second are kept: a calm has no direction
					continue
				}
				off := math.Hypot(a, b)/math.Hypot(u[0], v[0]) - 1
				turn := math.Remainder(math.Atan2(b, a)-math.Atan2(v[0], u[0]), 2*math.Pi) * 180 / math.Pi
				speed, way, n = speed+off*off, way+turn*turn, n+1
			}
		}
	}
	if got := math.Sqrt(speed / float64(n)); math.Abs(got-SpeedError) > 0.04 {
		t.Errorf("the speed is off by %.3f, want %v", got, SpeedError)
	}
	if got := math.Sqrt(way / float64(n)); math.Abs(got-WayError) > 3 {
		t.Errorf("the direction is off by %.1f°, want %v", got, WayError)
	}
}

func TestTruthAddsUp(t *testing.T) {
	s := small(t)
	site := s.Cities[1].Stations[0].Site
	var hours []time.Time
	for h := range s.Hours() {
		hours = append(hours, Begin().Add(time.Duration(h)*time.Hour))
	}
	truth, ok := s.Truth(site, hours)
	if !ok || truth.Smoke <= 0 || truth.Other < clean {
		t.Fatalf("truth %+v, known: %v", truth, ok)
	}
	state, share := truth.First()
	if math.Abs(total(truth.States)-truth.Smoke) > 1e-9 || share <= 0 || share > 1 || truth.States[state] != share*truth.Smoke &&
		math.Abs(truth.States[state]-share*truth.Smoke) > 1e-9 {
		t.Errorf("the parts of %+v do not make the whole", truth)
	}
	if _, ok := s.Truth(site, []time.Time{s.End()}); ok {
		t.Error("something is known of an hour after the season")
	}
	if _, ok := s.Truth("nowhere", hours); ok {
		t.Error("something is known of a station that is not there")
	}
}

// What the analyst is given must be a file that the application would read.
func TestACutIsAFileOfTheLake(t *testing.T) {
	s := small(t)
	w, err := s.Wind(Begin().AddDate(0, 0, 3), 6)
	if err != nil {
		t.Fatal(err)
	}
	from, to := Begin().AddDate(0, 0, 1), Begin().AddDate(0, 0, 5)
	o, err := s.Object(Cut{City: 2, At: to, Wind: w, From: from, To: to})
	if err != nil {
		t.Fatal(err)
	}
	file, err := o.Write()
	if err != nil {
		t.Fatal(err)
	}
	read, err := lake.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(read.Fires), len(s.Detections(from, to)); got != want || want == 0 {
		t.Errorf("the file has %d fires, want %d", got, want)
	}
	stations := map[aqi.Site]bool{}
	for _, a := range read.Air {
		stations[a.Site] = true
		if a.Time.After(to) || a.Of(aqi.PM25) <= 0 {
			t.Fatalf("a row of air %+v", a)
		}
	}
	if got, want := len(stations), borderSites+interior; got != want {
		t.Errorf("the file has %d stations, want %d", got, want)
	}
}

func TestWhatAPlanMayBe(t *testing.T) {
	good := Plan{Seed: 1, Days: 2, Fires: 1, Particles: MinParticles, Harvest: 5}
	for _, p := range []Plan{
		{Seed: 1, Days: 1, Fires: 1, Particles: MinParticles, Harvest: 5},
		{Seed: 1, Days: 2, Fires: 0, Particles: MinParticles, Harvest: 5},
		{Seed: 1, Days: 2, Fires: 1, Particles: MinParticles - 1, Harvest: 5}, // fewer would not be a plume
		{Seed: 1, Days: 2, Fires: 1, Particles: MinParticles, Harvest: math.NaN()},
	} {
		if _, err := p.Build(); err == nil {
			t.Errorf("%+v is taken", p)
		}
	}
	if _, err := good.Build(); err != nil {
		t.Error(err)
	}
}
