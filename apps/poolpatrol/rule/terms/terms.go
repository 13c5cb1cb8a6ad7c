// Package terms is what the people of a programme set and decide on: how vans are
// judged, how a case goes, which days nobody works, and in which unit distances are told.
//
// Terms is the value with its bounds. Policy and Rules are what the specialists and the
// lifecycle take of it, each with the version it came from.
package terms

import (
	"slices"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
	"github.com/gavelhq/gavel/platform/fault"
)

// Terms are the thresholds of the checks and the terms of cases.
type Terms struct {
	Farthest float64     `json:"farthest_home" minimum:"1" maximum:"800" doc:"The farthest a home may be from the pickup, in the unit below."`
	Unit     fleet.Unit  `json:"distance_unit" enum:"mi,km" doc:"In which distances are set, shown and told."`
	Window   int         `json:"shift_window_minutes" minimum:"1" maximum:"240" doc:"Minutes around each start and end of work."`
	Enough   int         `json:"shift_enough_minutes" minimum:"1" maximum:"480" doc:"Overlap with which a day fits."`
	Share    int         `json:"shift_share_percent" minimum:"1" maximum:"100" doc:"Share of working days that must fit."`
	Basis    shift.Basis `json:"shift_overlap_basis" enum:"commute,work" doc:"What must overlap."`
	Seats    int         `json:"min_capacity" minimum:"1" maximum:"60" doc:"Seats with the driver's."`
	Fill     int         `json:"min_fill_percent" minimum:"0" maximum:"100" doc:"Share of the other seats that must be taken."`
	Badge    int         `json:"badge_min_share_percent" minimum:"0" maximum:"100" doc:"Share of working days with a badge reading."`

	Patience int `json:"patience_days" minimum:"1" maximum:"60" doc:"Days to answer a letter."`
	Grace    int `json:"grace_hours" minimum:"0" maximum:"336" doc:"Hours for records to follow what a rider says."`
	Cap      int `json:"cap_days" minimum:"7" maximum:"180" doc:"Days until a case goes before a person."`
	CoolDown int `json:"cool_down_days" minimum:"0" maximum:"365" doc:"Days without a case after a false alarm, for the same finding."`
	Return   int `json:"return_working_days" minimum:"0" maximum:"20" doc:"Working days to answer after coming back."`
	Looks    int `json:"max_re_audits" minimum:"1" maximum:"10" doc:"How often a van is looked at again."`
	Answers  int `json:"max_answers" minimum:"0" maximum:"10" doc:"Questions answered by themselves."`

	Holidays []string `json:"holidays" maxItems:"200" doc:"Days nobody works, each as 2026-12-25."`
}

// Standard is what holds until somebody sets it.
func Standard() Terms {
	p, r := audit.Standard(), lifecycle.Standard()
	return Terms{Farthest: p.Location.Limit, Unit: fleet.InMiles, Window: p.Shift.Window, Enough: p.Shift.Enough, Share: p.Shift.Share,
		Basis: p.Shift.Basis, Seats: p.Occupancy.Seats, Fill: p.Occupancy.Share, Badge: p.Badge.Share, Patience: days(r.Patience),
		Grace: int(r.Grace / time.Hour), Cap: days(r.Cap), CoolDown: days(r.CoolDown), Return: r.ReturnDays, Looks: r.MaxReAudits,
		Answers: r.MaxAnswers, Holidays: []string{}}
}

const day = 24 * time.Hour

func days(d time.Duration) int { return int(d / day) }

// Policy is how vans are judged by a version of the terms. What the terms do not say is as
// it was when the programme began.
func (t Terms) Policy(version int64) audit.Policy {
	p := audit.Standard()
	p.Location.Limit = t.Unit.Miles(t.Farthest)
	p.Shift.Window, p.Shift.Enough, p.Shift.Share, p.Shift.Basis = t.Window, t.Enough, t.Share, t.Basis
	p.Occupancy.Seats, p.Occupancy.Share, p.Badge.Share = t.Seats, t.Fill, t.Badge
	for _, v := range []*string{&p.Shift.Version, &p.Location.Version, &p.Occupancy.Version, &p.Badge.Version, &p.Parking.Version} {
		*v = named(*v, version)
	}
	return p
}

// Rules are the terms of a case by a version of the terms, in the zone of its van's site.
func (t Terms) Rules(version int64, zone *time.Location) lifecycle.Rules {
	r := lifecycle.Standard()
	r.Version, r.Zone = named(r.Version, version), zone
	r.Patience, r.Grace = time.Duration(t.Patience)*day, time.Duration(t.Grace)*time.Hour
	r.Cap, r.CoolDown = time.Duration(t.Cap)*day, time.Duration(t.CoolDown)*day
	r.ReturnDays, r.MaxReAudits, r.MaxAnswers = t.Return, t.Looks, t.Answers
	for _, text := range t.Holidays {
		if d, err := fleet.ParseDate(text); err == nil { // Check let nothing else in
			r.Holidays = append(r.Holidays, d)
		}
	}
	return r
}

// named is the name of a version: what the programme began with has none of its own.
func named(standard string, version int64) string {
	if version == 0 {
		return standard
	}
	return standard + "/v" + strconv.FormatInt(version, 10)
}

// Check refuses what the bounds of each member let pass, and writes holidays in order, each
// once.
func (t Terms) Check() (Terms, error) {
	all := []string{}
	for _, text := range t.Holidays {
		d, err := fleet.ParseDate(text)
		if err != nil {
			return t, fault.New(fault.Invalid, "%.40q is no day", text).WithNext("write each holiday as 2026-12-25").
				Because("no_holiday", "value", text)
		}
		all = append(all, d.String())
	}
	slices.Sort(all)
	t.Holidays = slices.Compact(all)
	switch {
	case t.Basis == shift.Commute && t.Enough > 2*t.Window:
		return t, fault.New(fault.Invalid, "with %d minutes around each start nobody overlaps by %d", t.Window, t.Enough).
			WithNext("ask for at most twice the window").Because("terms_overlap", "n", strconv.Itoa(2*t.Window))
	case t.Cap < t.Patience:
		return t, fault.New(fault.Invalid, "a case of %d days ends before %d days to answer", t.Cap, t.Patience).
			WithNext("give a case at least the days there are to answer").Because("terms_cap", "n", strconv.Itoa(t.Patience))
	}
	return t, nil
}
