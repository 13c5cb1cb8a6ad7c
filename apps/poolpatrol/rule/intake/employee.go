package intake

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/fault"
	table "github.com/gavelhq/gavel/platform/intake"
)

// An Employee is one person of the staff records with what no rule needs: how
// they are called and where letters to them go.
type Employee struct {
	ID       fleet.EmployeeID   `json:"employee_id"`
	Status   fleet.Standing     `json:"status"`
	TimeType string             `json:"time_type,omitempty"`
	Site     fleet.SiteID       `json:"site_id,omitempty"`
	Manager  fleet.EmployeeID   `json:"manager_id,omitempty"`
	Name     string             `json:"name,omitempty"`
	Email    string             `json:"email,omitempty"`
	Language string             `json:"language,omitempty"`
	Address  string             `json:"home_address,omitempty"`
	ZIP      string             `json:"home_zip,omitempty"`
	Home     *fleet.Point       `json:"home_coords,omitempty"`
	ZIPOnly  bool               `json:"zip_only,omitempty"`
	Radius   float64            `json:"zip_radius_miles,omitempty"`
	Shifts   []fleet.Assignment `json:"shifts,omitempty"`
	Away     []fleet.Span       `json:"away,omitempty"`
}

// EmployeeTable is the staff records.
func EmployeeTable() Table[Employee] {
	type E = Employee
	return Table[E]{Table: of(Employees, func(e *E) string { return string(e.ID) },
		table.Ident("employee_id", fleet.ParseEmployee, func(e *E) *fleet.EmployeeID { return &e.ID }),
		table.Required(table.Choice("status", func(e *E) *fleet.Standing { return &e.Status }, fleet.Active, fleet.Inactive,
			fleet.OnLeave)),
		table.Choice("time_type", func(e *E) *string { return &e.TimeType }, "", "full_time", "part_time", "contract"),
		table.Reference("site_id", fleet.ParseSite, func(e *E) *fleet.SiteID { return &e.Site }),
		table.Reference("manager_id", fleet.ParseEmployee, func(e *E) *fleet.EmployeeID { return &e.Manager }),
		table.Words("name", 200, func(e *E) *string { return &e.Name }),
		table.Single("email", func(e *E) *string { return &e.Email }, mailbox, same),
		table.Single("language", func(e *E) *string { return &e.Language }, tongue, same),
		table.Words("home_address", 400, func(e *E) *string { return &e.Address }),
		table.Words("home_zip", 20, func(e *E) *string { return &e.ZIP }),
		place("home_coords", "home_lat", "home_lng", func(e *E) **fleet.Point { return &e.Home }),
		table.Claim("zip_only", func(e *E) *bool { return &e.ZIPOnly }),
		table.Measure("zip_radius_miles", 500, func(e *E) *float64 { return &e.Radius }),
		assignments(),
		daysOff(),
	),
		check: tidy,
		known: func(e *E, k Known) error { return knownSite(e.Site, k) },
		leaves: func(e *E, _ fleet.Date) bool {
			was := e.Status
			e.Status = fleet.Inactive
			return was != fleet.Inactive
		},
		about: func(e *E) fleet.EmployeeID { return e.ID },
	}
}

func same(s string) string { return s }

// mailbox is looked at only so far that a slipped column is caught.
func mailbox(s string) (string, error) {
	name, host, ok := strings.Cut(s, "@")
	if s != "" && (!ok || name == "" || host == "" || len(s) > 254 || strings.ContainsAny(s, " <>\",;")) {
		return "", fault.New(fault.Invalid, "email: use one address, name@host")
	}
	return s, nil
}

var tongueForm = regexp.MustCompile(`^[a-z]{2,3}$`)

func tongue(s string) (string, error) {
	s = cmp.Or(strings.ToLower(s), "en")
	if !tongueForm.MatchString(s) {
		return "", fault.New(fault.Invalid, "language %.20q: use two or three letters, as en", s)
	}
	return s, nil
}

func knownSite(id fleet.SiteID, k Known) error {
	if id != "" && !k.Sites[id] {
		return fault.New(fault.Invalid, "site %s is not on record", id)
	}
	return nil
}

// assignments are somebody's shifts, one line each.
func assignments() table.Field[Employee] {
	return table.Field[Employee]{Name: "shifts", Columns: []string{"shift_id", "effective_from", "effective_until"}, Spare: 1,
		Read: readAssignment,
		Write: func(e *Employee) [][]string {
			var lines [][]string
			for _, a := range e.Shifts {
				lines = append(lines, []string{string(a.Shift), a.From.String(), a.Until.String()})
			}
			return lines
		},
		Take: func(to, from *Employee) { to.Shifts = from.Shifts },
		Join: func(to, from *Employee) { to.Shifts = append(to.Shifts, from.Shifts...) },
	}
}

func readAssignment(e *Employee, c []string) (err error) {
	if c[0] == "" && c[1] == "" && c[2] == "" {
		return nil
	}
	var a fleet.Assignment
	if a.Shift, err = fleet.ParseShift(c[0]); err != nil {
		return err
	}
	if c[1] == "" {
		return fault.New(fault.Invalid, "effective_from: a shift has a first day")
	}
	if a.From, err = fleet.ParseDate(c[1]); err != nil {
		return err
	}
	if c[2] != "" {
		if a.Until, err = fleet.ParseDate(c[2]); err != nil {
			return err
		}
	}
	if a.Until != 0 && a.Until < a.From {
		return fault.New(fault.Invalid, "effective_until %s is before effective_from %s", a.Until, a.From)
	}
	e.Shifts = []fleet.Assignment{a}
	return nil
}

// spansPerCell keeps what is written well below the longest cell.
const spansPerCell = 16

// daysOff is when somebody is away, several spans in a cell.
func daysOff() table.Field[Employee] {
	return table.Field[Employee]{Name: "pto_dates", Columns: []string{"pto_dates"},
		Read: func(e *Employee, c []string) (err error) {
			e.Away, err = readSpans(c[0])
			return err
		},
		Write: func(e *Employee) [][]string {
			var lines [][]string
			for some := range slices.Chunk(e.Away, spansPerCell) {
				all := make([]string, len(some))
				for i, s := range some {
					if all[i] = s.From.String(); s.Until != s.From {
						all[i] += ".." + s.Until.String()
					}
				}
				lines = append(lines, []string{strings.Join(all, ";")})
			}
			return lines
		},
		Take: func(to, from *Employee) { to.Away = from.Away },
		Join: func(to, from *Employee) { to.Away = append(to.Away, from.Away...) },
	}
}

func readSpans(s string) ([]fleet.Span, error) {
	var all []fleet.Span
	for one := range strings.SplitSeq(s, ";") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		first, last, span := strings.Cut(one, "..")
		from, err := fleet.ParseDate(first)
		if err != nil {
			return nil, err
		}
		until := from
		if span {
			until = 0
			if last != "" {
				if until, err = fleet.ParseDate(last); err != nil {
					return nil, err
				}
			}
		}
		if until != 0 && until < from {
			return nil, fault.New(fault.Invalid, "pto_dates: %s is before %s", until, from)
		}
		all = append(all, fleet.Span{From: from, Until: until})
	}
	return all, nil
}

// tidy puts shifts and days off in order, so that two files that say the same
// compare equal.
func tidy(e *Employee) error {
	e.Language = cmp.Or(e.Language, "en")
	slices.SortFunc(e.Shifts, func(a, b fleet.Assignment) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Shift, b.Shift), cmp.Compare(a.Until, b.Until))
	})
	e.Shifts = slices.Compact(e.Shifts)
	for i := 1; i < len(e.Shifts); i++ {
		if a, b := e.Shifts[i-1], e.Shifts[i]; a.From == b.From && a.Shift == b.Shift {
			return fault.New(fault.Invalid, "shift %s begins twice on %s", a.Shift, a.From)
		}
	}
	e.Away = merge(e.Away)
	if len(e.Shifts) > maxAssigned || len(e.Away) > maxAway {
		return fault.New(fault.TooLarge, "somebody has more than %d shifts or %d spans of days off", maxAssigned, maxAway)
	}
	return nil
}

// merge joins spans that overlap or follow each other.
func merge(all []fleet.Span) []fleet.Span {
	slices.SortFunc(all, func(a, b fleet.Span) int { return cmp.Compare(a.From, b.From) })
	var out []fleet.Span
	for _, s := range all {
		if n := len(out) - 1; n >= 0 && (out[n].Until == 0 || s.From <= out[n].Until+1) {
			if out[n].Until != 0 && (s.Until == 0 || s.Until > out[n].Until) {
				out[n].Until = s.Until
			}
			continue
		}
		out = append(out, s)
	}
	return out
}
