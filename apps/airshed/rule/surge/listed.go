package surge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/intake"
)

// A Listed is a station as a list of somebody's has it from a day on.
type Listed struct {
	Site      string
	ValidFrom time.Time
	Name      string
	Agency    string
	Lat, Lon  float64
	Kind      string // border, interior, Other
	City      string // empty: Delhi
}

// Other is a station that is known and not looked at.
const Other = "other"

// Bounds of a file of stations.
const (
	MaxStationFile = 4 << 20 // bytes
	maxListed      = 5_000
)

var siteForm = regexp.MustCompile(`^[a-z0-9_-]{1,60}$`)

// ListedTable is how a file of stations looks. A row may be there twice, and without a
// column city all stand at Delhi's border or in it.
var ListedTable = intake.Table[Listed]{Name: "stations",
	Key: func(s *Listed) string { return s.Site + " " + s.ValidFrom.Format(time.DateOnly) },
	Fields: []intake.Field[Listed]{
		intake.Matches("site_id", siteForm, func(s *Listed) *string { return &s.Site }),
		intake.Named("name", 200, func(s *Listed) *string { return &s.Name }),
		intake.Named("agency", 100, func(s *Listed) *string { return &s.Agency }),
		intake.Number("latitude", -90, 90, func(s *Listed) *float64 { return &s.Lat }),
		intake.Number("longitude", -180, 180, func(s *Listed) *float64 { return &s.Lon }),
		intake.Required(intake.Choice("kind", func(s *Listed) *string { return &s.Kind }, string(Border), string(Interior), Other)),
		intake.Again(intake.Day("valid_from", func(s *Listed) *time.Time { return &s.ValidFrom })),
		intake.Words("city", 100, func(s *Listed) *string { return &s.City }),
	}}

// ReadListed reads a CSV file of stations, all of it or nothing.
func ReadListed(file []byte) ([]Listed, error) {
	if len(file) > MaxStationFile {
		return nil, fault.New(fault.TooLarge, "a file of stations has at most %d MB", MaxStationFile>>20)
	}
	f, err := intake.Read(ListedTable, file)
	switch {
	case err != nil:
		return nil, err
	case f.Count > 0:
		return nil, fault.New(fault.Invalid, "row %d of the stations cannot be used: %s", f.List[0].Line, f.List[0].Reason).
			WithNext("write a site_id of a-z, 0-9, - and _. Add name, agency, degrees, a kind (border, interior, other), and a day as " +
				"2026-01-31")
	case len(f.Rows) == 0:
		return nil, fault.New(fault.Invalid, "the file has no station")
	case f.Lines > maxListed:
		return nil, fault.New(fault.TooLarge, "a file of stations has at most %d rows", maxListed)
	}
	all := make([]Listed, len(f.Rows))
	for i, row := range f.Rows {
		all[i] = row.Value
	}
	return all, nil
}

// Over lays rows over a list of stations: of each site the last that holds on the day of a
// moment in UTC. A station becomes as its row says, a new one is added, and one that is
// Other is taken away. used is the rows that changed anything, by site; a row that says
// what the list says anyway does not.
func Over(list []Station, rows []Listed, at time.Time) (all []Station, used []Listed) {
	newest := map[string]Listed{}
	for _, r := range rows {
		was, ok := newest[r.Site]
		if !r.ValidFrom.After(at) && (!ok || r.ValidFrom.After(was.ValidFrom)) {
			newest[r.Site] = r
		}
	}
	for _, s := range list {
		r, ok := newest[string(s.Site)]
		if !ok || r.says(s) {
			all = append(all, s)
			delete(newest, string(s.Site))
		}
	}
	for _, r := range newest {
		if r.Kind != Other {
			all = append(all, r.over(list))
		}
		used = append(used, r)
	}
	slices.SortFunc(all, func(a, b Station) int { return cmp.Compare(a.Site, b.Site) })
	slices.SortFunc(used, func(a, b Listed) int { return cmp.Compare(a.Site, b.Site) })
	return all, used
}

// News is all rows of those sites of which any row says another thing than a list does.
func News(list []Station, rows []Listed) (out []Listed) {
	news := map[string]bool{}
	for _, r := range rows {
		news[r.Site] = news[r.Site] || !slices.ContainsFunc(list, func(s Station) bool { return string(s.Site) == r.Site && r.says(s) })
	}
	for _, r := range rows {
		if news[r.Site] {
			out = append(out, r)
		}
	}
	return out
}

// says reports whether a row says of a station what is known of it.
func (r Listed) says(s Station) bool {
	return r.Name == s.Name && r.Agency == s.Agency && r.Lat == s.Lat && r.Lon == s.Lon && r.Kind == string(s.Role) && r.City == s.City
}

// over is a row as a station. What lies near one that was known and where it looks is kept
// as long as it is at a border.
func (r Listed) over(list []Station) Station {
	s := Station{Site: aqi.Site(r.Site)}
	if i := slices.IndexFunc(list, func(o Station) bool { return o.Site == s.Site }); i >= 0 && Role(r.Kind) == Border {
		s = list[i]
	}
	s.Name, s.Agency, s.Lat, s.Lon, s.Role, s.City = r.Name, r.Agency, r.Lat, r.Lon, Role(r.Kind), r.City
	return s
}

// Row is a station as a list has it from a day on.
func (s Station) Row(from time.Time) Listed {
	return Listed{Site: string(s.Site), ValidFrom: from, Name: s.Name, Agency: s.Agency, Lat: s.Lat, Lon: s.Lon, Kind: string(s.Role),
		City: s.City}
}

// DigestOf names rows, whatever their order.
func DigestOf(rows []Listed) string {
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b Listed) int {
		return cmp.Or(strings.Compare(a.Site, b.Site), a.ValidFrom.Compare(b.ValidFrom))
	})
	sum := sha256.Sum256(intake.Write(ListedTable, sorted...))
	return hex.EncodeToString(sum[:])
}
