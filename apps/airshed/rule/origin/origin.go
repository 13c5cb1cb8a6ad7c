// Package origin says where data comes from, how much of it is taken, and what is lost
// without it.
package origin

import (
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
)

// The names of the sources, as records and the sources page have them.
const (
	Firms   = "firms"
	Looks   = "firms-geostationary"
	DataGov = "data-gov-in"
	OpenAQ  = "openaq"
	Meteo   = "open-meteo"
	Stubble = "iitm-dss"
	Lake    = "lake"
)

// A Source is where data comes from.
type Source struct {
	Name     string
	Title    string
	Licence  string
	Every    time.Duration // how often something is expected of it
	MaxBytes int64         // of one answer
	Without  string        // what stops working
	Asked    bool          // only where somebody wants it: nothing is lost that anything rests on
}

// All declares where data comes from and what stops working without it.
func All() []Source {
	return []Source{
		{Name: DataGov, Title: "CPCB air quality index (data.gov.in)", Licence: "Government Open Data License - India: name the source",
			Every: 2 * time.Hour, MaxBytes: 16 << 20,
			Without: "no surge can be found, and no report is made"},
		{Name: OpenAQ, Title: "OpenAQ hourly concentrations",
			Licence: "as each provider says; CPCB's under the Government Open Data License - India", Every: 6 * time.Hour,
			MaxBytes: 16 << 20, Without: "episodes rest on the 24-hour index alone, and no hour can be weighed by its PM2.5"},
		{Name: Firms, Title: "NASA FIRMS active fires", Licence: "free of charge; name NASA FIRMS",
			Every: 12 * time.Hour, MaxBytes: 128 << 20,
			Without: "fires cannot be counted and no state is named; the report says so, and confidence falls by 40 points"},
		{Name: Looks, Title: "NASA FIRMS geostationary fires (Meteosat-9, Himawari-9)", Licence: "free of charge; name NASA FIRMS",
			Every: 6 * time.Hour, MaxBytes: 64 << 20, Asked: true,
			Without: "what burnt between the passes, in the evening above all, is left to the allowance for fires that nobody saw"},
		{Name: Meteo, Title: "Open-Meteo wind, mixing height and cloud",
			Licence: "CC BY 4.0: Open-Meteo.com; no key for use that is not commercial", Every: 12 * time.Hour, MaxBytes: 32 << 20,
			Without: "nobody can say where the air came from: no state is named, and the circle's count stands alone, labelled as such"},
		{Name: Stubble, Title: "IITM decision support system, entered by a person", Licence: "as published by the institute",
			Every: 48 * time.Hour, MaxBytes: 16 << 20,
			Without: "the stubble share of Delhi's PM2.5 is left out, and confidence falls by 20 points"},
		{Name: Lake, Title: "Data lake", Licence: "as the sources listed in each object say",
			Every: 6 * time.Hour, MaxBytes: lake.MaxBytes,
			Without: "the last good object is used and said to be old; where there is none, no report is made"},
	}
}

// Named is a source by its name; the names are this package's.
func Named(name string) Source {
	for _, s := range All() {
		if s.Name == name {
			return s
		}
	}
	return Source{Name: name, Title: name}
}
