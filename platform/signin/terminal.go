package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Bounds of terminals that ask to be let in. Anybody can ask.
const (
	TerminalPatience = 10 * time.Minute // for the person to confirm
	mostTerminals    = 5000             // that wait at once, in the whole installation; one stranger has 130 of them
	mostLabel        = 100              // characters a terminal calls itself
)

// A TerminalRequest is a terminal that waits for a person to confirm it.
type TerminalRequest struct {
	Code      string // the person types it on our page
	Secret    string // the terminal's own; it becomes the session's
	ExpiresAt time.Time
}

// RequestTerminal begins letting in a terminal. It is not known yet whose it is:
// nothing but a digest and the name it gave itself is kept, for ten minutes.
func (s *Store) RequestTerminal(ctx context.Context, label string) (r TerminalRequest, err error) {
	if label, err = text("the terminal's name", label, mostLabel); err != nil {
		return r, err
	}
	at, code := s.typing(), newCode()
	r = TerminalRequest{Code: shownCode(code), Secret: newSecret(), ExpiresAt: at.Add(TerminalPatience)}
	err = s.db.InNone(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `delete from gavel_sys.terminal_request where expires_at <= $1`, at); err != nil {
			return err
		}
		const insert = `
			insert into gavel_sys.terminal_request (secret_sha256, code_sha256, label, made_at, expires_at)
			select $1, $2, $3, $4, $5 where (select count(*) from gavel_sys.terminal_request) < $6`
		tag, err := tx.Exec(ctx, insert, digest(sessionSecret, r.Secret), digest(terminalCode, code), label, at, r.ExpiresAt, mostTerminals)
		if err == nil && tag.RowsAffected() == 0 {
			return fault.New(fault.TooMany, "many terminals are waiting to be confirmed").Because("terminals_many")
		}
		return err
	})
	if err != nil {
		return TerminalRequest{}, fmt.Errorf("let a terminal ask: %w", err)
	}
	return r, nil
}

var noTerminal = fault.New(fault.NotFound, "no terminal is waiting with this code").
	WithNext("compare it with the one your terminal shows; codes last ten minutes").Because("no_terminal")

// terminal is the name of the terminal that shows a code, for the person who is
// about to confirm it.
func (s *Store) terminal(ctx context.Context, typed string) (label string, err error) {
	code, ok := typedCode(typed)
	if !ok {
		return "", noTerminal
	}
	at := s.typing()
	err = s.db.InNone(ctx, func(tx pgx.Tx) error {
		const find = `select label from gavel_sys.terminal_request where code_sha256 = $1 and expires_at > $2 and org is null`
		err := tx.QueryRow(ctx, find, digest(terminalCode, code), at).Scan(&label)
		if errors.Is(err, pgx.ErrNoRows) {
			return noTerminal
		}
		return err
	})
	return label, err
}

// confirmTerminal lets the terminal that shows a code act as the person who
// typed it, for as long as a sign-in lasts.
func (s *Store) confirmTerminal(ctx context.Context, from Session, typed string) error {
	code, ok := typedCode(typed)
	if !ok {
		return noTerminal
	}
	if from.Actor.Viewing != "" || from.Kind != browserKind {
		return fault.New(fault.Refused, "a terminal is confirmed in a browser, by who you are yourself").
			WithNext("leave the other role first").Because("browser_only")
	}
	at, org := s.now(), from.Actor.Org
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		var sum []byte
		var label string
		const take = `update gavel_sys.terminal_request set org = $3 where code_sha256 = $1 and expires_at > $2 and org is null
			returning secret_sha256, label`
		err := tx.QueryRow(ctx, take, digest(terminalCode, code), s.typing(), org).Scan(&sum, &label)
		if errors.Is(err, pgx.ErrNoRows) {
			return noTerminal
		}
		if err != nil {
			return err
		}
		n := newSession{kind: terminalKind, person: from.Actor.ID, roles: from.Held, orgs: []identity.Org{org}, label: label,
			ends: at.Add(SessionLife)}
		id, err := n.insertDigest(ctx, tx, org, sum, at)
		if err != nil {
			return err
		}
		return onRecord(ctx, tx, RecordSignIn, from.Actor, at, id, event{Event: "began", How: "terminal", Roles: roleNames(from.Held)})
	})
	if err != nil {
		return fmt.Errorf("confirm a terminal: %w", err)
	}
	return nil
}

// ClaimTerminal is what a waiting terminal asks again and again: the text that
// lets it in once a person has confirmed it, nothing while nobody has.
func (s *Store) ClaimTerminal(ctx context.Context, secret string) (token string, err error) {
	if len(secret) != secretLength {
		return "", noTerminal
	}
	at := s.typing()
	err = s.db.InNone(ctx, func(tx pgx.Tx) error {
		var org *string
		const find = `select org from gavel_sys.terminal_request where secret_sha256 = $1 and expires_at > $2`
		err := tx.QueryRow(ctx, find, digest(sessionSecret, secret), at).Scan(&org)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.New(fault.NotFound, "nobody confirmed this terminal in time").WithNext("gavel login")
		}
		if err != nil || org == nil {
			return err
		}
		token = sessionPrefix + *org + "." + secret // its own secret: an answer that got lost is given again
		return nil
	})
	return token, err
}
