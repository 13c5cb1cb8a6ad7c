package outside_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestAShareIsOfTheBytesItNames promises that an entry and what it was read from
// belong together.
func TestAShareIsOfTheBytesItNames(t *testing.T) {
	page := []byte("<html>Stubble burning 22.5 %</html>")
	s := feed.Share{IssuedAt: thursday, ValidDate: "2026-11-13", Percent: 22.5, SourceURL: "https://ews.tropmet.res.in/dss/",
		SHA256: blob.Sum(page).String(), CapturedBy: "dev:analyst@north"}
	got, err := outside.Captured(s, friday, "text/html", page)
	if err != nil || got.Name != origin.Stubble || got.SHA256.String() != s.SHA256 || got.URL != s.SourceURL ||
		!got.FetchedAt.Equal(friday) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := outside.Captured(s, friday, "text/html", append(page, ' ')); !fault.Is(err, fault.Conflict) {
		t.Errorf("other bytes: %v", err)
	}
	s.CapturedBy = ""
	if _, err := outside.Captured(s, friday, "text/html", page); !fault.Is(err, fault.Invalid) {
		t.Errorf("by nobody: %v", err)
	}
}

// TestAWindGridIsKeptWhole promises that every node of a grid that was handed in is
// in the lake's wind, to a centimetre a second, whatever its step; and that a gap
// stays one.
func TestAWindGridIsKeptWhole(t *testing.T) {
	for _, step := range []float64{0.25, 0.1, 0.3} {
		var csv strings.Builder
		fmt.Fprintln(&csv, "time,lat,lon,level,u,v,blh")
		for h := range 3 {
			for r := range 12 {
				for c := range 11 {
					fmt.Fprintf(&csv, "%s,%.4f,%.4f,10m,%d,%d,%d\n", thursday.Add(time.Duration(h)*time.Hour).Format(time.RFC3339),
						26.7+float64(r)*step, 72.9+float64(c)*step, r, -c, 100+h)
				}
			}
		}
		w, err := outside.GivenWind([]byte(csv.String()))
		if err != nil {
			t.Fatal(err)
		}
		g, err := w.Grid()
		if err != nil {
			t.Fatal(err)
		}
		f, ok := g.Field(wind.M10)
		if !ok {
			t.Fatal("no wind at 10 m")
		}
		// The last square of the last hour needs all of its corners.
		at := wind.Hours(thursday.Add(90 * time.Minute))
		u, v, ok := f.At(26.7+10.5*step, 72.9+9.5*step, at)
		if !ok || math.Abs(u-10.5) > 0.01 || math.Abs(v+9.5) > 0.01 {
			t.Errorf("step %v: %v, %v, %t, want 10.5, -9.5", step, u, v, ok)
		}
		if m, ok := g.MixingAt(26.7+10.5*step, 72.9+9.5*step, at); !ok || m != 101.5 {
			t.Errorf("step %v: mixing height %v, %t, want 101.5", step, m, ok)
		}
		gap := strings.Replace(csv.String(), ",10m,5,-5,", ",10m,,,", 1)
		if w, err = outside.GivenWind([]byte(gap)); err != nil {
			t.Fatal(err)
		}
		if g, err = w.Grid(); err != nil {
			t.Fatal(err)
		}
		f, _ = g.Field(wind.M10)
		if _, _, ok := f.At(26.7+5.5*step, 72.9+5.5*step, wind.Hours(thursday)); ok {
			t.Errorf("step %v: a wind was made up in a gap", step)
		}
	}
	if _, err := outside.GivenWind([]byte("time,lat\n")); !fault.Is(err, fault.Invalid) {
		t.Errorf("no grid: %v", err)
	}
}

// TestAWindThatWasHandedInGoesFirst promises that a person's grid is not replaced by
// the service's, and that without either there is none.
func TestAWindThatWasHandedInGoesFirst(t *testing.T) {
	w, err := outside.GivenWind([]byte("time,lat,lon,level,u,v\n2026-11-12T00:00:00Z,28,77,10m,1,1\n2026-11-12T01:00:00Z,29,78,10m,1,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := gathered(t)
	p.Wind = w
	if o, err := outside.Harmonise(p); err != nil || o.Wind != w || len(o.Cloud) == 0 {
		t.Errorf("with both: %v", err)
	}
	p.Wind, p.Weather = nil, nil
	if o, err := outside.Harmonise(p); err != nil || o.Wind != nil {
		t.Errorf("with neither: %v", err)
	}
}
