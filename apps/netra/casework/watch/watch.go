// Package watch looks at all districts, every hour by itself: what crossed into a band gets a case, and a case whose district has
// been calm for long enough is told so. Once a day it writes the scores down, before anybody can know what comes of them.
//
// Read Look; what follows from a look is decided by rule/alert.
package watch

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/rule/alert"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Watcher looks at districts. It is opened once, before the first look.
type Watcher struct {
	store *store.Store
	desk  *casework.Desk
	log   *slog.Logger
}

// New makes one.
func New(s *store.Store, d *casework.Desk) *Watcher { return &Watcher{store: s, desk: d} }

// Open tells it where to log.
func (w *Watcher) Open(log *slog.Logger) { w.log = log }

// Steps are its activities.
func (w *Watcher) Steps() *Steps { return &Steps{w} }

// A Seen is what a look came to.
type Seen struct {
	Districts int `json:"districts"`
	Opened    int `json:"opened"`
	Ended     int `json:"ended"`
	Silent    int `json:"silent"`
	Frozen    int `json:"frozen"`
}

// Look looks at all districts as of a moment. Done again for the same moment it changes nothing.
func (w *Watcher) Look(ctx context.Context, org identity.Org, at time.Time, freeze bool) (seen Seen, err error) {
	gavel := identity.Gavel(org)
	p := score.V2()
	all, err := w.desk.Score(ctx, gavel, casework.Ask{Windows: casework.Windows(), AsOf: at, Profile: p, Named: true})
	if fault.Is(err, fault.Conflict) { // no district is known
		return seen, nil
	}
	if err != nil {
		return seen, err
	}
	seen.Districts = len(all)
	rules, version, err := w.store.RulesOf(ctx, org)
	if err != nil {
		return seen, err
	}
	pass := look{watcher: w, org: org, at: at, profile: p, rules: rules, version: version, all: all, outlooks: map[int]casework.Outlook{}}
	if err := pass.prepare(ctx); err != nil {
		return seen, err
	}
	err = w.store.In(ctx, org, func(tx pgx.Tx) error {
		seen.Opened, seen.Ended, seen.Silent = 0, 0, 0
		return pass.write(ctx, tx, &seen)
	})
	if err != nil || !freeze {
		return seen, err
	}
	by := map[int][]score.Result{}
	for _, s := range all {
		by[s.LGD] = s.Results
	}
	seen.Frozen, err = w.store.FreezeOnce(ctx, org, at, by)
	return seen, err
}

// A look is one look at all districts while it is under way.
type look struct {
	watcher  *Watcher
	org      identity.Org
	at       time.Time
	profile  score.Profile
	rules    alert.Rules
	version  int64
	all      []casework.Scored
	outlooks map[int]casework.Outlook // of those that may get a case

	standings map[int]store.Standing
	heard     map[int]alert.Heard
	shutdowns []store.Shutdown
	silent    map[string]int // districts by state
	known     map[string]int
}

// prepare computes, before anything is locked, what a case of a district that seems to cross would need.
func (l *look) prepare(ctx context.Context) error {
	gavel := identity.Gavel(l.org)
	before, err := l.watcher.store.Standings(ctx, gavel)
	if err != nil {
		return err
	}
	for _, s := range l.all {
		day := s.Results[0]
		if day.Band < l.rules.Opens || day.Band <= before[s.LGD].Band {
			continue
		}
		if l.outlooks[s.LGD], err = l.watcher.desk.Outlook(ctx, gavel, s.LGD, day, l.profile); err != nil {
			return err
		}
	}
	return nil
}

// write decides for each district what follows, and writes how it stands.
func (l *look) write(ctx context.Context, tx pgx.Tx, seen *Seen) (err error) {
	if err := store.HoldStandings(ctx, tx, l.org); err != nil {
		return err
	}
	if l.standings, err = store.StandingsIn(ctx, tx); err != nil {
		return err
	}
	signals := map[int]int64{}
	for _, s := range l.all {
		signals[s.LGD] = s.Results[0].Signals
	}
	if l.heard, err = store.HeardIn(ctx, tx, l.at, signals); err != nil {
		return err
	}
	if l.shutdowns, err = store.ShutdownsIn(ctx, tx); err != nil {
		return err
	}
	l.listen()
	var changed []store.Standing
	for _, s := range l.all {
		next, effect := l.next(s)
		if !next.At.After(l.standings[s.LGD].At) {
			continue
		}
		if next.Silent {
			seen.Silent++
		}
		switch effect {
		case alert.Opens:
			seen.Opened++
			err = l.open(ctx, tx, s, &next)
		case alert.Ends:
			seen.Ended++
			err = l.end(ctx, tx, next.CaseID, "calm")
		}
		if err != nil {
			return fmt.Errorf("district %d: %w", s.LGD, err)
		}
		changed = append(changed, next)
	}
	return store.PutStandings(ctx, tx, l.org, changed)
}

// listen counts, by state, of how many districts the sources are silent.
func (l *look) listen() {
	l.silent, l.known = map[string]int{}, map[string]int{}
	for _, s := range l.all {
		h := l.heard[s.LGD]
		if h.Known() {
			l.known[s.State]++
		}
		if h.Silent(l.rules.Quiet) {
			l.silent[s.State]++
		}
	}
}

// next is how a district stands after the look.
func (l *look) next(s casework.Scored) (store.Standing, alert.Effect) {
	was := l.standings[s.LGD]
	next := was
	next.LGD, next.Heard = s.LGD, l.heard[s.LGD]
	if next.Silent = next.Heard.Silent(l.rules.Quiet); !next.Silent {
		next.SilentAt = nil
	} else if was.SilentAt == nil {
		next.SilentAt = &l.at
	}
	var effect alert.Effect
	next.Standing, effect = alert.Next(was.Standing, alert.LookAt(s.Results[0], l.profile, l.rules, next.Silent), l.rules)
	return next, effect
}

// open opens the case of a district that crossed. One that is open ends: the district went higher.
func (l *look) open(ctx context.Context, tx pgx.Tx, s casework.Scored, next *store.Standing) error {
	was := l.standings[s.LGD]
	if was.Open {
		if err := l.end(ctx, tx, was.CaseID, "higher"); err != nil {
			return err
		}
	}
	file, _, err := l.watcher.store.CaseStore().OpenIn(ctx, tx, identity.Gavel(l.org), casefile.Opening{App: store.Name,
		Key:   strconv.Itoa(s.LGD) + ":" + l.at.UTC().Format("2006010215") + ":" + next.Band.RiskLevel(),
		Title: s.Name + ", " + s.State + ": crossed into " + next.Band.String()})
	if err != nil {
		return err
	}
	next.CaseID = file.ID
	return store.AddAlert(ctx, tx, l.org, store.Alert{Case: file.ID, LGD: s.LGD, District: s.Name, State: s.State, Band: next.Band,
		From: was.Band, Score: s.Results[0].Score.Value, At: l.at, Settings: l.version, Found: l.found(s, *next)})
}

// found is what the case rests on.
func (l *look) found(s casework.Scored, next store.Standing) alert.Found {
	o := l.outlooks[s.LGD]
	f := alert.Found{Results: s.Results, Before: o.Before, Told: map[string]string{}, Heard: next.Heard, Silent: next.Silent,
		Together: next.Silent && alert.AllSilent(l.silent[s.State], l.known[s.State]), Thresholds: l.rules.Thresholds,
		Margin: l.rules.Margin, CalmHours: l.rules.Calm.Hours(), DueHours: l.rules.Due.Hours(next.Band),
		FallsAt: o.FallsAt, FallsTo: o.FallsTo,
		Without: o.Without}
	for id, x := range s.Told {
		f.Told[id] = x.Summary
	}
	for _, d := range l.shutdowns {
		if d.Covers(s.LGD, s.State, l.at) {
			f.Shutdown, f.ShutAt = d.Order, &l.at
		}
	}
	return f
}

// end says why a crossing is over, and tells its case.
func (l *look) end(ctx context.Context, tx pgx.Tx, id casefile.CaseID, why string) error {
	if err := store.EndAlert(ctx, tx, id, why, l.at); err != nil {
		return err
	}
	file, err := casefile.Lock(ctx, tx, id)
	if err != nil || file.State == casefile.Closed {
		return err
	}
	return l.watcher.store.CaseStore().Rouse(ctx, tx, file)
}
