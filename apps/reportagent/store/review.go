package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Rating is what a reviewer thought of a version of a section, from 1 to 5.
type Rating struct {
	Section, Author                          string
	Version                                  int
	Accuracy, Completeness, Clarity, DataUse int
	Words                                    string
	At                                       time.Time
}

const ratingColumns = `section, author, version, accuracy, completeness, clarity, data_use, words, at`

// Rate keeps what somebody thinks of a version. A score of two or less says why.
func (s *Store) Rate(ctx context.Context, actor identity.Actor, report string, r Rating) error {
	if err := s.rules.May(actor, ActReview); err != nil {
		return err
	}
	if min(r.Accuracy, r.Completeness, r.Clarity, r.DataUse) <= 2 && r.Words == "" {
		return fault.New(fault.Invalid, "a score of two or less needs a sentence").WithNext("say what is wrong").
			Because("report_low_score")
	}
	const put = `insert into reportagent.rating (org, report, ` + ratingColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		on conflict (org, report, section, version, author) do update set accuracy = excluded.accuracy,
			completeness = excluded.completeness,
		clarity = excluded.clarity, data_use = excluded.data_use, words = excluded.words, at = excluded.at`
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, put, actor.Org, report, r.Section, actor.ID, r.Version, r.Accuracy, r.Completeness, r.Clarity, r.DataUse,
			Cut(r.Words, 2000), s.Now())
		return err
	})
}

// A Note is what a reviewer wants, and what became of it.
type Note struct {
	N          int
	Section    string
	Version    int
	Author     string
	Text       string
	At         time.Time
	Became     string // open, done or declined
	Answer     string
	InVersion  *int
	AnsweredBy string
	Verdict    string // the author's, on the answer: accepted or refused
}

const noteColumns = `n, section, version, author, body, at, became, answer, in_version, answered_by, verdict`

// AddNote keeps a note on the version of a section that somebody saw.
func (s *Store) AddNote(ctx context.Context, actor identity.Actor, report string, n Note) (Note, error) {
	if err := s.rules.May(actor, ActReview); err != nil {
		return n, err
	}
	n.Author, n.At, n.Became = actor.ID, s.Now(), "open"
	const insert = `insert into reportagent.note (org, report, n, section, version, author, body, at) values ($1, $2, $3, $4, $5, $6, $7, $8)`
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := LockReport(ctx, tx, report); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `select 1 + coalesce(max(n), 0) from reportagent.note where report = $1`,
			report).Scan(&n.N); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, insert, actor.Org, report, n.N, n.Section, n.Version, n.Author, n.Text, n.At)
		return err
	})
	return n, err
}

// AnswerNote says what became of a note: done in the newest version of its section, or declined with a reason.
func (s *Store) AnswerNote(ctx context.Context, actor identity.Actor, report, section string, n int, became, answer string) error {
	if err := s.rules.May(actor, ActWrite); err != nil {
		return err
	}
	if became != "done" && became != "declined" {
		return fault.New(fault.Invalid, "a note is done or declined, not %.40q", became).Because("form_stale")
	}
	if became == "declined" && answer == "" {
		return fault.New(fault.Invalid, "say why the note is not followed").Because("report_note_reason")
	}
	const done = `update reportagent.note t set became = $3, answer = $4, answered_by = $5, verdict = '', in_version = case
			when $3 = 'done' then
			(select max(v.n) from reportagent.version v where v.report = t.report and v.section = t.section) end
		where report = $1 and n = $2 and section = $6 and verdict <> 'accepted'`
	return s.oneNote(ctx, actor, done, report, n, became, Cut(answer, 2000), actor.ID, section)
}

// JudgeNote accepts or refuses the answer to somebody's own note. One that is refused is open again.
func (s *Store) JudgeNote(ctx context.Context, actor identity.Actor, report, section string, n int, verdict string) error {
	if err := s.rules.May(actor, ActReview); err != nil {
		return err
	}
	if verdict != "accepted" && verdict != "refused" {
		return fault.New(fault.Invalid, "an answer is accepted or refused, not %.40q", verdict).Because("form_stale")
	}
	const judged = `update reportagent.note set verdict = case when $4 = 'accepted' then 'accepted' else '' end,
			became = case when $4 = 'accepted' then became else 'open' end, in_version = case when $4 = 'accepted' then in_version end,
			answer = case when $4 = 'accepted' then answer else '' end
		where report = $1 and n = $2 and author = $3 and section = $5 and became <> 'open'`
	return s.oneNote(ctx, actor, judged, report, n, actor.ID, verdict, section)
}

// oneNote changes one note, and refuses where there is none to change.
func (s *Store) oneNote(ctx context.Context, actor identity.Actor, change, report string, args ...any) error {
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := ReportIn(ctx, tx, report); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, change, append([]any{report}, args...)...)
		if err == nil && tag.RowsAffected() == 0 {
			err = fault.New(fault.Conflict, "there is no such note, or it is not at that point").WithNext("read the section again").
				Because("report_note_state")
		}
		return err
	})
}

// Said is what reviewers said of a section: scores of its newest version, and all notes.
func Said(ctx context.Context, tx pgx.Tx, report, section string) (ratings []Rating, notes []Note, err error) {
	const scores = `select ` + ratingColumns + ` from reportagent.rating r where report = $1 and section = $2 and version =
		(select max(n) from reportagent.version v where v.report = r.report and v.section = r.section) order by author`
	rows, _ := tx.Query(ctx, scores, report, section)
	if ratings, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Rating]); err != nil {
		return nil, nil, err
	}
	rows, _ = tx.Query(ctx, `select `+noteColumns+` from reportagent.note where report = $1 and section = $2 order by n`, report, section)
	notes, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Note])
	return ratings, notes, err
}

// A Signoff is a section that was signed.
type Signoff struct {
	Section  string
	Version  int
	Hash     string
	Act      string
	Proposal string
	At       time.Time
}

const signoffColumns = `section, version, hash, act, proposal, at`

// Signed are the sections of a report that are signed, by section.
func Signed(ctx context.Context, tx pgx.Tx, report string) (map[string]Signoff, error) {
	rows, _ := tx.Query(ctx, `select `+signoffColumns+` from reportagent.signoff where report = $1 and reopened_at is null`, report)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Signoff])
	out := map[string]Signoff{}
	for _, one := range all {
		out[one.Section] = one
	}
	return out, err
}

// recordSignoff is the kind of the records of signatures in the log.
const recordSignoff log.Kind = "reportagent_signoff"

// Sign locks a version of a section: nothing is written in it any more, until newer data open it again.
func (s *Store) Sign(ctx context.Context, tx pgx.Tx, org identity.Org, report string, f Signoff) error {
	f.At = s.Now()
	const insert = `insert into reportagent.signoff (org, report, ` + signoffColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8)
		on conflict (org, act) do nothing`
	if _, err := tx.Exec(ctx, insert, org, report, f.Section, f.Version, f.Hash, f.Act, f.Proposal, f.At); err != nil {
		return err
	}
	_, err := log.Append(ctx, tx, log.Record{At: f.At, Kind: recordSignoff, App: Name, Actor: identity.Gavel(org), Subject: report,
		Body: map[string]any{"section": f.Section, "version": f.Version, "hash": f.Hash, "proposal": f.Proposal}})
	return err
}

// reopen opens signed sections again, and says why.
func (s *Store) reopen(ctx context.Context, tx pgx.Tx, org identity.Org, report string, why map[string]string) error {
	for _, section := range slices.Sorted(maps.Keys(why)) {
		reason := why[section]
		const open = `update reportagent.signoff set reopened_at = $3, why = $4 where report = $1 and section = $2 and reopened_at is null`
		tag, err := tx.Exec(ctx, open, report, section, s.Now(), Cut(reason, 1000))
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			continue
		}
		if _, err := log.Append(ctx, tx, log.Record{At: s.Now(), Kind: recordSignoff, App: Name, Actor: identity.Gavel(org),
			Subject: report,
			Body:    map[string]any{"section": section, "did": "reopened", "why": reason}}); err != nil {
			return err
		}
	}
	return nil
}

// refuseSigned refuses to write in a section that is signed.
func refuseSigned(ctx context.Context, tx pgx.Tx, report, section string) error {
	var version int
	err := tx.QueryRow(ctx, `select version from reportagent.signoff where report = $1 and section = $2 and reopened_at is null`, report,
		section).Scan(&version)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err == nil {
		err = fault.New(fault.Conflict, "version %d of section %.80q is signed, and locked", version, section).
			WithNext("newer data that change one of its numbers open it again").Because("report_section_signed", "section", section)
	}
	return err
}

// A History is everything that reviewers of a section go by.
type History struct {
	Versions []Version // the newest first
	Ratings  []Rating
	Notes    []Note
	Unsent   Unsent // what the reader typed and has not sent
	Read     int    // the version up to which the reader has read it; 0: none
}

// History reads it, for who may read reports.
func (s *Store) History(ctx context.Context, actor identity.Actor, report, section string, most int) (h History, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return h, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if h.Versions, err = Versions(ctx, tx, report, section, most); err != nil {
			return err
		}
		if h.Ratings, h.Notes, err = Said(ctx, tx, report, section); err != nil {
			return err
		}
		if h.Unsent, err = unsentOf(ctx, tx, report, section, actor.ID); err != nil {
			return err
		}
		const read = `select coalesce(max(version), 0) from reportagent.reading where report = $1 and section = $2 and reader = $3`
		return tx.QueryRow(ctx, read, report, section, actor.ID).Scan(&h.Read)
	})
	return h, err
}
