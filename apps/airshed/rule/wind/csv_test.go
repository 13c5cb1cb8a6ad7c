package wind_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// small is a whole grid: two by two nodes, two hours, one level.
const small = `time,lat,lon,level,u,v,blh
2025-11-12T00:00:00Z,28.00,76.00,100m,1,0,500
2025-11-12T00:00:00Z,28.00,76.25,100m,2,0,500
2025-11-12T00:00:00Z,28.25,76.00,100m,3,0,500
2025-11-12T00:00:00Z,28.25,76.25,100m,4,0,500
2025-11-12T01:00:00Z,28.00,76.00,100m,5,0,700
2025-11-12T01:00:00Z,28.00,76.25,100m,6,0,700
2025-11-12T01:00:00Z,28.25,76.00,100m,7,0,700
2025-11-12T01:00:00Z,28.25,76.25,100m,8,0,700
`

// TestAGridIsReadFromCSV promises that lines in any order and columns in any order
// make the same grid: in the middle of it all the wind is the mean of 1 to 8, and
// the mixing height of 500 and 700.
func TestAGridIsReadFromCSV(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(small), "\n")
	var mixed bytes.Buffer
	mixed.WriteString("\ufeffBLH,level,lat,lon,station,time,V,U\n")
	for i := len(lines) - 1; i > 0; i-- {
		f := strings.Split(lines[i], ",")
		at := strings.Replace(strings.Replace(f[0], "T01:00:00Z", "T06:30:00+05:30", 1), "T00:00:00Z", "T05:30:00+05:30", 1)
		fmt.Fprintf(&mixed, "%s,%s,%s,%s,here,%s,%s,%s\n", f[6], f[3], f[1], f[2], at, f[5], f[4])
	}
	for name, text := range map[string]string{"as it is": small, "mixed, in Indian time": mixed.String()} {
		g, err := wind.ParseCSV(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f, ok := g.Field(wind.M100)
		u, _, known := f.At(28.125, 76.125, wind.Hours(start)+0.5)
		mixing, deep := g.MixingAt(28.125, 76.125, wind.Hours(start)+0.5)
		if !ok || !known || !deep || math.Abs(u-4.5) > 1e-9 || math.Abs(mixing-600) > 1e-9 {
			t.Errorf("%s: got %v m/s and %v m, want 4.5 and 600", name, u, mixing)
		}
		if s := g.Shape(); s.Every != time.Hour || s.DLat != 0.25 || s.Rows != 2 || !s.Start.Equal(start) {
			t.Errorf("%s: got %+v", name, s)
		}
	}
}

// TestWhatIsNotSaidIsMissing promises that an empty wind or height, and a column of
// heights that is not there, are not zero.
func TestWhatIsNotSaidIsMissing(t *testing.T) {
	text := strings.Replace(small, "100m,8,0,700", "100m,,0,", 1)
	g, err := wind.ParseCSV(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	f, _ := g.Field(wind.M100)
	if _, _, known := f.At(28.125, 76.125, wind.Hours(start)+0.5); known {
		t.Error("an empty u is a wind")
	}
	if _, known := g.MixingAt(28.125, 76.125, wind.Hours(start)+0.5); known {
		t.Error("an empty blh is a height")
	}
	without := strings.NewReplacer(",blh", "", ",500", "", ",700", "").Replace(small)
	if g, err = wind.ParseCSV(strings.NewReader(without)); err != nil || g.HasMixing() {
		t.Errorf("without heights: %v", err)
	}
}

// TestUnclearGridsAreRefused promises a fault that names the line or what is wrong.
func TestUnclearGridsAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"no header", small, "", "header"},
		{"a column is missing", "level", "height", `"level"`},
		{"no rows", small[27:], "", "at least 2"},
		{"a time without an offset", "2025-11-12T00:00:00Z,28.00,76.00", "2025-11-12T00:00:00,28.00,76.00", "line 2"},
		{"an unknown level", "76.25,100m,2", "76.25,80m,2", "line 3"},
		{"a wind in another unit", "100m,3,0", "100m,999,0", "line 4"},
		{"a wind that is no number", "100m,3,0", "100m,NaN,0", "line 4"},
		{"a word", "100m,3,0", "100m,fast,0", "line 4"},
		{"off the globe", "28.25,76.00,100m,3", "98.25,76.00,100m,3", "line 4"},
		{"a negative height", "4,0,500", "4,0,-500", "line 5"},
		{"a node off the lattice", "28.25,76.00,100m,3", "28.35,76.00,100m,3", "not regular"},
		{"a node twice", "28.00,76.25,100m,2", "28.00,76.00,100m,2", "twice"},
		{"a line cut short", "100m,8,0,700", "100m,8", "cannot be read"},
		{"a quote that is never closed", "2025-11-12T01:00:00Z,28.25,76.25", `"2025`, "cannot be read"},
		{"hours years apart", "2025-11-12T01", "2225-11-12T01", "15 minutes to 6 hours"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := wind.ParseCSV(strings.NewReader(strings.ReplaceAll(small, tt.old, tt.new)))
			if err == nil || fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want something with %q", err, tt.want)
			}
		})
	}
	two := strings.Replace(small, "100m,8,0,700", "100m,8,0,700\n2025-11-12T01:00:00Z,28.25,76.25,10m,8,0,701", 1)
	if _, err := wind.ParseCSV(strings.NewReader(two)); err == nil || !strings.Contains(err.Error(), "two mixing heights") {
		t.Errorf("two heights: got %v", err)
	}
}

// FuzzParseCSV looks for text that makes the parser crash, or a grid that gives a
// wind nobody wrote.
func FuzzParseCSV(f *testing.F) {
	f.Add(small)
	f.Add("time,lat,lon,level,u,v\n")
	f.Add("time,lAt,lon,level,u,v,\n\"00")
	f.Add("\ufeff" + strings.ReplaceAll(small, "100m", "850hPa"))
	f.Add(strings.ReplaceAll(small, "76.25", "176.25"))
	f.Fuzz(func(t *testing.T, text string) {
		g, err := wind.ParseCSV(strings.NewReader(text))
		if err != nil {
			if fault.KindOf(err) == fault.Internal {
				t.Fatalf("a fault without a kind: %v", err)
			}
			return
		}
		s := g.Shape()
		for _, l := range wind.Levels() {
			field, ok := g.Field(l)
			if !ok {
				continue
			}
			u, v, known := field.At(s.South+s.DLat/2, s.West+s.DLon/2, wind.Hours(s.Start)+s.Every.Hours()/2)
			if known && !(math.Abs(u) <= wind.Fastest && math.Abs(v) <= wind.Fastest) {
				t.Fatalf("a wind of %v, %v", u, v)
			}
		}
	})
}
