package signin

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Bounds of machines' tokens.
const (
	TokenMostLife = 366 * 24 * time.Hour
	mostScopes    = 20
	mostTokens    = 500 // of an organisation, that still count
	mostTitle     = 60  // characters of a token's or a device's name
	mostReason    = 500
	usedEvery     = time.Minute // how exactly we know when one was last used
)

// A Token lets a program in, without its secret.
type Token struct {
	ID        string
	Name      string
	Scopes    []string
	Reason    string
	IssuedBy  string
	IssuedAt  time.Time
	ExpiresAt time.Time
	UsedAt    *time.Time
	RevokedAt *time.Time
}

// Good reports whether the token still counts.
func (t Token) Good(now time.Time) bool { return t.RevokedAt == nil && now.Before(t.ExpiresAt) }

// A NewToken is what issuing one takes. A scope says what it is good for: reading,
// handing in, or proposing, and what. Which there are is policy's word.
type NewToken struct {
	Name   string
	Scopes []string
	Life   time.Duration // at most TokenMostLife
	Reason string
}

func (n *NewToken) check(policies rules) (err error) {
	if n.Name, err = text("the token's name", n.Name, mostTitle); err != nil {
		return err
	}
	if n.Reason, err = text("the reason", n.Reason, mostReason); err != nil {
		return err
	}
	slices.Sort(n.Scopes)
	n.Scopes = slices.Compact(n.Scopes)
	if len(n.Scopes) == 0 || len(n.Scopes) > mostScopes {
		return fault.New(fault.Invalid, "a token has 1 to %d scopes", mostScopes).
			WithNext("name some of: %s", strings.Join(policies.Scopes(), ", ")).
			Because("token_scopes", "n", strconv.Itoa(mostScopes), "scopes", strings.Join(policies.Scopes(), ", "))
	}
	for _, s := range n.Scopes {
		if err := policies.CheckScope(s); err != nil {
			return err
		}
	}
	if n.Life < time.Minute || n.Life > TokenMostLife {
		return fault.New(fault.Invalid, "a token lasts between a minute and %d days", int(TokenMostLife.Hours()/24)).
			Because("token_lasts", "n", strconv.Itoa(int(TokenMostLife.Hours()/24)))
	}
	return nil
}

// Issue makes a token and returns the text that lets a program in. Only now: it
// is kept as a digest, and nobody can ask for it again.
func (s *Store) Issue(ctx context.Context, actor identity.Actor, n NewToken) (t Token, secret string, err error) {
	if err := s.rules.May(actor, "token.issue"); err != nil {
		return t, "", err
	}
	if err := n.check(s.rules); err != nil {
		return t, "", err
	}
	at, salt := s.now(), newSalt()
	secret = newSecret()
	t = Token{ID: newID("tok_", at), Name: n.Name, Scopes: n.Scopes, Reason: n.Reason, IssuedBy: actor.ID, IssuedAt: at,
		ExpiresAt: at.Add(n.Life)}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var good int
		const count = `select count(*) from gavel.machine_token where revoked_at is null and expires_at > $1`
		if err := tx.QueryRow(ctx, count, at).Scan(&good); err != nil {
			return err
		}
		if good >= mostTokens {
			return fault.New(fault.Conflict, "there are %d tokens already", good).WithNext("revoke some that are no longer used").
				Because("tokens_many", "n", strconv.Itoa(good))
		}
		const insert = `
			insert into gavel.machine_token (org, id, secret_sha256, name, scopes, reason, salt, issued_by, issued_at, expires_at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
		_, err := tx.Exec(ctx, insert, actor.Org, t.ID, digest(machineSecret, secret), t.Name, t.Scopes, t.Reason, salt, actor.ID, at,
			t.ExpiresAt)
		if err != nil {
			return err
		}
		return onRecord(ctx, tx, RecordToken, actor, at, t.ID,
			event{Event: "issued", Scopes: t.Scopes, Until: moment(t.ExpiresAt), Reason: salted(salt, t.Reason)})
	})
	if err != nil {
		return Token{}, "", fmt.Errorf("issue a token: %w", err)
	}
	return t, machinePrefix + string(actor.Org) + "." + strings.TrimPrefix(t.ID, "tok_") + "_" + secret, nil
}

// machineID is what records call the program that a token lets in.
func machineID(token string) string { return "token:" + token }

// Revoke makes a token count no more, from this moment on, and takes back what its
// program has asked people for and waits: one that is not trusted any more should
// not get a yes. Where that fails the token is revoked all the same, and revoking
// it again takes back the rest.
func (s *Store) Revoke(ctx context.Context, actor identity.Actor, id string) error {
	if err := s.rules.May(actor, "token.issue"); err != nil {
		return err
	}
	at := s.now()
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		const revoke = `update gavel.machine_token set revoked_at = $2, revoked_by = $3 where id = $1 and revoked_at is null`
		tag, err := tx.Exec(ctx, revoke, id, at, actor.ID)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.NotFound, "no token that still counts has the id %.60s", id).Because("nothing_called", "id", id)
		}
		return onRecord(ctx, tx, RecordToken, actor, at, id, event{Event: "revoked"})
	})
	if err != nil && !fault.Is(err, fault.NotFound) {
		return fmt.Errorf("revoke a token: %w", err)
	}
	if s.withdraw != nil {
		if left := s.withdraw(ctx, actor.Org, machineID(id)); left != nil {
			return fault.From(fault.KindOf(left), left, "the token is revoked, and some of its proposals still wait for people").
				WithNext("revoke it again, which takes them back, or reject them").Because("token_left")
		}
	}
	return err
}

// Tokens lists the tokens of the actor's organisation, newest first.
func (s *Store) Tokens(ctx context.Context, actor identity.Actor) (all []Token, err error) {
	if err := s.rules.May(actor, "token.read"); err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		const list = `select id, name, scopes, reason, issued_by, issued_at, expires_at, used_at, revoked_at
			from gavel.machine_token order by issued_at desc, id desc limit $1`
		rows, _ := tx.Query(ctx, list, 2*mostTokens)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Token])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return all, nil
}

// machine is the program a token lets in.
func (s *Store) machine(ctx context.Context, c credential) (who identity.Actor, err error) {
	at := s.now()
	err = s.db.InOrg(ctx, c.org, func(tx pgx.Tx) error {
		var name string
		var scopes []string
		var sum []byte
		var used *time.Time
		const find = `select name, scopes, secret_sha256, used_at from gavel.machine_token
			where org = $1 and id = $2 and revoked_at is null and expires_at > $3`
		err := tx.QueryRow(ctx, find, c.org, c.id, at).Scan(&name, &scopes, &sum, &used)
		if errors.Is(err, pgx.ErrNoRows) {
			return badToken
		}
		if err != nil {
			return fmt.Errorf("look up a token: %w", err)
		}
		if subtle.ConstantTimeCompare(sum, digest(machineSecret, c.secret)) != 1 {
			return badToken
		}
		who = identity.Actor{Kind: identity.Machine, ID: machineID(c.id), Name: name, Org: c.org, Scopes: scopes}
		if used != nil && at.Sub(*used) < usedEvery {
			return nil
		}
		_, err = tx.Exec(ctx, `update gavel.machine_token set used_at = $2 where id = $1`, c.id, at)
		return err
	})
	return who, err
}
