package casework

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/outside"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/road"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/timetable"
)

// roadsDB is a database with the table of ways.
func roadsDB(t *testing.T) *postgrestest.Database {
	t.Helper()
	return postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations(), job.Migrations(), timetable.Migrations(),
		setting.Migrations(),
		store.Migrations())
}

// A fakeOSRM answers in OSRM's shape: every road is 1.3 times the straight line,
// at a mile a minute.
type fakeOSRM struct {
	factor float64
	status int                    // 0: it answers
	off    func(fleet.Point) bool // places off its map

	mu     sync.Mutex
	asked  []string // the path of every request
	places int      // the most in one request
}

func (f *fakeOSRM) requests() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

func (f *fakeOSRM) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var at []fleet.Point
	for p := range strings.SplitSeq(strings.TrimPrefix(r.URL.Path, "/table/v1/driving/"), ";") {
		lng, lat, _ := strings.Cut(p, ",")
		x, _ := strconv.ParseFloat(lng, 64)
		y, _ := strconv.ParseFloat(lat, 64)
		at = append(at, fleet.Point{Lat: y, Lng: x})
	}
	f.mu.Lock()
	f.asked = append(f.asked, r.URL.Path)
	f.places = max(f.places, len(at))
	f.mu.Unlock()
	if f.status != 0 {
		w.WriteHeader(f.status)
		fmt.Fprint(w, r.URL.Path) // as proxies do
		return
	}
	var miles, seconds []string
	for i, p := range at {
		if f.off != nil && f.off(p) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"code":"NoSegment","message":"Could not find a matching segment for coordinate %d"}`, i)
			return
		}
		if d := location.Haversine(p, at[0]) * f.factor; i > 0 {
			miles = append(miles, fmt.Sprintf("[%.1f]", d*1609.344))
			seconds = append(seconds, fmt.Sprintf("[%.1f]", d*60))
		}
	}
	fmt.Fprintf(w, `{"code":"Ok","distances":[%s],"durations":[%s]}`, strings.Join(miles, ","), strings.Join(seconds, ","))
}

func fakeRouter(t *testing.T, f *fakeOSRM) outside.Router {
	t.Helper()
	return routerAt(t, "osrm+"+serveRoads(t, f.ServeHTTP))
}

// milesNorth is a place some miles due north of the made-up site, and some east.
func milesNorth(n, east float64) fleet.Point {
	const degree = 3958.7613 * math.Pi / 180
	at := *madeup.Site().At
	return fleet.Point{Lat: at.Lat + n/degree, Lng: at.Lng + east/degree}
}

// someWays are n ways of about 40 miles to one pickup, all of different cells.
func someWays(n int, pickup fleet.Point) []location.Pair {
	var out []location.Pair
	for i := range n {
		out = append(out, location.Pair{Home: milesNorth(40, float64(i)*0.2), Pickup: pickup})
	}
	return out
}

func waysOf(t *testing.T, s *Roads, at time.Time, pairs []location.Pair) road.Distances {
	t.Helper()
	d, err := s.For(t.Context(), postgrestest.North, at, pairs)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Kept + d.Measured + d.None + d.Unanswered; got != len(pairs) {
		t.Errorf("%d ways are accounted for, want %d", got, len(pairs))
	}
	return d
}

// TestWaysAreMeasuredOnceIn180Days promises that a way is asked for once, is good
// for 180 days, and is measured anew after them; and that another organisation
// does not see it.
func TestWaysAreMeasuredOnceIn180Days(t *testing.T) {
	db, f := roadsDB(t), &fakeOSRM{factor: 1.3}
	s, at, pairs := NewRoads(store.New(store.Config{DB: db.App}), fakeRouter(t, f)), madeup.Now(), someWays(5, *madeup.Site().At)
	day := 24 * time.Hour
	for _, tt := range []struct {
		name           string
		at             time.Time
		kept, measured int
		requests       int
	}{
		{"the first time", at, 0, 5, 1},
		{"at once again", at, 5, 0, 1},
		{"after 179 days", at.Add(179 * day), 5, 0, 1},
		{"before it was measured: a clock is wrong", at.Add(-time.Minute), 0, 5, 2},
		{"180 days after that", at.Add(-time.Minute).Add(180 * day), 0, 5, 3},
		{"and then from what was kept", at.Add(359 * day), 5, 0, 3},
	} {
		d := waysOf(t, s, tt.at, pairs)
		if d.Kept != tt.kept || d.Measured != tt.measured || d.Fault != nil || f.requests() != tt.requests {
			t.Errorf("%s: got %d kept, %d measured, %d requests, %v; want %d, %d, %d", tt.name, d.Kept, d.Measured, f.requests(), d.Fault,
				tt.kept, tt.measured, tt.requests)
		}
		for _, p := range pairs {
			want := 1.3 * location.Haversine(p.Home, p.Pickup)
			if r, ok := d.Road(p.Home, p.Pickup); !ok || math.Abs(r.Miles-want) > 0.1 || math.Abs(r.Minutes-want) > 0.1 ||
				r.Method != location.OSRM {
				t.Errorf("%s: got %+v, want %.2f miles", tt.name, r, want)
			}
		}
	}
	d, err := NewRoads(store.New(store.Config{DB: db.App}), nil).For(t.Context(), postgrestest.South, at, pairs)
	if err != nil || d.Unanswered != 5 || len(d.Table) != 0 {
		t.Errorf("another organisation got %+v, %v, want nothing", d, err)
	}
}

// TestADeadRouterLeavesTheEstimate promises that an audit goes on without its
// router, with what was measured before, and with the confidence of an estimate
// for the rest; that a router which failed once is left alone; and that nothing
// that could be logged says where somebody lives.
func TestADeadRouterLeavesTheEstimate(t *testing.T) {
	db, f := roadsDB(t), &fakeOSRM{factor: 1.3}
	s, at, site := NewRoads(store.New(store.Config{DB: db.App}), fakeRouter(t, f)), madeup.Now(), *madeup.Site().At
	waysOf(t, s, at, []location.Pair{{Home: milesNorth(36, 0), Pickup: site}})
	f.status = http.StatusBadGateway
	pairs := append(someWays(3, milesNorth(0, 1)), someWays(150, milesNorth(0, 2))...)
	type rung struct {
		line       float64
		label      check.Label
		confidence check.Confidence
		method     location.Method
	}
	rungs := []rung{
		{36, check.Pass, 4, location.OSRM}, // 46.8 by road, measured before
		{39, check.Pass, check.Unsure, location.Estimate},
		{42, check.Fail, check.Unsure, location.Estimate},
		{47, check.Fail, 3, location.Estimate},
	}
	for _, r := range rungs {
		pairs = append(pairs, location.Pair{Home: milesNorth(r.line, 0), Pickup: site})
	}
	d := waysOf(t, s, at, pairs)
	if d.Kept != 1 || d.Unanswered != len(pairs)-1 || !fault.Is(d.Fault, fault.Unavailable) {
		t.Errorf("got %d kept, %d unanswered, %v; want 1, %d and a fault", d.Kept, d.Unanswered, d.Fault, len(pairs)-1)
	}
	sayNothingPersonal(t, d.Fault)
	if got := f.requests(); got != 2 {
		t.Errorf("the router was asked %d times, want once more after it failed", got)
	}
	for _, r := range rungs {
		v := verdictAt(t, milesNorth(r.line, 0), d)
		if v.Label != r.label || v.Confidence != r.confidence || !usedMethod(v, r.method) {
			t.Errorf("%v miles: got %s with %d, want %s with %d by %s", r.line, v.Label, v.Confidence, r.label, r.confidence, r.method)
		}
	}
}

func verdictAt(t *testing.T, home fleet.Point, roads location.Roads) check.Verdict {
	t.Helper()
	who := madeup.Worker(1, "SHIFT_DAY")
	who.Home = fleet.Home{At: &home}
	book, err := fleet.NewBook(madeup.Records(madeup.Van(who), []fleet.Employee{who}))
	if err != nil {
		t.Fatal(err)
	}
	g, err := book.Group("VP-101", madeup.Now())
	if err != nil {
		t.Fatal(err)
	}
	return check.Run(location.New(location.Standard(), roads), g, check.Exceptions{})
}

func usedMethod(v check.Verdict, want location.Method) bool {
	for _, e := range v.Evidence() {
		if e.Type == "distance_check" {
			return e.Data.Text("method") == string(want)
		}
	}
	return false
}

// TestWaysAreAskedForInLots promises one request for every pickup and ninety-nine
// homes, and that what was asked holds nobody's home, but the middle of its cell.
func TestWaysAreAskedForInLots(t *testing.T) {
	f := &fakeOSRM{factor: 1.3}
	s := NewRoads(store.New(store.Config{DB: roadsDB(t).App}), fakeRouter(t, f))
	pairs := append(someWays(250, *madeup.Site().At), someWays(2, milesNorth(0, 3))...)
	next := pairs[0]
	next.Home = location.CellOf(next.Home).Middle // a neighbour
	next.Home.Lat += 0.0001
	d := waysOf(t, s, madeup.Now(), append(pairs, next))
	if d.Measured != 253 || f.requests() != 4 || f.places != 100 {
		t.Errorf("got %d ways in %d requests of at most %d places, want 253 in 4 of 100", d.Measured, f.requests(), f.places)
	}
	if d.Table[pairs[0]] != d.Table[next] {
		t.Errorf("neighbours have %v and %v, want the same way", d.Table[pairs[0]], d.Table[next])
	}
	all := strings.Join(f.asked, " ")
	for _, p := range pairs {
		if home := fmt.Sprintf("%.6f,%.6f", p.Home.Lng, p.Home.Lat); strings.Contains(all, home) {
			t.Errorf("the router was told the home at %s", home)
		}
	}
}

// TestAHomeOffTheMapCostsNobodyElse promises that of ninety-nine homes two which
// the router cannot place leave ninety-seven ways, and that a pickup it cannot
// place does not keep it busy.
func TestAHomeOffTheMapCostsNobodyElse(t *testing.T) {
	pairs := someWays(99, *madeup.Site().At)
	off := map[string]bool{location.CellOf(pairs[17].Home).Name: true, location.CellOf(pairs[80].Home).Name: true}
	f := &fakeOSRM{factor: 1.3, off: func(p fleet.Point) bool { return off[location.CellOf(p).Name] }}
	s := NewRoads(store.New(store.Config{DB: roadsDB(t).App}), fakeRouter(t, f))
	d := waysOf(t, s, madeup.Now(), pairs)
	if d.Measured != 97 || d.None != 2 || d.Fault != nil || f.requests() > 32 {
		t.Errorf("got %d measured, %d none, %v in %d requests, want 97 and 2", d.Measured, d.None, d.Fault, f.requests())
	}
	before := f.requests()
	f.off = func(fleet.Point) bool { return true }
	d = waysOf(t, s, madeup.Now(), someWays(99, milesNorth(0, 3)))
	if d.None != 99 || d.Fault != nil || f.requests()-before > 32 {
		t.Errorf("got %d none, %v in %d requests, want 99 in at most %d", d.None, d.Fault, f.requests()-before, 32)
	}
}

// TestAnImpossibleRoadIsNotKept promises that a router which is set up wrongly
// does no harm that lasts: a road shorter than the line is neither used nor kept.
func TestAnImpossibleRoadIsNotKept(t *testing.T) {
	f, db := &fakeOSRM{factor: 0.3}, roadsDB(t)
	s, pairs := NewRoads(store.New(store.Config{DB: db.App}), fakeRouter(t, f)), someWays(2, *madeup.Site().At)
	if d := waysOf(t, s, madeup.Now(), pairs); d.None != 2 || len(d.Table) != 0 {
		t.Errorf("got %+v, want two that cannot be", d)
	}
	f.factor = 1.3
	if d := waysOf(t, s, madeup.Now(), pairs); d.Measured != 2 {
		t.Errorf("got %+v, want two measured once the router is mended", d)
	}
	var rows int
	err := db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), "select count(*) from poolpatrol.road where router = 'osrm' and miles > 40").Scan(&rows)
	})
	if err != nil || rows != 2 {
		t.Errorf("%d ways are kept, %v, want 2", rows, err)
	}
}

// TestWhatIsNoPlaceIsNotAsked promises that malformed coordinates reach nobody,
// and that without a router nothing is asked at all.
func TestWhatIsNoPlaceIsNotAsked(t *testing.T) {
	f, db := &fakeOSRM{factor: 1.3}, roadsDB(t)
	bad := []location.Pair{{Home: fleet.Point{Lat: math.NaN(), Lng: 1}, Pickup: pickupAt}, {Home: pickupAt},
		{Home: fleet.Point{Lat: 91}, Pickup: pickupAt}}
	if d := waysOf(t, NewRoads(store.New(store.Config{DB: db.App}), fakeRouter(t, f)), madeup.Now(), bad); d.None != 3 ||
		f.requests() != 0 {
		t.Errorf("got %+v in %d requests, want 3 of none and no request", d, f.requests())
	}
	if d := waysOf(t, NewRoads(store.New(store.Config{DB: db.App}), nil), madeup.Now(), someWays(2, pickupAt)); d.Unanswered != 2 ||
		d.Fault != nil {
		t.Errorf("got %+v, want 2 unanswered without a fault", d)
	}
	if d := waysOf(t, NewRoads(store.New(store.Config{DB: db.App}), nil), madeup.Now(), nil); len(d.Table) != 0 {
		t.Errorf("got %+v for no way", d)
	}
}

// TestACallerWhoHasGoneIsNotARouterThatFailed promises that a call which is ended
// returns an error, and does not judge people by estimates because of it.
func TestACallerWhoHasGoneIsNotARouterThatFailed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := routerAt(t, "osrm+"+serveRoads(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	_, err := NewRoads(store.New(store.Config{DB: roadsDB(t).App}), r).For(ctx, postgrestest.North, madeup.Now(), someWays(1, pickupAt))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the caller has gone", err)
	}
}

var pickupAt = fleet.Point{Lat: 37.495, Lng: -121.941}

// coordinate finds anything that could be one of those above.
var coordinate = regexp.MustCompile(`37[.]|121[.]`)

func serveRoads(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func routerAt(t *testing.T, address string) outside.Router {
	t.Helper()
	r, err := outside.NewRouter(address)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sayNothingPersonal(t *testing.T, err error) {
	t.Helper()
	text, next := fault.Words(err)
	if said := fmt.Sprintf("%v %+v %s %s", err, err, text, next); coordinate.MatchString(said) {
		t.Errorf("the error says where somebody lives: %s", said)
	}
}
