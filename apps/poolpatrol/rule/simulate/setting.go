package simulate

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
	"github.com/gavelhq/gavel/platform/fault"
)

// MaxChanges is how many thresholds one simulation moves.
const MaxChanges = 20

// A Setting is one threshold that can be moved.
type Setting struct {
	Name      string
	Means     string
	Low, High float64
	whole     bool
	set       func(*audit.Policy, float64)
}

// Takes is "whole" for a threshold that is a whole number, and "number" otherwise.
func (s Setting) Takes() string {
	if s.whole {
		return "whole"
	}
	return "number"
}

// Settings lists every threshold that can be tried.
func Settings() []Setting {
	return []Setting{
		{"location.threshold_miles", "the farthest a home may be from the pickup", 1, 500, false,
			func(p *audit.Policy, v float64) { p.Location.Limit = v }},
		{"shift.window_minutes", "minutes around each start and end of work", 1, 240, true,
			func(p *audit.Policy, v float64) { p.Shift.Window = int(v) }},
		{"shift.enough_minutes", "overlap with which a day fits", 1, 480, true,
			func(p *audit.Policy, v float64) { p.Shift.Enough = int(v) }},
		{"shift.share_percent", "share of working days that must fit", 1, 100, true,
			func(p *audit.Policy, v float64) { p.Shift.Share = int(v) }},
		{"occupancy.min_capacity", "seats with the driver's", 1, 60, true, func(p *audit.Policy, v float64) { p.Occupancy.Seats = int(v) }},
		{"occupancy.min_fill_percent", "share of the other seats that must be taken", 0, 100, true,
			func(p *audit.Policy, v float64) { p.Occupancy.Share = int(v) }},
		{"badge.min_share_percent", "share of working days with a badge reading", 0, 100, true,
			func(p *audit.Policy, v float64) { p.Badge.Share = int(v) }},
	}
}

// Move is a policy with one threshold moved, written as name=value. The policy's
// versions say that it is a trial.
func Move(p audit.Policy, change string) (audit.Policy, error) {
	name, text, ok := strings.Cut(change, "=")
	name, text = strings.TrimSpace(name), strings.TrimSpace(text)
	if name == "shift.overlap_basis" && (text == string(shift.Commute) || text == string(shift.Work)) {
		p.Shift.Basis = shift.Basis(text)
		return tried(p), nil
	}
	all := Settings()
	i := slices.IndexFunc(all, func(s Setting) bool { return s.Name == name })
	if !ok || i < 0 {
		return audit.Policy{}, fault.New(fault.Invalid, "there is no threshold %.60q", name).
			WithNext("write name=value, for example location.threshold_miles=40")
	}
	s := all[i]
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || v < s.Low || v > s.High || s.whole && v != math.Trunc(v) {
		kind := "a number"
		if s.whole {
			kind = "a whole number"
		}
		return audit.Policy{}, fault.New(fault.Invalid, "%s=%.40s: use %s from %g to %g", s.Name, text, kind, s.Low, s.High)
	}
	s.set(&p, v)
	return tried(p), nil
}

func tried(p audit.Policy) audit.Policy {
	for _, v := range []*string{&p.Shift.Version, &p.Location.Version, &p.Occupancy.Version, &p.Badge.Version, &p.Parking.Version} {
		if !strings.HasSuffix(*v, "+trial") {
			*v += "+trial"
		}
	}
	return p
}
