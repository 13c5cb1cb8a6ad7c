package page

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/simulate"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

const (
	fairLine   = 0.8 // below it people should look at why
	flagsShown = 20  // listed; all are counted
	maxValue   = 40  // bytes of a threshold that is typed
)

// basisName is the one threshold that is a choice and no number.
const basisName = "shift.overlap_basis"

// A trialView is the simulator: its form, and what a trial came to.
type trialView struct {
	today map[string]string // the thresholds in force
	typed map[string]string // by threshold, as in the address
	did   *store.Simulation // nil before anything is moved
	names map[string]string // of sites and shifts, by id
	empty bool              // no van is on record
	fault error
	bad   string // the threshold the fault is about; empty for the form as a whole
}

// simulate is the page of the simulator. It is asked for by GET and changes
// nothing.
func (g *Pages) simulate(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	now, version, err := g.store.Terms(r.Context(), actor)
	if err != nil {
		return err
	}
	policy := now.Policy(version)
	v := trialView{today: todays(policy), typed: map[string]string{}, names: map[string]string{}}
	changes := v.read(r, policy)
	status := http.StatusOK
	if v.fault == nil && len(changes) > 0 {
		did, err := g.store.Simulate(r.Context(), actor, changes)
		switch {
		case err == nil:
			v.did = &did
		case mends(err):
			v.fault = err
		default:
			return err
		}
	}
	if v.fault != nil {
		status = web.Status(fault.KindOf(v.fault))
	}
	if err := g.nameGroups(r.Context(), actor, &v); err != nil {
		return err
	}
	p := g.headed(r, "pool.simulate")
	return g.site.Render(w, r, status, p, trialScreen(p, v))
}

// nameGroups finds what people call the groups of a trial, and whether there is a van
// to try anything on. Who may not read the records is shown their ids.
func (g *Pages) nameGroups(ctx context.Context, actor identity.Actor, v *trialView) error {
	sites, err := g.store.SiteNames(ctx, actor)
	if fault.Is(err, fault.Refused) {
		return nil
	}
	if err != nil {
		return err
	}
	v.empty = len(sites) == 0
	for _, n := range sites {
		v.names[string(n.ID)] = n.Label()
	}
	shifts, err := g.store.ShiftNames(ctx, actor)
	for id, name := range shifts {
		v.names[string(id)] = name
	}
	return err
}

// read takes the thresholds out of the address. Those that are as they are today
// are not moved.
func (v *trialView) read(r *http.Request, policy audit.Policy) (changes []string) {
	q := r.URL.Query()
	for _, name := range append(thresholds(), basisName) {
		value := strings.TrimSpace(q.Get(name))
		if len(value) > maxValue {
			value = value[:maxValue]
		}
		if v.typed[name] = value; value == "" || value == v.today[name] {
			continue
		}
		change := name + "=" + value
		if _, err := simulate.Move(policy, change); err != nil && v.fault == nil {
			v.fault, v.bad = err, name
		}
		changes = append(changes, change)
	}
	return changes
}

// thresholds are the names of what can be moved.
func thresholds() []string {
	var names []string
	for _, s := range simulate.Settings() {
		names = append(names, s.Name)
	}
	return names
}

// todays are the thresholds as they are.
func todays(p audit.Policy) map[string]string {
	return map[string]string{
		"location.threshold_miles":   strconv.FormatFloat(p.Location.Limit, 'f', -1, 64),
		"shift.window_minutes":       strconv.Itoa(p.Shift.Window),
		"shift.enough_minutes":       strconv.Itoa(p.Shift.Enough),
		"shift.share_percent":        strconv.Itoa(p.Shift.Share),
		"occupancy.min_capacity":     strconv.Itoa(p.Occupancy.Seats),
		"occupancy.min_fill_percent": strconv.Itoa(p.Occupancy.Share),
		"badge.min_share_percent":    strconv.Itoa(p.Badge.Share),
		basisName:                    string(p.Shift.Basis),
	}
}

// bases are the choices of basisName.
func bases() []shift.Basis { return []shift.Basis{shift.Commute, shift.Work} }

// errorOn says what was wrong with one threshold, and what it takes.
func (v trialView) errorOn(p *web.Page, name string) string {
	if v.fault == nil || v.bad != name {
		return ""
	}
	for _, s := range simulate.Settings() {
		if s.Name == name {
			return p.T("pool.threshold_bad."+s.Takes(), "typed", v.typed[name], "low", trimmed(s.Low), "high", trimmed(s.High))
		}
	}
	return p.T("pool.threshold_bad.choice", "typed", v.typed[name])
}

// moved are the thresholds of a trial in words: what they were and what they are.
func (v trialView) moved(p *web.Page) []string {
	var out []string
	for _, c := range v.did.Changes {
		name, value, _ := strings.Cut(c, "=")
		was := v.today[name]
		if name == basisName {
			was, value = p.Word("pool.basis.", was), p.Word("pool.basis.", value)
		}
		out = append(out, p.Word("pool.threshold.", name)+": "+was+" → "+value)
	}
	return out
}

// A difference is a number as it changes, with its sign.
func difference(before, after int) string {
	switch d := after - before; {
	case d > 0:
		return "+" + numeral(d)
	case d < 0:
		return "−" + numeral(-d)
	}
	return "0"
}

// signed is a difference of hours.
func signed(f float64) string {
	switch {
	case f > 0:
		return "+" + hoursText(f)
	case f < 0:
		return "−" + hoursText(-f)
	}
	return "0"
}

// share is how many of a hundred, to a tenth.
func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return strconv.FormatFloat(100*float64(n)/float64(of), 'f', 1, 64) + " %"
}

func twoPlaces(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }

func hoursText(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// impactLook is the badge of an impact ratio.
func impactLook(ratio float64) (class, icon, word string) {
	if ratio < fairLine {
		return "warn", "warn", "below"
	}
	return "ok", "check", "fair"
}

// groupName is what people call a group of riders.
func (v trialView) groupName(p *web.Page, name string) string {
	if name == "" {
		return p.T("pool.no_shift")
	}
	if known := v.names[name]; known != "" {
		return known
	}
	return name
}

// firstFlags bounds what is listed.
func firstFlags(all []simulate.Flag) []simulate.Flag { return all[:min(len(all), flagsShown)] }

// flagWho is whom a flag is on.
func flagWho(f simulate.Flag) string {
	if f.Employee != "" {
		return string(f.Employee)
	}
	return string(f.Vanpool)
}
