package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/brief"
	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// recordBriefing is the kind of the records of briefings in the log.
const recordBriefing log.Kind = "netra_briefing"

// BriefingCase begins the key of a case on which an agent words a briefing.
const BriefingCase = "briefing:"

// A BriefingState says who worded a briefing.
type BriefingState string

// The states. All but the second are ends.
const (
	ByCode       BriefingState = "code"    // nobody else is asked
	WordingAsked BriefingState = "asked"   // code's words are there, and an agent is at it
	ByModel      BriefingState = "worded"  // some of a model's sentences hold, beside code's
	WordsRefused BriefingState = "refused" // none does: code's stand alone
)

// A Briefing is what was said of a district to somebody who asked.
type Briefing struct {
	ID       string
	LGD      int
	Hours    int
	Lang     reason.Lang
	Question string // empty: a whole briefing
	Basis    []byte // JSON, of which the facts are read
	Lines    []brief.Line
	State    BriefingState
	Worded   []string
	Run      string
	Case     casefile.CaseID
	AskedBy  string
	AskedAt  time.Time
	EndedAt  *time.Time
}

const briefingColumns = `id, lgd, window_hours, lang, question, basis, lines, state, worded, run, case_id, asked_by, asked_at, ended_at`

func scanBriefing(row pgx.CollectableRow) (b Briefing, err error) {
	var basis string
	var lines, worded []byte
	err = row.Scan(&b.ID, &b.LGD, &b.Hours, &b.Lang, &b.Question, &basis, &lines, &b.State, &worded, &b.Run, &b.Case, &b.AskedBy,
		&b.AskedAt, &b.EndedAt)
	b.Basis, b.AskedAt = []byte(basis), b.AskedAt.UTC()
	return b, errors.Join(err, unmarshal(lines, &b.Lines), unmarshal(worded, &b.Worded))
}

// unmarshal is json.Unmarshal of what may not have been read.
func unmarshal(raw []byte, to any) error {
	if raw == nil {
		return nil
	}
	return json.Unmarshal(raw, to)
}

// MostBriefings is how many somebody may ask for in an hour.
const MostBriefings = 60

// AddBriefing writes a briefing down. The title is that of the case on which an agent words it; empty: none does.
func (s *Store) AddBriefing(ctx context.Context, actor identity.Actor, b Briefing, title string) (Briefing, error) {
	if err := s.rules.May(actor, ActBrief); err != nil {
		return b, err
	}
	b.ID, b.AskedBy, b.AskedAt, b.State = newID("NBR"), actor.ID, s.Now(), ByCode
	b.EndedAt = &b.AskedAt
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var asked int
		const before = `select count(*) from netra.briefing where asked_by = $1 and asked_at > $2`
		if err := tx.QueryRow(ctx, before, actor.ID, b.AskedAt.Add(-time.Hour)).Scan(&asked); err != nil {
			return err
		}
		if asked >= MostBriefings {
			return fault.New(fault.TooMany, "you asked for %d briefings in an hour", asked).WithNext("ask again later")
		}
		if title != "" {
			file, _, err := s.cases.OpenIn(ctx, tx, identity.Gavel(actor.Org),
				casefile.Opening{App: Name, Key: BriefingCase + b.ID, Title: title})
			if err != nil {
				return err
			}
			b.Case, b.State, b.EndedAt = file.ID, WordingAsked, nil
		}
		return s.insertBriefing(ctx, tx, actor, b)
	})
	return b, err
}

func (s *Store) insertBriefing(ctx context.Context, tx pgx.Tx, actor identity.Actor, b Briefing) error {
	lines, err := json.Marshal(b.Lines)
	if err != nil {
		return err
	}
	const insert = `insert into netra.briefing (org, id, lgd, window_hours, lang, question, basis, lines, state, case_id, asked_by, asked_at,
		ended_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`
	if _, err := tx.Exec(ctx, insert, actor.Org, b.ID, b.LGD, b.Hours, b.Lang, b.Question, string(b.Basis), lines, b.State, b.Case,
		b.AskedBy, b.AskedAt, b.EndedAt); err != nil {
		return fmt.Errorf("write briefing %s down: %w", b.ID, err)
	}
	_, err = log.Append(ctx, tx, log.Record{At: b.AskedAt, Kind: recordBriefing, App: Name, Actor: actor, Subject: b.ID,
		Body: map[string]any{"did": "asked", "district_lgd": b.LGD, "window_hours": b.Hours}})
	return err
}

// Briefing reads one.
func (s *Store) Briefing(ctx context.Context, actor identity.Actor, id string) (b Briefing, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return b, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		b, err = briefingBy(ctx, tx, `id = $1`, id)
		return err
	})
	return b, err
}

// BriefingOfCase is the briefing that is worded on a case; its row is locked.
func BriefingOfCase(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (Briefing, error) {
	return briefingBy(ctx, tx, `case_id = $1 for no key update`, string(id))
}

func briefingBy(ctx context.Context, tx pgx.Tx, which, what string) (Briefing, error) {
	rows, _ := tx.Query(ctx, `select `+briefingColumns+` from netra.briefing where `+which, what)
	b, err := pgx.CollectExactlyOneRow(rows, scanBriefing)
	if errors.Is(err, pgx.ErrNoRows) {
		return b, fault.New(fault.NotFound, "no briefing is called %.60q", what).Because("nothing_called", "id", what)
	}
	return b, err
}

// ListedAt is where it stands in the list.
func (b Briefing) ListedAt() Cursor { return Cursor{At: b.AskedAt, ID: b.ID} }

// Briefings lists them, the newest first; of one district, or of all where its code is 0.
func (s *Store) Briefings(ctx context.Context, actor identity.Actor, lgd int, after Cursor, most int) (all []Briefing, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = `select ` + briefingColumns + ` from netra.briefing where ($1 = 0 or lgd = $1)
		and ($2::timestamptz is null or (asked_at, id) < ($2, $3)) order by asked_at desc, id desc limit $4`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, lgd, after.Moment(), after.ID, most)
		all, err = pgx.CollectRows(rows, scanBriefing)
		return err
	})
	return all, err
}

// A Draft is what a model handed in.
type Draft struct {
	N     int
	Body  string
	Found int // sentences that do not hold
	At    time.Time
}

// AddDraft keeps one, as it was.
func AddDraft(ctx context.Context, tx pgx.Tx, org identity.Org, briefing string, d Draft) error {
	_, err := tx.Exec(ctx, `insert into netra.draft (org, briefing, n, body, found, at) values ($1, $2, $3, $4, $5, $6)`, org, briefing, d.N,
		d.Body, d.Found, d.At)
	return err
}

// Drafts are those of a briefing, the oldest first.
func Drafts(ctx context.Context, tx pgx.Tx, briefing string) ([]Draft, error) {
	rows, _ := tx.Query(ctx, `select n, body, found, at from netra.draft where briefing = $1 order by n`, briefing)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Draft])
}

// Progress is what was handed in for a briefing so far, for who may read it.
func (s *Store) Progress(ctx context.Context, actor identity.Actor, briefing string) (all []Draft, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		all, err = Drafts(ctx, tx, briefing)
		return err
	})
	return all, err
}

// MostDrafts is how often a model hands a briefing in: once, and twice after it was told what does not hold.
const MostDrafts = 3

// EndBriefing says what became of the wording of a briefing, once.
func EndBriefing(ctx context.Context, tx pgx.Tx, id string, held []string, run string, at time.Time) error {
	state := ByModel
	if len(held) == 0 {
		state, held = WordsRefused, []string{}
	}
	worded, err := json.Marshal(held)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `update netra.briefing set state = $2, worded = $3, run = $4, ended_at = $5 where id = $1 and state = 'asked'`, id, state,
		worded, run, at)
	return err
}
