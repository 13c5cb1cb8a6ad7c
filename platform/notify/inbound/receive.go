package inbound

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
	"github.com/gavelhq/gavel/platform/seal"
)

// A mail is one on its way through Receive.
type mail struct {
	Delivery
	id      string
	sum     [sha256.Size]byte // of Raw
	letter  letter.Letter
	kind    letter.Kind
	finding Finding
	sender  seal.Subject // zero for a stranger
	verdict Verdict
	org     identity.Org
	about   []seal.Subject // whom it concerns
	files   []Attachment
}

// Receive takes a mail in. When it returns without an error the mail is kept, and
// whoever delivered it may forget it; after an error they deliver it again. A
// repeat, by the delivery's key or by the mail's own id and words, does nothing.
func (s *Store) Receive(ctx context.Context, d Delivery) (Receipt, error) {
	m := &mail{Delivery: d, id: newID(s.now()), sum: sha256.Sum256(d.Raw)}
	if before, ok := s.attempts.find(m.sum); ok {
		m.id = before.id
	}
	m.letter = letter.Parse(d.Raw)
	if d.Cut {
		m.letter = letter.Beginning(d.Raw)
	}
	if seen, err := s.seen(ctx, m.deliveryKey(), m.mailKey()); err != nil || seen {
		return Receipt{Duplicate: seen}, err
	}
	m.kind, _ = m.letter.Kind(s.c.Rules.own())
	if err := s.place(ctx, m); err != nil {
		return Receipt{}, fmt.Errorf("find the case of a mail: %w", err)
	}
	m.verdict = s.c.Rules.Judge(m.letter, m.kind, m.finding, m.sender != seal.Subject{})
	m.org = s.orgOf(m.finding)
	err := s.keep(ctx, m)
	if err == nil || errors.Is(err, errSeen) || errors.Is(err, seal.ErrErased) { // done, or under a key that is gone
		s.attempts.forget(m.sum)
	}
	if errors.Is(err, errSeen) {
		return Receipt{Duplicate: true}, nil
	}
	if err != nil {
		return Receipt{}, fmt.Errorf("keep a mail: %w", err)
	}
	return Receipt{ID: m.id, Org: m.org, Verdict: m.verdict}, nil
}

// place finds where a mail leads and whether its sender is known there. Only
// where neither address nor id leads anywhere is the subject looked at.
func (s *Store) place(ctx context.Context, m *mail) error {
	routes, err := s.c.Routes.Find(ctx, s.c.Rules.Keys(m.letter, m.kind))
	if err != nil {
		return err
	}
	m.finding = s.c.Rules.Find(m.letter, m.kind, routes)
	from := m.letter.From
	if m.kind == letter.Bounced || m.kind == letter.Delivered { // whom we wrote to, and whether it reached them
		from = ""
		if report := m.letter.About(); report != nil {
			from = report.Recipient
		}
	}
	if m.finding.Match != Nowhere {
		m.sender, err = s.who(ctx, m.finding.Place, from)
		return err
	}
	if m.finding.Several || m.kind != letter.Written || from == "" {
		return nil
	}
	return s.byTag(ctx, m)
}

// byTag matches by the reference in the subject, where exactly one case of that
// name knows the sender.
func (s *Store) byTag(ctx context.Context, m *mail) error {
	places, err := s.tagged(ctx, Tags(m.letter.Subject))
	if err != nil {
		return err
	}
	var found []Place
	for _, p := range places {
		who, err := s.who(ctx, p, m.letter.From)
		if err != nil {
			return err
		}
		if who != (seal.Subject{}) {
			found, m.sender = append(found, p), who
		}
	}
	switch len(found) {
	case 0:
	case 1:
		m.finding.Place, m.finding.Match = found[0], ByTag
	default:
		m.finding.Several, m.sender = true, seal.Subject{}
	}
	return nil
}

// mostTagged bounds the cases that are looked at for a reference. References
// have chance in them: two organisations with the same one are rare.
const mostTagged = 10

// tagged finds cases by their references, in every organisation. It is the one
// look past the walls beside the routes, and takes nothing but ids from there.
func (s *Store) tagged(ctx context.Context, tags []string) ([]Place, error) {
	if len(tags) == 0 {
		return nil, nil
	}
	const find = `select c.org, c.id from gavel_sys.organisation o join gavel.case c on c.org = o.org and c.ref = any($1)
		order by c.org, c.id limit $2`
	rows, err := s.c.System.Query(ctx, find, tags, mostTagged)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Place])
}

// who is the person behind an address, if we wrote to it in this case. An address
// that two of them share says nothing about which of them it is.
func (s *Store) who(ctx context.Context, p Place, addr string) (seal.Subject, error) {
	if s.c.Post == nil || addr == "" {
		return seal.Subject{}, nil
	}
	sent, err := s.c.Post.OfCase(ctx, p.Org, p.Case)
	if err != nil {
		return seal.Subject{}, err
	}
	var found seal.Subject
	err = s.c.DB.InOrg(ctx, p.Org, func(tx pgx.Tx) error {
		for _, one := range sent { // an address may have changed: all of them are theirs
			_, content, err := s.c.Post.Open(ctx, tx, p.Org, one.ID)
			if errors.Is(err, seal.ErrErased) {
				continue
			}
			if err != nil {
				return err
			}
			if !letter.SameAddress(content.Address, addr) {
				continue
			}
			who, err := seal.ParseSubject(one.Recipient)
			if err != nil {
				return err
			}
			if found != (seal.Subject{}) && found != who {
				found = seal.Subject{}
				return nil
			}
			found = who
		}
		return nil
	})
	return found, err
}

// orgOf is who keeps a mail: the organisation it leads to, if it leads to one.
func (s *Store) orgOf(f Finding) identity.Org {
	switch {
	case f.Place.Org != "":
		return f.Place.Org
	case len(f.Orgs) == 1:
		return f.Orgs[0]
	}
	return s.c.Postmaster
}

// errSeen says that a mail is there already.
var errSeen = errors.New("the mail is there already")

func (m *mail) deliveryKey() string {
	if m.Key == "" {
		return ""
	}
	return seenKey("delivery", m.Via+"\x00"+m.Key)
}

func (m *mail) mailKey() string {
	sum := m.letter.Fingerprint()
	return "mail:" + hex.EncodeToString(sum[:])
}

func (m *mail) idKey() string {
	if m.letter.MessageID == "" {
		return ""
	}
	return seenKey("id", m.letter.MessageID)
}

func seenKey(kind, text string) string {
	sum := sha256.Sum256([]byte(text))
	return kind + ":" + hex.EncodeToString(sum[:])
}

// Seen reports whether a delivery was taken in before, for who would have to
// fetch it first.
func (s *Store) Seen(ctx context.Context, via, key string) (bool, error) {
	m := mail{Delivery: Delivery{Via: via, Key: key}}
	return s.seen(ctx, m.deliveryKey())
}

func (s *Store) seen(ctx context.Context, keys ...string) (bool, error) {
	keys = slices.DeleteFunc(keys, func(k string) bool { return k == "" })
	rows, err := s.c.System.Query(ctx, `select count(*) from gavel_sys.mail_seen where key = any($1)`, keys)
	if err != nil {
		return false, err
	}
	n, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
	return n > 0, err
}

// markSeen writes down that a mail came in, and reports whether another came
// under its id before.
func (s *Store) markSeen(ctx context.Context, tx pgx.Tx, m *mail) (reused bool, err error) {
	const insert = `insert into gavel_sys.mail_seen (key, org, at) values ($1, $2, $3) on conflict do nothing`
	for _, key := range []string{m.deliveryKey(), m.mailKey(), m.idKey()} {
		if key == "" {
			continue
		}
		tag, err := tx.Exec(ctx, insert, key, m.org, s.now())
		switch {
		case err != nil:
			return false, fmt.Errorf("mark a mail as seen: %w", err)
		case tag.RowsAffected() > 0:
		case strings.HasPrefix(key, "id:"):
			reused = true
		default:
			return false, errSeen
		}
	}
	return reused, nil
}
