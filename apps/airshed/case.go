package airshed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/docket"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// cases says how cases are named and who works them.
func cases() casefile.Kind {
	return casefile.Kind{App: Name, RefPrefix: "CAQM", Workflow: CaseName, Ref: caseRef}
}

// caseRef names a case as its report is named: by the day in India it was opened on
// and a number that counts up, CAQM-2026-11-14-001.
func caseRef(ctx context.Context, tx pgx.Tx, c casefile.Case) (string, error) {
	day := "CAQM-" + c.OpenedAt.In(aqi.India()).Format("2006-01-02") + "-"
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, Name+"/"+string(c.Org)+"/"+day); err != nil {
		return "", err
	}
	var n int
	const last = `select coalesce(max(substring(ref from $2::int)::int), 0) + 1 from gavel.case where app = $1 and ref like $3 || '%'`
	err := tx.QueryRow(ctx, last, Name, len(day)+1, day).Scan(&n)
	return fmt.Sprintf("%s%03d", day, n), err
}

// caseKey is an episode's key as the key of a case, which has no @ in it.
func caseKey(key surge.Key) string { return strings.Replace(string(key), "@", ":", 1) }

// follow sees to what follows from an answer: a case for an episode that has none,
// word to the case it has.
func (s *Store) follow(ctx context.Context, tx pgx.Tx, org identity.Org, key surge.Key, g sighting) error {
	if s.cases == nil {
		return nil
	}
	id, err := caseOf(ctx, tx, key)
	if err != nil {
		return err
	}
	if id != "" {
		file, err := casefile.Lock(ctx, tx, id)
		if err != nil || file.State == casefile.Closed {
			return err
		}
		return s.cases.Rouse(ctx, tx, file)
	}
	since := g.episode.Start.Start().In(aqi.India()).Format("2 January 2006, 15:04 IST")
	file, _, err := s.cases.OpenIn(ctx, tx, identity.Gavel(org), casefile.Opening{App: Name, Key: caseKey(key), Title: "Surge at " + g.station + " since " + since})
	if err != nil {
		return fmt.Errorf("open the case of %s: %w", key, err)
	}
	_, err = tx.Exec(ctx, `insert into airshed.case (org, id, key, opened_at) values ($1, $2, $3, $4)`, org, file.ID, string(key), file.OpenedAt)
	return err
}

// caseOf is the case of an episode; none where there is none.
func caseOf(ctx context.Context, tx pgx.Tx, key surge.Key) (id casefile.CaseID, err error) {
	err = tx.QueryRow(ctx, `select id from airshed.case where key = $1`, string(key)).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// CaseOf is the case of an episode, for who may read episodes; none where there is
// none.
func (s *Store) CaseOf(ctx context.Context, actor identity.Actor, key surge.Key) (id casefile.CaseID, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return "", err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		id, err = caseOf(ctx, tx, key)
		return err
	})
	return id, err
}

// EpisodeOf is the episode a case is about, for who may read episodes.
func (s *Store) EpisodeOf(ctx context.Context, actor identity.Actor, id casefile.CaseID) (e Episode, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return e, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		e, err = episodeOfCase(ctx, tx, id)
		return err
	})
	return e, err
}

func episodeOfCase(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (Episode, error) {
	rows, _ := tx.Query(ctx, episodes+` where e.key = (select key from airshed.case where id = $1)`, id)
	e, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Episode])
	if errors.Is(err, pgx.ErrNoRows) {
		return e, fault.New(fault.NotFound, "case %.60q is about no episode", id)
	}
	return e, err
}

// AskAgain has the report of a case put before people once more: as it is, or drafted
// anew. It is for somebody who sees to what was sent back, undone or not submitted.
func (s *Store) AskAgain(ctx context.Context, actor identity.Actor, name string, renew bool) (file casefile.Case, err error) {
	if err := s.rules.May(actor, actAsk); err != nil {
		return file, err
	}
	if file, err = s.cases.Lookup(ctx, actor.Org, name); err != nil {
		return file, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		m := &matter{in: casefile.Input{Org: actor.Org, Case: file.ID}}
		if err := m.read(ctx, tx); err != nil {
			return err
		}
		file = m.file
		if err := m.mayAskAgain(renew); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `update airshed.case set attempt = attempt + 1, renew = renew or $2 where id = $1 and attempt < $3`, file.ID, renew, mostAttempts)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.Conflict, "people cannot be asked about case %s any more", file.Ref).WithNext("close the case, and say why")
		}
		text := "The report is to be put before people again."
		if renew {
			text = "The report is to be drafted anew and put before people."
		}
		_, _, err = casefile.Apply(ctx, tx, file.ID, casefile.Change{Key: fmt.Sprintf("ask:%d", file.Version), WaitingFor: file.WaitingFor,
			Entry: casefile.Entry{Kind: "air_asked_again", At: s.clock.Now(), ActorKind: actor.Kind, ActorID: actor.ID, ActorName: actor.Name, Text: text}})
		if err != nil {
			return err
		}
		return s.cases.Rouse(ctx, tx, file)
	})
	return file, err
}

// mayAskAgain says why people are not asked again about a case, and nothing where they
// may be.
func (m *matter) mayAskAgain(renew bool) error {
	ref := m.file.Ref
	nothing := func(r request) bool { return r.tool == toolNotice && r.became().CameToNothing() }
	switch {
	case m.file.State == casefile.Closed:
		return fault.New(fault.Conflict, "case %s has ended: %s", ref, strings.ReplaceAll(m.file.Status, "_", " "))
	case m.file.Status == casefile.StatusClosing:
		return fault.New(fault.Conflict, "case %s is being closed", ref)
	case m.asked() == docket.Under:
		return fault.New(fault.Conflict, "the report of case %s was approved, and is being filed", ref).WithNext("undo that first, while it can be: gavel undo")
	case m.filed() && (renew || !slices.ContainsFunc(m.requests, nothing)):
		return fault.New(fault.Conflict, "the report of case %s was filed", ref)
	case renew && m.maybe != 0:
		return fault.New(fault.Conflict, "the commission may have draft %d of the report of case %s", m.maybe, ref).WithNext("put that before people again, as it is")
	}
	return nil
}
