package signal

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Tag is why signals of a district weigh more.
type Tag string

// The tags.
const (
	NearBorder Tag = "border"
	Market     Tag = "market"
	Highway    Tag = "highway"
	Capital    Tag = "capital"
	Sensitive  Tag = "sensitive_zone"
)

// multipliers are the first design's; of several tags the greatest counts.
var multipliers = map[Tag]float64{NearBorder: 1.5, Market: 1.2, Highway: 1.3, Capital: 1.4, Sensitive: 1.6}

// A District is one line of the reviewed table: what a named person says of a district, and while when.
type District struct {
	LGD        int
	From, To   time.Time // To is zero while it holds
	Tags       []Tag
	ReviewedBy string
	ReviewedOn time.Time
}

// A Table is the reviewed districts by their code. A word like "border" in a report is no reason: the
// capital's papers write about borders, too.
type Table map[int][]District

// Multiplier is what a signal of a district at a time is multiplied by; 1 where nobody has reviewed it.
func (t Table) Multiplier(lgd int, at time.Time) (float64, Origin) {
	for _, d := range t[lgd] {
		if at.Before(d.From) || !d.To.IsZero() && !at.Before(d.To) {
			continue
		}
		most := 1.0
		for _, tag := range d.Tags {
			most = max(most, multipliers[tag])
		}
		return most, Reviewed
	}
	return 1, Unknown
}

// tableColumns are the columns of a table's file.
var tableColumns = []string{"lgd", "valid_from", "valid_to", "tags", "reviewed_by", "reviewed_on"}

// ReadTable reads a table from CSV. Tags are separated by spaces. A line that nobody has signed is
// refused, and so are two that hold at one time.
func ReadTable(from io.Reader) (Table, error) {
	rows, err := csv.NewReader(from).ReadAll()
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the table of districts is no CSV")
	}
	if len(rows) == 0 || !slices.Equal(rows[0], tableColumns) {
		return nil, fault.New(fault.Invalid, "the table of districts begins with the columns %s", strings.Join(tableColumns, ","))
	}
	out := Table{}
	for i, row := range rows[1:] {
		d, err := readDistrict(row)
		if err != nil {
			return nil, fault.From(fault.Invalid, err, "line %d of the table of districts: %v", i+2, err)
		}
		for _, other := range out[d.LGD] {
			if overlap(d, other) {
				return nil, fault.New(fault.Invalid, "line %d of the table of districts: %d stands there twice for one time", i+2, d.LGD)
			}
		}
		out[d.LGD] = append(out[d.LGD], d)
	}
	return out, nil
}

func readDistrict(row []string) (d District, err error) {
	if d.LGD, err = strconv.Atoi(row[0]); err != nil || d.LGD <= 0 {
		return d, fault.New(fault.Invalid, "%.20q is no code of a district", row[0])
	}
	for _, day := range []struct {
		text string
		at   *time.Time
	}{{row[1], &d.From}, {row[2], &d.To}, {row[5], &d.ReviewedOn}} {
		if day.text == "" && day.at == &d.To {
			continue
		}
		if *day.at, err = time.ParseInLocation(time.DateOnly, day.text, India()); err != nil {
			return d, fault.New(fault.Invalid, "%.20q is no day", day.text)
		}
	}
	for _, tag := range strings.Fields(row[3]) {
		if _, ok := multipliers[Tag(tag)]; !ok {
			return d, fault.New(fault.Invalid, "there is no tag %.40q", tag)
		}
		d.Tags = append(d.Tags, Tag(tag))
	}
	if d.ReviewedBy = strings.TrimSpace(row[4]); d.ReviewedBy == "" {
		return d, fault.New(fault.Invalid, "nobody has reviewed %d", d.LGD)
	}
	return d, nil
}

// overlap reports whether two lines of one district hold at one time.
func overlap(a, b District) bool {
	return (b.To.IsZero() || a.From.Before(b.To)) && (a.To.IsZero() || b.From.Before(a.To))
}

// Known reports whether there is such a tag.
func (t Tag) Known() bool { return multipliers[t] != 0 }
