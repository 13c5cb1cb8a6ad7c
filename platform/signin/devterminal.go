package signin

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/jackc/pgx/v5"
)

// devTerminals are terminals that somebody with a development sign-in has confirmed
// and that have not come for their token yet. A development sign-in proves a role and
// nobody, so it has no session to lend: the terminal gets the same token. They are
// kept in memory, because development has one server and no secrets.
type devTerminals struct {
	mu     sync.Mutex
	tokens map[string]string // by the digest of the terminal's secret
}

const mostDevTerminals = 100 // that nobody came for; after that all are forgotten

func (d *devTerminals) keep(sum []byte, token string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tokens == nil || len(d.tokens) >= mostDevTerminals {
		d.tokens = map[string]string{}
	}
	d.tokens[string(sum)] = token
}

// take is the token of the terminal with a secret, once.
func (d *devTerminals) take(secret string) (token string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := string(digest(sessionSecret, secret))
	token, ok = d.tokens[key]
	delete(d.tokens, key)
	return token, ok
}

// devTokenIn is the development token that let this request in; empty where it is
// anything else that did.
func (d *Door) devTokenIn(r *http.Request) string {
	cookie, err := r.Cookie(devCookie)
	v := visitorOf(r.Context())
	if err != nil || !d.dev() || v.session.ID != "" {
		return ""
	}
	if actor, err := readDevToken(d.cfg.DevKey, cookie.Value); err != nil || actor.ID != v.actor.ID {
		return ""
	}
	return cookie.Value
}

// takeTerminal ends the waiting of the terminal that shows a code, and returns the
// digest of its secret.
func (s *Store) takeTerminal(ctx context.Context, typed string) (sum []byte, err error) {
	code, ok := typedCode(typed)
	if !ok {
		return nil, noTerminal
	}
	err = s.db.InNone(ctx, func(tx pgx.Tx) error {
		const take = `delete from gavel_sys.terminal_request where code_sha256 = $1 and expires_at > $2 and org is null
			returning secret_sha256`
		err := tx.QueryRow(ctx, take, digest(terminalCode, code), s.typing()).Scan(&sum)
		if errors.Is(err, pgx.ErrNoRows) {
			return noTerminal
		}
		return err
	})
	return sum, err
}

// confirmDevTerminal lets a terminal act as a demonstration's somebody.
func (p pages) confirmDevTerminal(r *http.Request, token string) error {
	sum, err := p.store.takeTerminal(r.Context(), r.PostForm.Get("code"))
	if err != nil {
		return err
	}
	p.door.devTerminals.keep(sum, token)
	return nil
}

// claim is what a waiting terminal is answered.
func (p programs) claim(ctx context.Context, secret string) (token string, err error) {
	if p.door.dev() && len(secret) == secretLength {
		if token, ok := p.door.devTerminals.take(secret); ok {
			return token, nil
		}
	}
	return p.store.ClaimTerminal(ctx, secret)
}

// confirm lets the terminal whose code was typed act as who typed it.
func (p pages) confirm(r *http.Request) error {
	if err := p.door.typed.take(asker(r)); err != nil {
		return err
	}
	if token := p.door.devTokenIn(r); token != "" {
		return p.confirmDevTerminal(r, token)
	}
	s, err := requireSession(r.Context())
	if err != nil {
		return err
	}
	return p.store.confirmTerminal(r.Context(), s, r.PostForm.Get("code"))
}
