package concern

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A NewLink is what making a link takes.
type NewLink struct {
	Summary   string        // what was decided and why, in words for this person
	Facts     []fact.ID     // that they may see
	Proposals []string      // whose decisions they may see; only decided ones are shown
	Life      time.Duration // LeastLife to MostLife
}

var proposalForm = regexp.MustCompile(`^P-[1-9][0-9]{0,8}$`)

func (n *NewLink) check() (err error) {
	if n.Summary, err = checkText("the summary", n.Summary); err != nil {
		return err
	}
	slices.Sort(n.Facts)
	n.Facts = slices.Compact(n.Facts)
	slices.Sort(n.Proposals)
	n.Proposals = slices.Compact(n.Proposals)
	switch {
	case len(n.Facts) > MaxFacts || len(n.Proposals) > MaxProposals:
		return fault.New(fault.TooLarge, "a link shows at most %d facts and %d decisions", MaxFacts, MaxProposals).
			Because("link_shows", "facts", strconv.Itoa(MaxFacts), "proposals", strconv.Itoa(MaxProposals))
	case n.Life < LeastLife || n.Life > MostLife:
		return fault.New(fault.Invalid, "a link lasts between an hour and %d days", int(MostLife.Hours()/24)).
			Because("link_lasts", "n", strconv.Itoa(int(MostLife.Hours()/24)))
	}
	for _, id := range n.Facts {
		if id.Number() == 0 {
			return fault.New(fault.Invalid, "no fact is called %.20q", id).Because("nothing_called", "id", string(id))
		}
	}
	for _, id := range n.Proposals {
		if !proposalForm.MatchString(id) {
			return fault.New(fault.Invalid, "no proposal is called %.20q", id).Because("nothing_called", "id", string(id))
		}
	}
	return nil
}

// Make makes a link to a case and returns the token that goes into it. Only now:
// nobody can ask for it again. What it is to show must be there.
func (s *Store) Make(ctx context.Context, actor identity.Actor, id casefile.CaseID, n NewLink) (l Link, token string, err error) {
	if err := s.rules.May(actor, act); err != nil {
		return Link{}, "", err
	}
	if err := n.check(); err != nil {
		return Link{}, "", err
	}
	if err := s.allTheirs(ctx, actor.Org, id, n.Facts); err != nil {
		return Link{}, "", err
	}
	at, secret := s.now(), newSecret()
	l = Link{ID: newID("link_", at), Case: id, Summary: n.Summary, Facts: n.Facts, Proposals: n.Proposals, MadeBy: actor.ID, MadeAt: at,
		ExpiresAt: at.Add(n.Life)}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if err := allThere(ctx, tx, id, n, at); err != nil {
			return err
		}
		const insert = `insert into gavel.concern_link (org, id, case_id, secret_sha256, summary, facts, proposals, made_by, made_at,
			expires_at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
		_, err := tx.Exec(ctx, insert, actor.Org, l.ID, id, digest(secret), l.Summary, list(l.Facts), list(l.Proposals), l.MadeBy, at,
			l.ExpiresAt)
		if err != nil {
			return err
		}
		return record(ctx, tx, RecordLink, actor, at, string(id), map[string]any{"event": "made", "link": l.ID, "facts": list(l.Facts),
			"proposals": list(l.Proposals), "until": l.ExpiresAt.Format(time.RFC3339)})
	})
	if err == nil {
		token, err = s.seal(ticket{org: actor.Org, link: l.ID, secret: secret, until: l.ExpiresAt})
	}
	if err != nil {
		return Link{}, "", fmt.Errorf("make a link to %s: %w", id, err)
	}
	return l, token, nil
}

// allTheirs refuses facts that the application does not let the person see.
func (s *Store) allTheirs(ctx context.Context, org identity.Org, id casefile.CaseID, facts []fact.ID) error {
	one, err := s.cases.Get(ctx, org, id)
	if err != nil {
		return err
	}
	theirs, said, err := s.Theirs(ctx, one)
	if err != nil || !said {
		return err
	}
	for _, f := range facts {
		if !slices.Contains(theirs, f) {
			return fault.New(fault.Refused, "%.20s is not a fact that the person concerned may see", f).
				Because("fact_not_theirs", "id", string(f))
		}
	}
	return nil
}

// allThere refuses a link to a case that is not there, or that would show what is
// not.
func allThere(ctx context.Context, tx pgx.Tx, id casefile.CaseID, n NewLink, now time.Time) error {
	const look = `select c.ref,
			(select count(*) from gavel.concern_link l where l.case_id = c.id and l.revoked_at is null and l.expires_at > $4),
			(select f from unnest($2::text[]) f where not exists (select from gavel.fact x where x.case_id = c.id and x.id = f) limit 1),
			(select p from unnest($3::text[]) p where not exists (select from gavel.proposal x where x.case_id = c.id and x.id = p) limit 1)
		from gavel.case c where c.id = $1`
	var ref string
	var good int
	var noFact, noProposal *string
	err := tx.QueryRow(ctx, look, id, list(n.Facts), list(n.Proposals), now).Scan(&ref, &good, &noFact, &noProposal)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fault.New(fault.NotFound, "no case is called %.60q", id).Because("no_case", "id", string(id))
	case err != nil:
		return err
	case noFact != nil:
		return fault.New(fault.Invalid, "case %s has no fact %s", ref, *noFact).Because("nothing_called", "id", *noFact)
	case noProposal != nil:
		return fault.New(fault.Invalid, "case %s has no proposal %s", ref, *noProposal).Because("nothing_called", "id", *noProposal)
	case good >= mostLinks:
		return fault.New(fault.Conflict, "case %s has %d links already", ref, good).WithNext("revoke those that are no longer needed").
			Because("links_many", "ref", ref, "n", strconv.Itoa(good))
	}
	return nil
}

func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// list is a column's form of some ids; none is an empty list.
func list[S ~string](ids []S) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return out
}

func record(ctx context.Context, tx pgx.Tx, kind audit.Kind, actor identity.Actor, at time.Time, subject string,
	body map[string]any) error {
	_, err := audit.Append(ctx, tx, audit.Record{At: at, Kind: kind, Actor: actor, Subject: subject, Body: body})
	return err
}

// Revoke makes a link open nothing any more. Doing it again changes nothing.
func (s *Store) Revoke(ctx context.Context, actor identity.Actor, id casefile.CaseID, link string) error {
	if err := s.rules.May(actor, act); err != nil {
		return err
	}
	const revoke = `update gavel.concern_link set revoked_at = $3, revoked_by = $4 where id = $1 and case_id = $2 and revoked_at is null`
	at := s.now()
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, revoke, link, id, at, actor.ID)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			_, err := oneLink(ctx, tx, `id = $1 and case_id = $2`, link, id)
			return err
		}
		return record(ctx, tx, RecordLink, actor, at, string(id), map[string]any{"event": "revoked", "link": link})
	})
	if err != nil {
		return fmt.Errorf("revoke %.40s: %w", link, err)
	}
	return nil
}

const linkColumns = `select id, case_id, case when erased_at is null then summary else '` + casefile.ErasedText + `' end, facts, proposals,
	made_by, made_at, expires_at, revoked_at, erased_at from gavel.concern_link `

func oneLink(ctx context.Context, tx pgx.Tx, where string, args ...any) (Link, error) {
	rows, _ := tx.Query(ctx, linkColumns+`where `+where, args...)
	l, err := pgx.CollectOneRow(rows, pgx.RowToStructByPos[Link])
	if errors.Is(err, pgx.ErrNoRows) {
		return l, fault.New(fault.NotFound, "the case has no such link").Because("no_link")
	}
	return l, err
}

// MostListed bounds what Links and Objections list.
const MostListed = 100

// Links lists the links to a case, the newest first, for who may make them.
func (s *Store) Links(ctx context.Context, actor identity.Actor, id casefile.CaseID) (all []Link, err error) {
	if err := s.rules.May(actor, act); err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, linkColumns+`where case_id = $1 order by id desc limit $2`, id, MostListed)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Link])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list links to %s: %w", id, err)
	}
	return all, nil
}
