package audit

import (
	"context"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// Bounds of what is recorded of people who are turned away again and again: the
// first time is on record at once, the times in the same minute are counted and
// stand in the next record.
const (
	refusedEvery = time.Minute
	mostRefused  = 10_000 // remembered at once

	refusedPatience = 3 * time.Second // for the database to take a record
)

// A Refusals puts on record who was turned away by the policies, before anything
// of what they asked for was done.
type Refusals struct {
	DB  *postgres.DB
	Now func() time.Time // the installation's clock
	Log *slog.Logger

	before Repeats
}

// Repeats tells the first refusals of a kind from their repeats in the same minute,
// so that who is refused over and over does not fill the log. It is safe for
// concurrent use; the zero value is ready.
type Repeats struct {
	Most int // of a minute that are recorded by themselves; zero means one

	mu   sync.Mutex
	seen map[string]*refusedBefore
}

type refusedBefore struct {
	last  time.Time // the first of the minute
	on    int       // of it, on record
	times int       // of it, not on record
}

// Turned says who was turned away, from what.
type Turned struct {
	Actor  identity.Actor
	Acts   string // the acts of which they may do none, with commas between
	Route  string // the pattern of the address
	Object string // the id in it, if it is one of ours
}

var objectForm = regexp.MustCompile(`^([a-z]{2,12}_[0-9A-HJKMNP-TV-Z]{26}|[A-Z]{1,12}-[A-Z0-9-]{1,30})$`)

// Note records it. That somebody is turned away does not wait for the record to
// succeed: a failure is told to those who look after the server.
func (r *Refusals) Note(ctx context.Context, t Turned) {
	now := r.Now()
	times, due := r.before.Due(string(t.Actor.Org)+" "+t.Actor.ID+" "+t.Route, now)
	if !due {
		return
	}
	body := struct {
		Acts     string `json:"acts"`
		Route    string `json:"route"`
		Object   string `json:"object,omitempty"`
		Repeated int    `json:"repeated,omitempty"` // times before this one that are not on record by themselves
	}{t.Acts, t.Route, "", times}
	if objectForm.MatchString(t.Object) {
		body.Object = t.Object // anything else may be a name somebody typed
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), refusedPatience) // who is turned away may have left
	defer stop()
	err := r.DB.InOrg(ctx, t.Actor.Org, func(tx pgx.Tx) error {
		_, err := Append(ctx, tx, Record{At: now, Kind: Refusal, Actor: t.Actor, Subject: "route", Body: body})
		return err
	})
	if err != nil && r.Log != nil {
		r.Log.ErrorContext(ctx, "a refusal could not be recorded", slog.String("route", t.Route), slog.Any("error", err))
	}
}

// Due reports whether this one, known by what is refused to whom, is to be
// recorded, and how many were not since the last that was.
func (r *Repeats) Due(key string, now time.Time) (times int, due bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, known := r.seen[key]
	if known && now.Sub(b.last) < refusedEvery {
		if b.on < r.Most {
			b.on++
			return 0, true
		}
		b.times++
		return 0, false
	}
	if r.seen == nil || len(r.seen) >= mostRefused {
		r.seen = map[string]*refusedBefore{}
	}
	if known {
		times = b.times
	}
	r.seen[key] = &refusedBefore{last: now, on: 1}
	return times, true
}
