package region

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of an imported file: a country of 800 districts at a hundred metres has
// about a million corners.
const (
	MaxFile      = 64 << 20 // bytes
	MaxDistricts = 2_000
	MaxPolygons  = 50_000
	MaxCorners   = 2_000_000
	maxDepth     = 16 // a collection of multipolygons needs eight
	maxName      = 100
	maxLicence   = 500
)

// Gives is what a file of boundaries is taken for.
type Gives string

// What a file may give. The zero value is districts.
const (
	GivesDistricts Gives = "districts" // within the states that travel with the program
	GivesStates    Gives = "states"    // of its own, in place of those
)

// Terms are what a file does not say of itself.
type Terms struct {
	Gives    Gives
	Name     string // what the file is called; may be empty
	Licence  string // under which it may be used; must be given
	AsOf     string // the day whose districts it shows, as 2026-01-31; must be given
	District string // the property with a district's name; empty: "district"
	State    string // the property with its state's name; empty: "state"
}

// A collection is as much of a GeoJSON file as is looked at.
type collection struct {
	Type     string    `json:"type"`
	Features []feature `json:"features"`
	CRS      *struct {
		Properties struct {
			Name string `json:"name"`
		} `json:"properties"`
	} `json:"crs"`
}

type feature struct {
	Type       string         `json:"type"`
	Properties map[string]any `json:"properties"`
	Geometry   *struct {
		Type        string          `json:"type"`
		Coordinates json.RawMessage `json:"coordinates"`
	} `json:"geometry"`
}

// ReadGeoJSON reads districts from a collection of polygons and multipolygons, each
// with the names of its district and state. The order of its features makes no
// difference; several of one name are one district. A file that gives states has
// theirs, and may have stations as points: see Alone.
func ReadGeoJSON(file []byte, t Terms) (*Districts, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if len(file) > MaxFile {
		return nil, fault.New(fault.TooLarge, "a file of districts has at most %d MB", MaxFile>>20)
	}
	if deep, lists := nested(file); deep > maxDepth {
		return nil, fault.New(fault.Invalid, "the file of districts is nested deeper than any GeoJSON")
	} else if lists > 2*MaxCorners { // a ring has four corners or more
		return nil, manyCorners()
	}
	var c collection
	if err := json.Unmarshal(file, &c); err != nil {
		return nil, fault.From(fault.Invalid, err, "the file of districts is not GeoJSON")
	}
	switch {
	case c.Type != "FeatureCollection":
		return nil, fault.New(fault.Invalid, "the file of districts is a %q, not a FeatureCollection", short(c.Type))
	case c.CRS != nil && !degreesCRS(c.CRS.Properties.Name):
		return nil, fault.New(fault.Invalid, "the file of districts is in %q", short(c.CRS.Properties.Name)).
			WithNext("Convert it to longitude and latitude in degrees (WGS 84).")
	case len(c.Features) == 0:
		return nil, fault.New(fault.Invalid, "the file of districts has none")
	}
	d := &Districts{source: Source{Name: cmp.Or(t.Name, "districts"), Licence: t.Licence, AsOf: t.AsOf, SHA256: digest(file)},
		gives: t.Gives}
	b := builder{of: d}
	for i, f := range c.Features {
		if err := b.feature(f, t); err != nil {
			words, next := fault.Words(err)
			return nil, fault.New(fault.KindOf(err), "feature %d: %s", i+1, words).WithNext("%s", next)
		}
	}
	return b.done()
}

func (t *Terms) check() error {
	t.Gives, t.District, t.State = cmp.Or(t.Gives, GivesDistricts), cmp.Or(t.District, "district"), cmp.Or(t.State, "state")
	if t.Gives != GivesDistricts && t.Gives != GivesStates {
		return fault.New(fault.Invalid, "a file of boundaries gives %s or %s, not %q", GivesDistricts, GivesStates, short(string(t.Gives)))
	}
	if _, err := time.Parse(time.DateOnly, t.AsOf); err != nil {
		return fault.New(fault.Invalid, "districts need the day they are of, as 2026-01-31").
			WithNext("Districts are split every year; ask the file's maker.")
	}
	t.Licence = strings.TrimSpace(t.Licence)
	if t.Licence == "" || len(t.Licence) > maxLicence || len(t.Name) > maxName {
		return fault.New(fault.Invalid, "districts need a licence of at most %d bytes, and a name of at most %d", maxLicence, maxName)
	}
	return nil
}

// degreesCRS reports whether coordinates so named are degrees east and north.
func degreesCRS(name string) bool {
	name = strings.ToUpper(name)
	return name == "" || strings.HasSuffix(name, "CRS84") || strings.HasSuffix(name, "EPSG::4326") || strings.HasSuffix(name, "EPSG:4326")
}

// nested is how deep brackets are nested in JSON, of which the parser would take ten
// thousand, and how many lists there are, which cost it much more than their bytes.
func nested(file []byte) (deepest, lists int) {
	deep, quoted := 0, false
	for i := 0; i < len(file); i++ {
		switch c := file[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			deep++
			deepest = max(deepest, deep)
			if c == '[' {
				lists++
			}
		case c == '}' || c == ']':
			deep--
		}
	}
	return deepest, lists
}

func manyCorners() error {
	return fault.New(fault.TooLarge, "the districts have more than %d corners", MaxCorners).
		WithNext("Simplify the file; a hundred metres are enough.")
}

// name reads a name out of a feature's properties.
func name(f feature, key string) (string, error) {
	s, ok := f.Properties[key].(string)
	if s = strings.TrimSpace(s); !ok || s == "" {
		return "", fault.New(fault.Invalid, "it has no property %q; it has %s", short(key), properties(f))
	}
	if len(s) > maxName || strings.ContainsFunc(s, unicode.IsControl) {
		return "", fault.New(fault.Invalid, "its %s is not a name of at most %d bytes", short(key), maxName)
	}
	return s, nil
}

// properties lists some of what a feature has, to help with choosing.
func properties(f feature) string {
	var keys []string
	for k := range f.Properties {
		keys = append(keys, short(k))
	}
	if len(keys) == 0 {
		return "none"
	}
	slices.Sort(keys)
	return strings.Join(keys[:min(len(keys), 12)], ", ")
}

// short is the beginning of words that came from outside, for showing.
func short(s string) string {
	r := []rune(strings.ToValidUTF8(s, "?"))
	return string(r[:min(len(r), 40)])
}
