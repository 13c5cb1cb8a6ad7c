package act

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
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

var scopeForm = regexp.MustCompile(`^(all|outside|app:[a-z]{2,20}|agent:[A-Za-z0-9._:/@+-]{1,190})$`)

// A Pause is one that is on.
type Pause struct {
	Scope  Scope
	Reason string
	ByID   string
	At     time.Time
}

// Pause holds the acts of a scope from now on: what has not begun does not
// begin. Decisions, timers and what is running go on. Pausing what is paused
// changes nothing. It needs a person who administers the organisation.
func (s *Store) Pause(ctx context.Context, actor identity.Actor, scope Scope, reason string) error {
	reason = strings.TrimSpace(reason)
	switch {
	case reason == "":
		return fault.New(fault.Invalid, "a pause needs a reason")
	case utf8.RuneCountInString(reason) > maxReason:
		return fault.New(fault.TooLarge, "the reason has over %d characters", maxReason)
	case !utf8.ValidString(reason) || strings.ContainsRune(reason, 0):
		return fault.New(fault.Invalid, "the reason holds a character that cannot be stored")
	}
	const insert = `insert into gavel.pause (org, scope, reason, by_id, at) values ($1, $2, $3, $4, $5) on conflict (org, scope) do nothing`
	now := s.clock.Now()
	return s.switchPause(ctx, actor, scope, "paused", now, insert, actor.Org, scope, reason, actor.ID, now)
}

// Resume ends a pause. Held acts begin when they are asked for next. Resuming
// what is not paused changes nothing.
func (s *Store) Resume(ctx context.Context, actor identity.Actor, scope Scope) error {
	const remove = `delete from gavel.pause where org = $1 and scope = $2`
	return s.switchPause(ctx, actor, scope, "resumed", s.clock.Now(), remove, actor.Org, scope)
}

func (s *Store) switchPause(ctx context.Context, actor identity.Actor, scope Scope, to string, now time.Time, sql string, args ...any) error {
	if err := mayPause(actor); err != nil {
		return err
	}
	if !scopeForm.MatchString(string(scope)) {
		return fault.New(fault.Invalid, "a pause is of all, outside, app:<name> or agent:<app>/<name>, not %.60q", scope)
	}
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sql, args...)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		_, err = audit.Append(ctx, tx, audit.Record{At: now, Kind: audit.Act, Actor: actor, Subject: "pause:" + string(scope),
			Body: map[string]string{"step": to, "scope": string(scope)}})
		return err
	})
	if err != nil {
		return fmt.Errorf("pause of %s: %w", scope, err)
	}
	return nil
}

func mayPause(a identity.Actor) error {
	if !a.Known() {
		return fault.New(fault.SignIn, "sign in to pause or resume acts")
	}
	if a.Kind != identity.Person || !a.Has(identity.OrgAdmin) {
		return fault.New(fault.Refused, "only a person with the role %s may pause or resume acts", identity.OrgAdmin).
			WithNext("ask an administrator of your organisation")
	}
	return nil
}

// Pauses lists the pauses that are on.
func (s *Store) Pauses(ctx context.Context, org identity.Org) (on []Pause, err error) {
	const all = `select scope, reason, by_id, at from gavel.pause where org = $1 order by scope limit 200`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, all, org)
		on, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Pause])
		return err
	})
	return on, err
}
