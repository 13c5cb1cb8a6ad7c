package intake

import (
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	table "github.com/gavelhq/gavel/platform/intake"
)

// day is a date that may be missing.
func day[T any](name string, at func(*T) *fleet.Date) table.Field[T] {
	return table.Single(name, at, func(s string) (fleet.Date, error) {
		if s == "" {
			return 0, nil
		}
		return fleet.ParseDate(s)
	}, fleet.Date.String)
}

// place is a point in two columns. It may be somebody's home: what is refused is
// not quoted.
func place[T any](name, lat, lng string, at func(*T) **fleet.Point) table.Field[T] {
	return table.Field[T]{Name: name, Columns: []string{lat, lng},
		Read: func(t *T, cells []string) error {
			if cells[0] == "" && cells[1] == "" {
				*at(t) = nil
				return nil
			}
			y, err := table.Decimal(lat, cells[0], -90, 90)
			if err != nil {
				return err
			}
			x, err := table.Decimal(lng, cells[1], -180, 180)
			if err != nil {
				return err
			}
			*at(t) = nil
			if p := (fleet.Point{Lat: y, Lng: x}); p.Valid() {
				*at(t) = &p
			}
			return nil
		},
		Write: func(t *T) [][]string {
			if p := *at(t); p != nil && p.Valid() {
				return [][]string{{table.Decimals(p.Lat), table.Decimals(p.Lng)}}
			}
			return [][]string{{"", ""}}
		},
		Take: func(to, from *T) { *at(to) = *at(from) },
	}
}

// slots is a schedule, one line a stretch.
func slots[T any](at func(*T) *[]fleet.Slot) table.Field[T] {
	return table.Field[T]{Name: "schedule", Columns: []string{"day", "start_time", "end_time", "latest_start"}, Spare: 1,
		Read: func(t *T, c []string) error {
			if c[0] == "" && c[1] == "" && c[2] == "" && c[3] == "" {
				return nil
			}
			s := fleet.Slot{Day: c[0], Start: c[1], End: c[2], LatestStart: c[3]}
			if _, err := fleet.ReadWeek([]fleet.Slot{s}); err != nil {
				return err
			}
			*at(t) = []fleet.Slot{s}
			return nil
		},
		Write: func(t *T) [][]string {
			var lines [][]string
			for _, s := range *at(t) {
				lines = append(lines, []string{s.Day, s.Start, s.End, s.LatestStart})
			}
			return lines
		},
		Take: func(to, from *T) { *at(to) = *at(from) },
		Join: func(to, from *T) {
			for _, s := range *at(from) {
				if !slices.Contains(*at(to), s) {
					*at(to) = append(*at(to), s)
				}
			}
		},
	}
}
