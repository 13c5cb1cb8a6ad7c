package outside

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/platform/fault"
)

// The answers in these tests are written by hand in the shapes the public
// documentation of OSRM (docs/http.md, table service) and Valhalla (matrix service)
// gives. No server was recorded.
const (
	osrmOK = `{"code":"Ok","distances":[[80467.2],[null],[0]],"durations":[[3600],[null],[0]],
		"sources":[{"name":"Elm Street","location":[-121.9,37.9],"distance":4.1},null,null],"destinations":[{"name":"","location":[-121.9,37.4]}]}`
	valhallaOK = `{"algorithm":"costmatrix","units":"miles","sources":[{"lat":37.9,"lon":-121.9}],"targets":[{"lat":37.4,"lon":-121.9}],
		"sources_to_targets":[[{"from_index":0,"to_index":0,"time":3600,"distance":50.000}],[{"from_index":1,"to_index":0,"time":null,"distance":null}],
		[{"from_index":2,"to_index":0,"time":0,"distance":0.000}]]}`
)

var (
	pickupAt = fleet.Point{Lat: 37.495, Lng: -121.941}
	homesAt  = []fleet.Point{{Lat: 37.912345, Lng: -121.987654}, {Lat: 37.923456, Lng: -121.976543}, {Lat: 37.934567, Lng: -121.965432}}
)

// coordinate finds anything that could be one of those above.
var coordinate = regexp.MustCompile(`37[.]|121[.]`)

func serveRoads(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func routerAt(t *testing.T, address string) Router {
	t.Helper()
	r, err := NewRouter(address)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRoutersMeasure promises that both routers are asked as they are documented
// to be, and that metres, miles, kilometres and ways that are not there are read
// for what they are.
func TestRoutersMeasure(t *testing.T) {
	for _, tt := range []struct {
		name   string
		method location.Method
		answer string
	}{
		{"osrm", location.OSRM, osrmOK},
		{"valhalla", location.Valhalla, valhallaOK},
		{"valhalla in kilometres", location.Valhalla,
			strings.NewReplacer("miles", "kilometers", "50.000", "80.4672").Replace(valhallaOK)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := ""
			r := routerAt(t, string(tt.method)+"+"+serveRoads(t, func(w http.ResponseWriter, r *http.Request) {
				asked = readRequest(t, r)
				fmt.Fprint(w, tt.answer)
			}))
			got, err := r.Table(t.Context(), pickupAt, homesAt)
			if err != nil {
				t.Fatal(err)
			}
			if want := "37.912345,-121.987654 37.923456,-121.976543 37.934567,-121.965432 to 37.495,-121.941"; asked != want {
				t.Errorf("asked for %s, want %s", asked, want)
			}
			if len(got) != 3 || got[0] == nil || got[1] != nil || got[2] == nil {
				t.Fatalf("got %v, want a way, none and a way", got)
			}
			if math.Abs(got[0].Miles-50) > 1e-9 || got[0].Minutes != 60 || got[0].Method != tt.method || r.Name() != tt.method {
				t.Errorf("got %+v, want 50 miles in 60 minutes by %s", *got[0], tt.method)
			}
		})
	}
}

// readRequest reads either router's request into one form.
func readRequest(t *testing.T, r *http.Request) string {
	t.Helper()
	var from []string
	if r.Method == http.MethodPost {
		var b struct {
			Sources, Targets []struct{ Lat, Lon json.Number }
			Costing, Units   string
		}
		if err := json.NewDecoder(r.Body).Decode(&b); err != nil || r.URL.Path != "/sources_to_targets" || b.Costing != "auto" ||
			b.Units != "miles" || len(b.Targets) != 1 {
			t.Errorf("asked %s for %+v, %v", r.URL.Path, b, err)
			return ""
		}
		for _, s := range b.Sources {
			from = append(from, string(s.Lat)+","+string(s.Lon))
		}
		return strings.Join(from, " ") + " to " + string(b.Targets[0].Lat) + "," + string(b.Targets[0].Lon)
	}
	places, ok := strings.CutPrefix(r.URL.Path, "/table/v1/driving/")
	q := r.URL.RawQuery // the semicolons are no separators here
	if !ok || !strings.HasPrefix(q, "sources=1;2;3&destinations=0&annotations=distance,duration") {
		t.Errorf("asked %s?%s", r.URL.Path, q)
		return ""
	}
	turned := func(s string) string {
		lng, lat, _ := strings.Cut(s, ",")
		return strings.TrimRight(lat, "0") + "," + strings.TrimRight(lng, "0")
	}
	all := strings.Split(places, ";")
	for _, p := range all[1:] {
		from = append(from, turned(p))
	}
	return strings.Join(from, " ") + " to " + turned(all[0])
}

// TestARouterThatFailsIsAFault promises that whatever a router answers is a way,
// none, or a fault one can try again after; and that no error says where somebody
// lives, whatever the router quotes.
func TestARouterThatFailsIsAFault(t *testing.T) {
	quoting := `"message":"no route for 37.912345,-121.987654"`
	answers := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	for _, tt := range []struct {
		name   string
		method location.Method
		answer http.HandlerFunc
		want   fault.Kind
	}{
		{"osrm too big", location.OSRM, answers(400, `{"code":"TooBig",`+quoting+`}`), fault.Unavailable},
		{"osrm off the map", location.OSRM, answers(400, `{"code":"NoSegment",`+quoting+`}`), fault.NotFound},
		{"osrm with a code nobody knows", location.OSRM, answers(400, `{"code":"37.912345"}`), fault.Unavailable},
		{"osrm broken", location.OSRM, answers(502, `<html>37.912345</html>`), fault.Unavailable},
		{"osrm garbage", location.OSRM, answers(200, `37.912345,-121.987654`), fault.Unavailable},
		{"osrm cut short", location.OSRM, answers(200, osrmOK[:60]), fault.Unavailable},
		{"osrm of before distances", location.OSRM, answers(200, `{"code":"Ok","durations":[[1],[1],[1]]}`), fault.Unavailable},
		{"osrm with a row too few", location.OSRM, answers(200, `{"code":"Ok","durations":[[1],[1]],"distances":[[1],[1]]}`),
			fault.Unavailable},
		{"osrm with a column too many", location.OSRM, answers(200, `{"code":"Ok","durations":[[1],[1],[1]],"distances":[[1,2],[1],[1]]}`),
			fault.Unavailable},
		{"osrm with a distance below nothing", location.OSRM, answers(200, strings.Replace(osrmOK, "80467.2", "-37.912345", 1)),
			fault.Unavailable},
		{"osrm with a distance round the globe", location.OSRM, answers(200, strings.Replace(osrmOK, "80467.2", "1e9", 1)),
			fault.Unavailable},
		{"osrm with a distance and no time", location.OSRM, answers(200, strings.Replace(osrmOK, "[3600]", "[null]", 1)),
			fault.Unavailable},
		{"osrm elsewhere", location.OSRM, answers(200, strings.Replace(osrmOK, "Ok", "Moved", 1)), fault.Unavailable},
		{"osrm too large", location.OSRM, answers(200, osrmOK+strings.Repeat(" ", maxRouterSays)), fault.Unavailable},
		{"valhalla off the map", location.Valhalla,
			answers(400, `{"error_code":171,"error":"No suitable edges near location","status_code":400}`), fault.NotFound},
		{"valhalla over its limits", location.Valhalla, answers(400, `{"error_code":150,"error":"37.912345"}`), fault.Unavailable},
		{"valhalla broken", location.Valhalla, answers(500, `121.987654`), fault.Unavailable},
		{"valhalla garbage", location.Valhalla, answers(200, `{"sources_to_targets":37.912345}`), fault.Unavailable},
		{"valhalla without units", location.Valhalla, answers(200, strings.Replace(valhallaOK, `"miles"`, `"37.9"`, 1)), fault.Unavailable},
		{"valhalla out of order", location.Valhalla, answers(200, strings.Replace(valhallaOK, `"from_index":2`, `"from_index":1`, 1)),
			fault.Unavailable},
		{"valhalla cut short", location.Valhalla, answers(200, valhallaOK[:200]), fault.Unavailable},
		{"valhalla too large", location.Valhalla, answers(200, valhallaOK+strings.Repeat(" ", maxRouterSays)), fault.Unavailable},
		{"the line breaks", location.OSRM, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9999")
			fmt.Fprint(w, osrmOK)
		}, fault.Unavailable},
		{"the line breaks at once", location.OSRM, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			fault.Unavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := routerAt(t, string(tt.method)+"+"+serveRoads(t, tt.answer)).Table(t.Context(), pickupAt, homesAt)
			if !fault.Is(err, tt.want) || got != nil {
				t.Fatalf("got %v, %v, want a fault of the kind %s", got, err, tt.want)
			}
			sayNothingPersonal(t, err)
		})
	}
}

func sayNothingPersonal(t *testing.T, err error) {
	t.Helper()
	text, next := fault.Words(err)
	if said := fmt.Sprintf("%v %+v %s %s", err, err, text, next); coordinate.MatchString(said) {
		t.Errorf("the error says where somebody lives: %s", said)
	}
}

// TestNoWayFromAnywhereIsAnAnswer promises that a router which finds no way at all
// has not failed.
func TestNoWayFromAnywhereIsAnAnswer(t *testing.T) {
	for method, body := range map[location.Method]string{
		location.OSRM:     `{"code":"NoTable","message":"No table found"}`,
		location.Valhalla: `{"error_code":442,"error":"No path could be found for input"}`,
	} {
		r := routerAt(t, string(method)+"+"+serveRoads(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, body)
		}))
		got, err := r.Table(t.Context(), pickupAt, homesAt)
		if err != nil || len(got) != 3 || got[0] != nil || got[1] != nil || got[2] != nil {
			t.Errorf("%s: got %v, %v, want three times no way", method, got, err)
		}
	}
}

// TestHomesGoNowhereElse promises that a redirect is not followed.
func TestHomesGoNowhereElse(t *testing.T) {
	elsewhere := serveRoads(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was asked elsewhere", r.Method) })
	for _, method := range []location.Method{location.OSRM, location.Valhalla} {
		r := routerAt(t, string(method)+"+"+serveRoads(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere+r.URL.Path, http.StatusTemporaryRedirect)
		}))
		_, err := r.Table(t.Context(), pickupAt, homesAt)
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: got %v, want a fault", method, err)
		}
		sayNothingPersonal(t, err)
	}
}

// TestADeadOrSilentRouterIsAFault promises the same of one that is not there and
// of one that does not answer in time.
func TestADeadOrSilentRouterIsAFault(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	silent := serveRoads(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for name, address := range map[string]string{"dead": gone.URL, "silent": silent, "no such name": "http://router.invalid"} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		_, err := routerAt(t, "osrm+"+address).Table(ctx, pickupAt, homesAt)
		cancel()
		if !fault.Is(err, fault.Unavailable) || !fault.KindOf(err).Retryable() {
			t.Errorf("%s: got %v, want a fault one can try again after", name, err)
		}
		sayNothingPersonal(t, err)
	}
}

// TestRoutersAreAskedWithinBounds promises that more places than a request holds
// are refused before anybody is asked, and that nobody is asked about none.
func TestRoutersAreAskedWithinBounds(t *testing.T) {
	for _, method := range []location.Method{location.OSRM, location.Valhalla} {
		r := routerAt(t, string(method)+"+"+serveRoads(t, func(http.ResponseWriter, *http.Request) { t.Error("the router was asked") }))
		if _, err := r.Table(t.Context(), pickupAt, make([]fleet.Point, MaxFrom+1)); !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s: got %v, want too large", method, err)
		}
		if got, err := r.Table(t.Context(), pickupAt, nil); err != nil || len(got) != 0 {
			t.Errorf("%s: got %v, %v for no place", method, got, err)
		}
	}
}

// TestRouterAddresses promises which addresses are taken, and that a password in
// one that is refused is not repeated.
func TestRouterAddresses(t *testing.T) {
	for address, want := range map[string]location.Method{
		"osrm+http://127.0.0.1:5000": location.OSRM, "osrm+https://roads.example/osrm/": location.OSRM,
		"valhalla+http://[::1]:8002": location.Valhalla,
		"":                           "", "http://127.0.0.1:5000": "", "osrm+ftp://roads.example": "", "osrm+http://": "",
		"graphhopper+http://roads.example":     "",
		"osrm+http://me:hunter2@roads.example": "", "osrm+http://roads.example?key=hunter2": "", "osrm+http://roads.example#hunter2": "",
		"osrm+http://%zz": "",
	} {
		r, err := NewRouter(address)
		switch {
		case want == "" && (!fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "hunter2")):
			t.Errorf("%q: got %v, want it refused", address, err)
		case want != "" && (err != nil || r.Name() != want):
			t.Errorf("%q: got %v, want %s", address, err, want)
		}
	}
}

func fuzzReader(f *testing.F, read func(int, []byte, int) ([]*location.Road, error), seeds ...string) {
	for _, s := range seeds {
		f.Add(200, []byte(s), 3)
		f.Add(400, []byte(s), 1)
	}
	f.Fuzz(func(t *testing.T, status int, answer []byte, n int) {
		n = 1 + (n&0x7fff)%MaxFrom
		got, err := read(status, answer, n)
		if err != nil {
			if !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.NotFound) || got != nil {
				t.Fatalf("got %v, %v", got, err)
			}
			return
		}
		if len(got) != n {
			t.Fatalf("%d ways for %d places", len(got), n)
		}
		for _, r := range got { // what the table of ways takes
			if r != nil && !(r.Miles >= 0 && r.Miles <= maxMiles && r.Minutes >= 0 && r.Minutes <= maxMinutes) {
				t.Fatalf("a way of %v", *r)
			}
		}
	})
}

func FuzzReadOSRM(f *testing.F) {
	fuzzReader(f, readOSRM, osrmOK, `{"code":"NoTable"}`, `{"code":"NoSegment"}`, `{"code":"Ok","distances":[[1e400]],"durations":[[1]]}`)
}

func FuzzReadValhalla(f *testing.F) {
	fuzzReader(f, readValhalla, valhallaOK, `{"error_code":442}`, `{"error_code":171}`, `{"sources_to_targets":[[null]],"units":"km"}`)
}
