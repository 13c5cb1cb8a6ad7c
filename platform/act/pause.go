package act

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A Scope is what a pause holds: "all", "outside", "app:<name>", or the actor id
// of an agent, "agent:<app>/<name>".
type Scope string

// The scopes that name nothing in particular.
const (
	Everything     Scope = "all"
	EveryOutside   Scope = "outside"
	appScopePrefix       = "app:"
)

// OneApp is the scope of one application's acts.
func OneApp(app string) Scope { return Scope(appScopePrefix + app) }

// App is the application that the scope is of, empty where it is of none.
func (s Scope) App() string {
	app, ok := strings.CutPrefix(string(s), appScopePrefix)
	if !ok {
		return ""
	}
	return app
}

var (
	scopeForm   = regexp.MustCompile(`^(all|outside|app:[a-z]{2,20}|agent:[A-Za-z0-9._:/@+-]{1,190})$`)
	pauseIDForm = regexp.MustCompile(`^pause_[0-9A-HJKMNP-TV-Z]{26}$`)
)

// A Pause keeps acts from beginning, from At until somebody ends it. Its reasons
// are for people; they are in no log.
type Pause struct {
	ID        string // "pause_" and a ULID
	Scope     Scope
	Reason    string
	ByID      string
	At        time.Time
	EndedAt   *time.Time // nil while it is on
	EndedBy   string
	EndReason string
	Held      int64 // acts that wait for it now; of those that are over, 0
}

// On reports whether it holds acts now.
func (p Pause) On() bool { return p.EndedAt == nil }

// A PausesConfig says what pauses go through.
type PausesConfig struct {
	DB    *postgres.DB
	Clock durable.Clock
	Rules *policy.Rules // who may pause; nil lets nobody
	// Wake leaves word, in the transaction that ends a pause, for whoever waits with
	// these acts, by their keys: they may begin now. Nil leaves none, and they look
	// for themselves within the hour.
	Wake func(ctx context.Context, tx pgx.Tx, org identity.Org, keys []string) error
}

// Pauses is where people hold acts and let them go.
type Pauses struct{ PausesConfig }

// NewPauses makes the place.
func NewPauses(c PausesConfig) *Pauses { return &Pauses{c} }

// Set holds the acts of a scope from now on: what has not begun does not begin.
// Decisions, timers and what is running go on. A scope that is paused already
// stays as it is: its pause is returned, and fresh is false.
func (s *Pauses) Set(ctx context.Context, actor identity.Actor, scope Scope, reason string) (p Pause, fresh bool, err error) {
	if err := s.Rules.May(actor, "pause.change"); err != nil {
		return Pause{}, false, err
	}
	if !scopeForm.MatchString(string(scope)) {
		return Pause{}, false, fault.New(fault.Invalid, "a pause is of all, outside, app:<name> or agent:<app>/<name>, not %.60q", scope)
	}
	if reason, err = checkPauseReason(reason); err != nil {
		return Pause{}, false, err
	}
	now := s.Clock.Now().UTC().Truncate(time.Microsecond)
	p = Pause{ID: "pause_" + ulid.MustNew(ulid.Timestamp(now), rand.Reader).String(), Scope: scope, Reason: reason, ByID: actor.ID, At: now}
	const insert = `insert into gavel.pause (org, scope, reason, by_id, at, id) values ($1, $2, $3, $4, $5, $6)
		on conflict (org, scope) do nothing`
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, insert, actor.Org, scope, reason, actor.ID, now, p.ID)
		if err != nil {
			return err
		}
		if fresh = tag.RowsAffected() > 0; !fresh {
			p, err = onePause(ctx, tx, pausesOn+` where p.org = $1 and p.scope = $2`, actor.Org, scope)
			return err
		}
		return recordPause(ctx, tx, actor, p, "paused", now)
	})
	if err != nil {
		return Pause{}, false, fmt.Errorf("pause of %s: %w", scope, err)
	}
	return p, fresh, nil
}

// Lift ends a pause, by its id. Held acts that nothing else holds go on by
// themselves: word is left for them in the same transaction.
func (s *Pauses) Lift(ctx context.Context, actor identity.Actor, id, reason string) (p Pause, err error) {
	if err := s.Rules.May(actor, "pause.change"); err != nil {
		return Pause{}, err
	}
	if reason, err = checkPauseReason(reason); err != nil {
		return Pause{}, err
	}
	if !pauseIDForm.MatchString(id) {
		return Pause{}, noSuchPause(id)
	}
	now := s.Clock.Now().UTC().Truncate(time.Microsecond)
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if p, err = endPause(ctx, tx, actor, id, reason, now); err != nil {
			return err
		}
		if p.Scope == Recovering {
			return fault.New(fault.Refused, "the database was restored, and who runs the installation ends this pause").
				WithNext("have them end it: gavel recover end")
		}
		return s.wake(ctx, tx, actor.Org)
	})
	if err != nil {
		return Pause{}, fmt.Errorf("end pause %s: %w", id, err)
	}
	return p, nil
}

// endPause moves a pause to those that are over, and puts that on record.
func endPause(ctx context.Context, tx pgx.Tx, actor identity.Actor, id, reason string, now time.Time) (Pause, error) {
	const move = `
		with gone as (delete from gavel.pause where org = $1 and id = $2 returning org, id, scope, reason, by_id, at)
		insert into gavel.past_pause (org, id, scope, reason, by_id, at, ended_at, ended_by, end_reason)
		select org, id, scope, reason, by_id, at, $3, $4, $5 from gone`
	tag, err := tx.Exec(ctx, move, actor.Org, id, now, actor.ID, reason)
	if err != nil {
		return Pause{}, err
	}
	p, err := onePause(ctx, tx, pausesOver+` where p.org = $1 and p.id = $2`, actor.Org, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Pause{}, noSuchPause(id)
	case err != nil:
		return Pause{}, err
	case tag.RowsAffected() == 0:
		return Pause{}, fault.New(fault.Conflict, "pause %s was ended already, on %s", id, p.EndedAt.UTC().Format(time.RFC3339)).
			WithNext("see what is paused: gavel pause list")
	}
	return p, recordPause(ctx, tx, actor, p, "resumed", now)
}

// heldBy says which pause holds an act a, if one does.
const heldBy = `(p.scope in ('all', 'app:' || a.app) or p.scope = a.agent or p.scope in ` + holdsOutside + ` and a.effect = 'outside')`

// waiting is an act a that somebody waits with because of a pause: one that met it
// before it began, or after a holder died.
const waiting = `(a.state = 'held' or a.state = 'running' and a.lease_until <= clock_timestamp())`

// wake leaves word for those who wait with acts that no pause holds any more.
func (s *Pauses) wake(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	if s.Wake == nil {
		return nil
	}
	keys, err := freed(ctx, tx, org)
	if err != nil || len(keys) == 0 {
		return err
	}
	return s.Wake(ctx, tx, org, keys)
}

// freed lists acts that somebody waits with and no pause holds any more.
func freed(ctx context.Context, tx pgx.Tx, org identity.Org) ([]string, error) {
	const free = `select a.key from gavel.act a where a.org = $1 and ` + waiting + `
			and not exists (select from gavel.pause p where p.org = $1 and ` + heldBy + `)
		order by a.key`
	rows, _ := tx.Query(ctx, free, org)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func recordPause(ctx context.Context, tx pgx.Tx, actor identity.Actor, p Pause, to string, now time.Time) error {
	_, err := audit.Append(ctx, tx, audit.Record{At: now, Kind: audit.Act, App: p.Scope.App(), Actor: actor, Subject: pauseSubject +
		string(p.Scope),
		Body: map[string]string{"step": to, "scope": string(p.Scope), "pause": p.ID}})
	return err
}

// pauseSubject begins what a pause is called in the log.
const pauseSubject = "pause:"

func checkPauseReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	switch {
	case reason == "":
		return "", fault.New(fault.Invalid, "a pause needs a reason, and so does its end")
	case utf8.RuneCountInString(reason) > maxReason:
		return "", fault.New(fault.TooLarge, "the reason has over %d characters", maxReason)
	case !utf8.ValidString(reason) || strings.ContainsRune(reason, 0):
		return "", fault.New(fault.Invalid, "the reason holds a character that cannot be stored")
	}
	return reason, nil
}

func noSuchPause(id string) error {
	return fault.New(fault.NotFound, "no pause is called %.60q", id).WithNext("see what is paused: gavel pause list")
}
