package fire

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Site is a place that is hot without a field burning: a kiln, a steel works,
// a power station, a refinery.
type Site struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind"`
	At     Point   `json:"at"`
	Radius float64 `json:"radius_km"`
	Source string  `json:"source"` // who says so
}

// A Mask is the sites that are known. The zero Mask covers nothing. Preliminary
// rows do not say what kind of heat they saw, so it is ours to keep.
type Mask struct {
	Version string
	sites   []Site
	widest  float64 // the largest radius, km
	near    *grid
}

// Bounds of a mask.
const (
	maxSites    = 200_000 // there are more than 100,000 brick kilns
	maxRadius   = 10      // km
	maxMaskFile = 32 << 20
)

// NewMask is the mask of some sites.
func NewMask(version string, sites []Site) (Mask, error) {
	if badWord(version) {
		return Mask{}, fault.New(fault.Invalid, "the mask says no version, or too long a one")
	}
	if len(sites) > maxSites {
		return Mask{}, fault.New(fault.TooLarge, "the mask has more than %d sites", maxSites)
	}
	m := Mask{Version: version, sites: slices.Clone(sites)}
	for i, s := range sites {
		switch {
		case badWord(s.Name) || badWord(s.Kind) || badWord(s.Source):
			return Mask{}, fault.New(fault.Invalid, "site %d %.40q: name, kind and source are needed, of at most %d bytes", i+1, s.Name,
				maxWord)
		case !s.At.Valid():
			return Mask{}, fault.New(fault.Invalid, "site %d %.40q is not on the globe", i+1, s.Name)
		case !(s.Radius > 0 && s.Radius <= maxRadius):
			return Mask{}, fault.New(fault.Invalid, "site %d %.40q: its radius is above 0 and at most %d km", i+1, s.Name, maxRadius)
		}
		m.widest = max(m.widest, s.Radius)
	}
	m.near = newGrid(m.widest, 0)
	for i, s := range m.sites {
		m.near.add(s.At, time.Time{}, int32(i))
	}
	return m, nil
}

// Sites are the sites of the mask, in their order.
func (m Mask) Sites() []Site { return slices.Clone(m.sites) }

// Covers finds the site a detection may be of: the nearest whose radius the pixel
// reaches. The fire may be anywhere in its pixel, so in doubt it is the site's.
func (m Mask) Covers(d Detection) (Site, bool) {
	best, at := math.Inf(1), int32(-1)
	if m.near == nil {
		return Site{}, false
	}
	m.near.some(d.At, m.widest+d.Blur(), time.Time{}, func(i int32) bool {
		s := m.sites[i]
		if km := Distance(s.At, d.At); km <= s.Radius+d.Blur() && (km < best || km == best && i < at) {
			best, at = km, i
		}
		return false
	})
	if at < 0 {
		return Site{}, false
	}
	return m.sites[at], true
}

// maskColumns are the columns of a mask's file.
var maskColumns = []string{"name", "kind", "latitude", "longitude", "radius_km", "source"}

// ReadMask reads a mask from a table with the columns name, kind, latitude,
// longitude, radius_km and source, in any order. One bad line refuses it whole:
// a site that is missing would turn a works into a field.
func ReadMask(version string, file []byte) (Mask, error) {
	if len(file) > maxMaskFile {
		return Mask{}, fault.New(fault.TooLarge, "the mask has more than %d MB", maxMaskFile>>20)
	}
	if !utf8.Valid(file) {
		return Mask{}, fault.New(fault.Invalid, "the mask is not UTF-8").WithNext("save it as CSV UTF-8")
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))))
	r.ReuseRecord = true
	head, err := r.Read()
	if err != nil {
		return Mask{}, fault.From(fault.Invalid, err, "the mask has no line that names its columns")
	}
	at, err := maskHeading(head)
	if err != nil {
		return Mask{}, err
	}
	var sites []Site
	for len(sites) <= maxSites {
		line, err := r.Read()
		if errors.Is(err, io.EOF) {
			return NewMask(version, sites)
		}
		if err != nil {
			return Mask{}, fault.From(fault.Invalid, err, "site %d cannot be read: quotes or number of cells", len(sites)+1)
		}
		s, bad := site(line, at)
		if bad != nil {
			return Mask{}, fault.New(fault.Invalid, "site %d %.40q: %s", len(sites)+1, s.Name, bad.Text)
		}
		sites = append(sites, s)
	}
	return NewMask(version, sites) // refuses: there are too many
}

func maskHeading(head []string) ([]int, error) {
	at := make([]int, len(maskColumns))
	for i, want := range maskColumns {
		same := func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), want) }
		if at[i] = slices.IndexFunc(head, same); at[i] < 0 {
			return nil, fault.New(fault.Invalid, "there is no column %s", want).WithNext("name the columns %s in the first line",
				strings.Join(maskColumns, ", "))
		}
		if slices.ContainsFunc(head[at[i]+1:], same) {
			return nil, fault.New(fault.Invalid, "there are two columns %s", want)
		}
	}
	return at, nil
}

func site(line []string, at []int) (Site, *fault.Error) {
	cell := func(i int) string { return strings.TrimSpace(line[at[i]]) }
	lat, badLat := number(maskColumns[2], cell(2), -90, 90)
	lon, badLon := number(maskColumns[3], cell(3), -180, 180)
	radius, badRadius := number(maskColumns[4], cell(4), 0, maxRadius)
	s := Site{Name: cell(0), Kind: cell(1), At: Point{Lat: lat, Lon: lon}, Radius: radius, Source: cell(5)}
	for _, bad := range []*fault.Error{badLat, badLon, badRadius} {
		if bad != nil {
			return s, bad
		}
	}
	return s, nil
}
