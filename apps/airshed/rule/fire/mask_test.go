package fire_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/platform/fault"
)

const maskHead = "name,kind,latitude,longitude,radius_km,source\n"

// TestMaskCoversWhatItsPixelReaches promises the radius and half the pixel's
// diagonal, and the nearest of several sites. With pixels of 0.4 km that half is
// 0.28 km, computed by hand.
func TestMaskCoversWhatItsPixelReaches(t *testing.T) {
	m, err := fire.ReadMask("m1", []byte("\ufeffsource,"+strings.Replace(maskHead, ",source", "", 1)+
		"survey,\"Refinery, east\",refinery,29,76,1\nsurvey,Kiln,kiln,29.0072,76,5\n"))
	if err != nil {
		t.Fatal(err)
	}
	for north, want := range map[float64]string{0: "Refinery, east", 0.3: "Refinery, east", -1.2: "Refinery, east", 0.5: "Kiln",
		-1.3: "Kiln", 6: "Kiln", 6.2: ""} {
		s, ok := m.Covers(seen("NOAA-20", north, 0, 1))
		if s.Name != want || ok != (want != "") {
			t.Errorf("%v km north: got %q, want %q", north, s.Name, want)
		}
	}
	if _, ok := (fire.Mask{}).Covers(seen("NOAA-20", 0, 0, 1)); ok {
		t.Error("the empty mask covers something")
	}
}

// TestMaskAgreesWithLookingAtEverySite promises that finding sites by cells
// leaves none out.
func TestMaskAgreesWithLookingAtEverySite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lat := rapid.SampledFrom([]float64{0, 29, -89.9, 89.9}).Draw(t, "parallel")
		lon := rapid.SampledFrom([]float64{0, 76, 179.95}).Draw(t, "meridian")
		spot := func(label string) fire.Point {
			p := fire.Point{
				Lat: min(90, max(-90, lat+rapid.Float64Range(-0.1, 0.1).Draw(t, label+" north"))),
				Lon: lon + rapid.Float64Range(-0.1, 0.1).Draw(t, label+" east"),
			}
			if p.Lon > 180 {
				p.Lon -= 360
			}
			return p
		}
		var sites []fire.Site
		for range rapid.IntRange(0, 12).Draw(t, "sites") {
			sites = append(sites, fire.Site{Name: "a", Kind: "b", Source: "c", At: spot("site"), Radius: rapid.Float64Range(0.1, 10).
				Draw(t, "radius")})
		}
		m, err := fire.NewMask("m1", sites)
		if err != nil {
			t.Fatal(err)
		}
		d := seen("NOAA-20", 0, 0, 1)
		d.At = spot("fire")
		want := false
		for _, s := range sites {
			want = want || fire.Distance(s.At, d.At) <= s.Radius+d.Blur()
		}
		if _, got := m.Covers(d); got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// TestBadMaskIsRefusedWhole promises that no mask is used of which a line was lost.
func TestBadMaskIsRefusedWhole(t *testing.T) {
	for file, want := range map[string]string{
		"":                                 "no line that names its columns",
		"name,kind\n":                      "no column latitude",
		maskHead + "a,b,91,76,1,c\n":       "latitude",
		maskHead + "a,b,29,x,1,c\n":        "longitude",
		maskHead + "a,b,29,76,11,c\n":      "radius_km",
		maskHead + "a,b,29,76,0,c\n":       "radius",
		maskHead + ",b,29,76,1,c\n":        "name: use",
		maskHead + "a,b,29,76,1,\n":        "source: use",
		maskHead + "a,b,29\n":              "cannot be read",
		maskHead + "a,b,29,76,1,c,d\n":     "cannot be read",
		maskHead + "\xff,b,29,76,1,c\n":    "not UTF-8",
		"name," + maskHead + "a,b,c,d,e,f": "two columns name",
	} {
		_, err := fire.ReadMask("m1", []byte(file))
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", file, err, want)
		}
	}
	if _, err := fire.ReadMask("", []byte(maskHead)); err == nil {
		t.Error("a mask without a version was taken")
	}
}

// FuzzReadMask promises that every site of a mask that was taken covers a fire in
// its middle.
func FuzzReadMask(f *testing.F) {
	f.Add([]byte(maskHead + "a,b,29,76,1,c\n"))
	f.Add([]byte("longitude,latitude,name,kind,radius_km,source,x\n76,29,\"a,\"\"\",b,.5,c,\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := fire.ReadMask("m1", file)
		if err != nil && fault.Is(err, fault.Internal) {
			t.Fatalf("our mistake: %v", err)
		}
		for _, s := range m.Sites() {
			d := seen("NOAA-20", 0, 0, 1)
			d.At = s.At
			if _, ok := m.Covers(d); err != nil || !ok {
				t.Fatalf("%+v does not cover its middle", s)
			}
		}
	})
}
