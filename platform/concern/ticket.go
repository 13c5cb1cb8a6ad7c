package concern

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A ticket is what a link's token says. It names the organisation so that its row
// is looked for behind that wall and no other.
type ticket struct {
	org    identity.Org
	link   string
	secret string
	until  time.Time // to the second
}

const (
	purpose  = "concern-link"
	maxToken = 400 // bytes of a token that is looked at
)

func (s *Store) seal(t ticket) (string, error) {
	return s.keys.SealText(purpose, strings.Join([]string{string(t.org), t.link, t.secret, strconv.FormatInt(t.until.Unix(), 36)}, " "))
}

// errNone is all that is ever said of a link that opens nothing: one that was
// forged, has ended, was revoked, or is for another case.
func errNone() error {
	return fault.New(fault.NotFound, "this link opens nothing, or nothing any more").
		WithNext("check that you have the whole of it, or ask the office that gave it to you").Because("link_dead")
}

// read is the ticket of a token that was signed here and has not ended. It asks
// no database.
func (s *Store) read(token string) (t ticket, err error) {
	if len(token) > maxToken {
		return t, errNone()
	}
	text, err := s.keys.OpenText(purpose, token)
	parts := strings.Split(text, " ")
	if err != nil || len(parts) != 4 {
		return t, errNone()
	}
	until, err := strconv.ParseInt(parts[3], 36, 64)
	if err != nil || !s.now().Before(time.Unix(until, 0)) {
		return t, errNone()
	}
	t = ticket{link: parts[1], secret: parts[2], until: time.Unix(until, 0).UTC()}
	if t.org, err = identity.ParseOrg(parts[0]); err != nil {
		return t, errNone()
	}
	return t, nil
}

// A Visit is what a link opens.
type Visit struct {
	Org        identity.Org
	Link       Link
	Case       casefile.Case
	Objections []Objection // over this link, the oldest first
}

// Waits is the objection that nobody has answered yet; nil if there is none.
func (v Visit) Waits() *Objection {
	for i := range v.Objections {
		if v.Objections[i].AnsweredAt == nil && v.Objections[i].ErasedAt == nil {
			return &v.Objections[i]
		}
	}
	return nil
}

// LinkOf names the link of a token without asking whether it still opens
// anything, to bound how often one is used; empty for one that was not signed
// here, or has ended.
func (s *Store) LinkOf(token string) string {
	t, err := s.read(token)
	if err != nil {
		return ""
	}
	return t.link
}

// Open reads what a link shows. ref is the case's, as the person has it. It
// changes nothing.
func (s *Store) Open(ctx context.Context, ref, token string) (v Visit, err error) {
	t, err := s.read(token)
	if err != nil {
		return Visit{}, err
	}
	err = s.db.InOrg(ctx, t.org, func(tx pgx.Tx) error {
		if v.Link, err = s.admit(ctx, tx, t); err != nil {
			return err
		}
		v.Objections, err = objections(ctx, tx, `where link = $1 order by id limit $2`, t.link, MostListed)
		return err
	})
	if err != nil {
		return Visit{}, fmt.Errorf("open a link: %w", err)
	}
	v.Org = t.org
	if v.Case, err = s.cases.Get(ctx, t.org, v.Link.Case); err != nil {
		return Visit{}, err
	}
	if !strings.EqualFold(v.Case.Ref, ref) {
		return Visit{}, errNone()
	}
	return v, nil
}

// admit finds the link of a ticket, if it opens something now.
func (s *Store) admit(ctx context.Context, tx pgx.Tx, t ticket) (l Link, err error) {
	var kept []byte
	err = tx.QueryRow(ctx, `select secret_sha256 from gavel.concern_link where id = $1`, t.link).Scan(&kept)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && subtle.ConstantTimeCompare(kept, digest(t.secret)) != 1 {
		return Link{}, errNone()
	}
	if err != nil {
		return Link{}, err
	}
	if l, err = oneLink(ctx, tx, `id = $1`, t.link); err != nil {
		return Link{}, err
	}
	if !l.Good(s.now()) {
		return Link{}, errNone()
	}
	return l, nil
}
