package lake

import (
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fault"
)

// What a row may say. What lies outside was not measured.
const (
	firstYear, lastYear = 2000, 2199

	maxKelvin = 2_000
	maxPixel  = 20 // km
	maxPower  = 100_000
	maxName   = 200 // bytes
	maxPlace  = 100 // bytes, of a state or a district
	maxURL    = 2_000
	maxNote   = 2_000
	maxCount  = 100_000_000
)

// check refuses what Read would refuse, so that nothing is written that cannot be
// read again.
func (o *Object) check() error {
	if y := o.Time.UTC().Year(); y < firstYear || y > lastYear {
		return fault.New(fault.Invalid, "the lake object has no timestamp")
	}
	if len(o.Air) == 0 {
		return fault.New(fault.Invalid, "the lake object has no air: cpcb_data would be empty")
	}
	for part, n := range map[string][2]int{
		AirPart: {len(o.Air), MaxAir}, FiresPart: {len(o.Fires), MaxFires}, CloudPart: {len(o.Cloud), MaxCloud},
		SourcesPart: {len(o.Sources), MaxSources}, "dropped": {len(o.Dropped), MaxSources},
	} {
		if n[0] > n[1] {
			return fault.New(fault.TooLarge, "%s has more than %d rows", part, n[1])
		}
	}
	return o.checkRows()
}

func (o *Object) checkRows() error {
	if err := all(AirPart, o.Air, Air.check); err != nil {
		return err
	}
	if err := all(FiresPart, o.Fires, Fire.check); err != nil {
		return err
	}
	if err := all(CloudPart, o.Cloud, Cloud.check); err != nil {
		return err
	}
	if err := all(SourcesPart, o.Sources, Source.check); err != nil {
		return err
	}
	if err := all("dropped", o.Dropped, Drop.check); err != nil {
		return err
	}
	if o.Stubble != nil {
		if err := o.Stubble.check(); err != nil {
			return err
		}
	}
	return o.Looked.check()
}

func all[T any](part string, rows []T, check func(T) error) error {
	for i, row := range rows {
		if err := check(row); err != nil {
			return bad(part, i+1, err)
		}
	}
	return nil
}

func (s Span) check() error {
	if !s.IsZero() && !s.From.Before(s.To) {
		return fault.New(fault.Invalid, "nasa_window ends before it begins")
	}
	return nil
}

func (a Air) check() error {
	if _, err := aqi.HourUntil(a.Time); err != nil {
		return fault.New(fault.Invalid, "timestamp %s is not the end of an hour of measurement, a full or a half one", a.Time.UTC().
			Format(time.RFC3339))
	}
	if a.Site != "" {
		if _, err := aqi.ParseSite(string(a.Site)); err != nil {
			return err
		}
	}
	switch {
	case a.Station == "" && a.Site == "" || len(a.Station) > maxName:
		return fault.New(fault.Invalid, "a station needs a name of at most %d bytes, or a site_id", maxName)
	case !place(a.Lat, a.Lon):
		return fault.New(fault.Invalid, "the station is not on the globe")
	case a.Index < 0 || a.Index > aqi.Top:
		return fault.New(fault.Invalid, "aqi %d is off the scale", a.Index)
	case a.Basis != AsGiven && a.Basis != Measured && a.Basis != SubIndex:
		return fault.New(fault.Invalid, "basis %.40q is none of %q, %q and nothing", a.Basis, Measured, SubIndex)
	case a.Basis == Measured && a.Derived:
		return fault.New(fault.Invalid, "a row cannot be measured and derived from an index at once")
	}
	for i, v := range a.Values {
		if v.Pollutant >= aqi.Pb || v.Amount < 0 || v.Amount > aqi.MaxAmount || i > 0 && v.Pollutant <= a.Values[i-1].Pollutant {
			return fault.New(fault.Invalid, "the values are out of bounds or out of order")
		}
	}
	return nil
}

func place(lat, lon float64) bool { return lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180 }

// within reports whether a number lies from 0 to a bound; what is no number does not.
func within(most float64, numbers ...float64) bool {
	return !slices.ContainsFunc(numbers, func(n float64) bool { return !(n >= 0 && n <= most) })
}

var (
	sureness = regexp.MustCompile(`^([0-9]|[1-9][0-9]|100|l|n|h|low|nominal|high)?$`)
	version  = regexp.MustCompile(`^([0-9][0-9.A-Za-z]{0,11})?$`)
	kinds    = regexp.MustCompile(`^[0-3]?$`)
	lights   = regexp.MustCompile(`^[DN]?$`)
)

func (f Fire) check() error {
	y := f.Time.UTC().Year()
	switch {
	case !place(f.Lat, f.Lon):
		return fault.New(fault.Invalid, "the fire is not on the globe")
	case y < firstYear || y > lastYear || !f.Time.Equal(f.Time.Truncate(time.Minute)) || f.DayOnly &&
		!f.Time.Equal(f.Time.Truncate(24*time.Hour)):
		return fault.New(fault.Invalid, "the time of a fire is a whole minute, or a day")
	case !within(maxKelvin, f.Bright) || !within(maxPixel, f.Scan, f.Track) || !within(maxPower, f.FRP):
		return fault.New(fault.Invalid, "brightness, frp, scan or track is out of bounds")
	case !sureness.MatchString(f.Confidence):
		return fault.New(fault.Invalid, "confidence %.40q is neither 0 to 100 nor low, nominal or high", f.Confidence)
	case !lights.MatchString(f.Light):
		return fault.New(fault.Invalid, "daynight %.40q is neither D nor N", f.Light)
	case !version.MatchString(f.Version):
		return fault.New(fault.Invalid, "version %.40q is none as 2.0NRT", f.Version)
	case !kinds.MatchString(f.Kind):
		return fault.New(fault.Invalid, "type %.40q is none of 0 to 3", f.Kind)
	}
	for _, s := range []string{f.State, f.District, f.Satellite, f.Instrument} {
		if len(s) > maxPlace || strings.ContainsFunc(s, unicode.IsControl) {
			return fault.New(fault.Invalid, "a name is longer than %d bytes, or no line", maxPlace)
		}
	}
	return nil
}

func (c Cloud) check() error {
	if y := c.Time.UTC().Year(); y < firstYear || y > lastYear || !place(c.Lat, c.Lon) || !within(1, c.Fraction) {
		return fault.New(fault.Invalid, "time, place or fraction is out of bounds")
	}
	return nil
}

func (d Drop) check() error {
	if d.Part == "" || d.Reason == "" || len(d.Part) > maxName || len(d.Reason) > maxName || d.Count < 1 || d.Count > maxCount {
		return fault.New(fault.Invalid, "part, reason or count is out of bounds")
	}
	return nil
}

func (s Stubble) check() error {
	if _, err := time.Parse(time.DateOnly, s.Valid); err != nil && s.Valid != "" {
		return fault.New(fault.Invalid, "dss_data valid_date %.40q is no day as 2025-11-13", s.Valid)
	}
	switch {
	case !within(100, s.Percent):
		return fault.New(fault.Invalid, "dss_data: stubble_burning_percent is not from 0 to 100")
	case len(s.Captured) > maxName:
		return fault.New(fault.Invalid, "dss_data: captured_by is longer than %d bytes", maxName)
	case s.SHA256 != "" && !digest(s.SHA256):
		return fault.New(fault.Invalid, "dss_data: captured_bytes_sha256 is not 64 hex digits in lower case")
	}
	return address(s.URL)
}

func (s Source) check() error {
	switch {
	case s.Name == "" || len(s.Name) > maxName || len(s.Note) > maxNote:
		return fault.New(fault.Invalid, "a source needs a name of at most %d bytes", maxName)
	case s.Bytes < 0:
		return fault.New(fault.Invalid, "a source of %d bytes", s.Bytes)
	case s.SHA256 != "" && !digest(s.SHA256):
		return fault.New(fault.Invalid, "sha256 is not 64 hex digits in lower case")
	}
	return address(s.URL)
}

func digest(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && s == strings.ToLower(s)
}

// key finds what may be a key in the path of an address: the fire service has its
// keys there.
var key = regexp.MustCompile(`(^|/)[0-9a-fA-F]{32,}(/|$)`)

// address refuses an address with something secret in it: an object is kept for
// ever and shown to many.
func address(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || len(s) > maxURL {
		return fault.New(fault.Invalid, "the address is none, or longer than %d bytes", maxURL)
	}
	secret := u.User != nil || key.MatchString(u.Path)
	for name := range u.Query() {
		name = strings.ReplaceAll(strings.ToLower(name), "keyword", "") // a word to search for is no key
		secret = secret || strings.Contains(name, "key") || strings.Contains(name, "token") || strings.Contains(name, "secret") ||
			strings.Contains(name, "signature") || strings.Contains(name, "credential")
	}
	if secret {
		return fault.New(fault.Invalid, "the address seems to hold a key or a name and password").
			WithNext("leave them out of what is written to the lake")
	}
	return nil
}
