package signin

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// mostTools is how many sign-ins for tools may last in one sign-in. The oldest
// gives way: a program that is started anew begins another and does not end its
// last.
const mostTools = 20

// IsSession reports whether a token is a person's own sign-in, which must not be
// given to a program: it could decide with it.
func IsSession(token string) bool { return strings.HasPrefix(token, sessionPrefix) }

// beginTools makes a sign-in for a program that uses tools in a person's name. It
// has their roles and lasts as long as the sign-in it is made in; what it may do
// with them is to read and to propose.
func (s *Store) beginTools(ctx context.Context, from Session, label string) (c credential, err error) {
	if from.Actor.Viewing != "" || from.Kind != browserKind && from.Kind != terminalKind {
		return c, fault.New(fault.Refused, "tools are let in from a browser or a terminal, by who you are yourself").WithNext("gavel login")
	}
	if err := s.rules.May(from.Actor, "mcp.use"); err != nil {
		return c, err
	}
	if label, err = text("the program's name", label, mostLabel); err != nil {
		return c, err
	}
	at, org := s.now(), from.Actor.Org
	c = credential{org: org, secret: newSecret()}
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		const room = `
			update gavel.session set ended_at = $3 where org = $1 and id in (
				select id from gavel.session where org = $1 and parent = $2 and ended_at is null order by began_at desc, id desc offset $4)`
		if _, err := tx.Exec(ctx, room, org, from.ID, at, mostTools-1); err != nil {
			return err
		}
		n := newSession{kind: toolsKind, person: from.Actor.ID, roles: from.Held, orgs: []identity.Org{org}, label: label, parent: from.ID,
			ends: from.EndsAt}
		id, err := n.insert(ctx, tx, org, c.secret, at)
		if err != nil {
			return err
		}
		return onRecord(ctx, tx, RecordSignIn, from.Actor, at, id, event{Event: "began", How: toolsKind, Roles: roleNames(from.Held)})
	})
	if err != nil {
		return credential{}, fmt.Errorf("let tools in: %w", err)
	}
	return c, nil
}

// beginTools answers a terminal that starts a program.
func (p programs) beginTools(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Name string `json:"name"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	from, err := requireSession(r.Context())
	if err != nil {
		return err
	}
	c, err := p.store.beginTools(r.Context(), from, in.Name)
	if err != nil {
		return err
	}
	return write(w, http.StatusCreated, struct {
		Token  string    `json:"token"`
		EndsAt time.Time `json:"ends_at"`
	}{sessionPrefix + c.String(), from.EndsAt.UTC()})
}
