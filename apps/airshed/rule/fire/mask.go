package fire

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/intake"
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
	maxMaskName = 800
	leastRadius = 0.001 // km

	MaxMaskFile = 32 << 20 // bytes
)

// NewMask is the mask of some sites.
func NewMask(version string, sites []Site) (Mask, error) {
	if version == "" || len(version) > maxMaskName {
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

// MaskTable is how a file of sites looks.
var MaskTable = intake.Table[Site]{Name: "static sources",
	Key: func(s *Site) string { return fmt.Sprintf("%s (%g, %g)", s.Name, s.At.Lat, s.At.Lon) },
	Fields: []intake.Field[Site]{
		intake.Again(intake.Named("name", maxWord, func(s *Site) *string { return &s.Name })),
		intake.Named("kind", maxWord, func(s *Site) *string { return &s.Kind }),
		intake.Number("latitude", -90, 90, func(s *Site) *float64 { return &s.At.Lat }),
		intake.Number("longitude", -180, 180, func(s *Site) *float64 { return &s.At.Lon }),
		intake.Number("radius_km", leastRadius, maxRadius, func(s *Site) *float64 { return &s.Radius }),
		intake.Named("source", maxWord, func(s *Site) *string { return &s.Source }),
	}}

// ReadMask reads a mask from a table with the columns name, kind, latitude, longitude,
// radius_km and source, in any order. One bad line refuses it whole: a site that is missing
// would turn a works into a field.
func ReadMask(version string, file []byte) (Mask, error) {
	f, err := ReadSites(file)
	if err != nil {
		return Mask{}, err
	}
	if f.Count > 0 {
		return Mask{}, fault.New(fault.Invalid, "line %d of the static sources cannot be used: %s", f.List[0].Line, f.List[0].Reason)
	}
	sites := make([]Site, len(f.Rows))
	for i, r := range f.Rows {
		sites[i] = r.Value
	}
	return NewMask(version, sites)
}

// MaskName is how an analysis names a list: what it is called, its licence, its day and the
// digest of the file.
func MaskName(name, licence, asOf string, file []byte) string {
	sum := sha256.Sum256(file)
	return fmt.Sprintf("%s (%s, as of %s; sha256 %x)", name, licence, asOf, sum[:8])
}

// ReadSites reads a file of sites with the lines of it that cannot be used.
func ReadSites(file []byte) (intake.File[Site], error) {
	if len(file) > MaxMaskFile {
		return intake.File[Site]{}, fault.New(fault.TooLarge, "a file of static sources has at most %d MB", MaxMaskFile>>20)
	}
	f, err := intake.Read(MaskTable, file)
	if err == nil && len(f.Rows)+f.Count == 0 {
		err = fault.New(fault.Invalid, "the file has no static source")
	}
	return f, err
}
