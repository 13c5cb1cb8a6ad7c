package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// How says who worded a version.
type How string

// Who words sections.
const (
	Templates How = "templates"
	Model     How = "model"
	Person    How = "person"
)

// A Version is what a section said, once.
type Version struct {
	Section string
	N       int
	How     How
	By      string
	Job     string // the drafting it comes from; empty: a person's words
	AskedBy string // who asked for that drafting
	Run     string // of the agent that worded it
	Dataset int
	Hash    string // of the text, as an outline knows it
	Text    string
	Entry   report.Entry // the facts it cites; of a person's words: those of the draft they changed
	At      time.Time
}

const versionColumns = `section, n, how, made_by, job, asked_by, run, dataset, hash, body, entry, made_at`

func scanVersion(row pgx.CollectableRow) (v Version, err error) {
	var entry []byte
	err = row.Scan(&v.Section, &v.N, &v.How, &v.By, &v.Job, &v.AskedBy, &v.Run, &v.Dataset, &v.Hash, &v.Text, &entry, &v.At)
	if err == nil {
		err = json.Unmarshal(entry, &v.Entry)
	}
	return v, err
}

// A FactsOf says of which sections facts are read: of one by its id, of all, or of none. A section rests on hundreds, and most who look at
// a report look at its texts.
type FactsOf string

// Facts of all sections, and of none.
const (
	AllFacts FactsOf = "*"
	NoFacts  FactsOf = ""
)

// overviewColumns are versionColumns, with the facts of those sections alone that $2 names.
var overviewColumns = strings.Replace(versionColumns, " entry,",
	" case when $2::text = '*' or section = $2 then entry else entry - 'facts' end,", 1)

// Newest is what each section of a report says now, by its id. Sections that nobody wrote are not there.
func Newest(ctx context.Context, tx pgx.Tx, report string, facts FactsOf) (map[string]Version, error) {
	newest := `select distinct on (section) ` + overviewColumns + ` from reportagent.version where report = $1 order by section, n desc`
	rows, _ := tx.Query(ctx, newest, report, string(facts))
	all, err := pgx.CollectRows(rows, scanVersion)
	out := map[string]Version{}
	for _, v := range all {
		out[v.Section] = v
	}
	return out, err
}

// Versions are those of a section, the newest first, without their facts.
func Versions(ctx context.Context, tx pgx.Tx, report, section string, limit int) ([]Version, error) {
	all := `select ` + overviewColumns + ` from reportagent.version where report = $1 and section = $4 order by n desc limit $3`
	rows, _ := tx.Query(ctx, all, report, string(NoFacts), limit, section)
	return pgx.CollectRows(rows, scanVersion)
}

// recordSection is the kind of the records of sections in the log.
const recordSection log.Kind = "reportagent_section"

// AddVersion writes what a section says from now on, if it says now what the writer saw: was is the number of that version, 0
// for none. What was written in between is never lost. The report's row is locked by the caller.
func AddVersion(ctx context.Context, tx pgx.Tx, actor identity.Actor, report string, v Version, was int) (Version, error) {
	var now int
	err := tx.QueryRow(ctx, `select coalesce(max(n), 0) from reportagent.version where report = $1 and section = $2`, report,
		v.Section).Scan(&now)
	if err != nil {
		return v, err
	}
	if now != was {
		return v, fault.New(fault.Stale, "section %.80q changed since it was read", v.Section).
			WithNext("read it again, and put your words into what it says now").Because("report_section_changed", "section", v.Section)
	}
	entry, err := json.Marshal(v.Entry)
	if err != nil {
		return v, fmt.Errorf("write the facts of section %s: %w", v.Section, err)
	}
	if err := refuseSigned(ctx, tx, report, v.Section); err != nil {
		return v, err
	}
	v.N, v.By = was+1, actor.ID
	if v.Job != "" {
		j, err := job.Get(ctx, tx, DraftJob, v.Job)
		if err != nil {
			return v, err
		}
		v.AskedBy = j.AskedBy
	}
	const insert = `insert into reportagent.version (org, report, ` + versionColumns + `)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`
	if _, err := tx.Exec(ctx, insert, actor.Org, report, v.Section, v.N, v.How, v.By, v.Job, v.AskedBy, v.Run, v.Dataset, v.Hash, v.Text,
		entry, v.At); err != nil {
		return v, err
	}
	_, err = log.Append(ctx, tx, log.Record{At: v.At, Kind: recordSection, App: Name, Actor: actor, Subject: report,
		Body: map[string]any{"section": v.Section, "version": v.N, "how": v.How, "hash": v.Hash, "dataset": v.Dataset, "run": v.Run}})
	return v, err
}

// A Standing is a report as it is now, with everything that counts of it.
type Standing struct {
	Report
	Data    Dataset
	Newest  map[string]Version
	Drafted map[string]Outcome // by section: of the newest drafting
	Signed  map[string]Signoff // by section
	Checks  []Check            // what sections have to mention
}

// MustMention is what every text of a section has to mention.
func (s Standing) MustMention(section string) (phrases []string) {
	for _, c := range s.Checks {
		if c.Section == section {
			phrases = append(phrases, c.Phrase)
		}
	}
	return phrases
}

// StandingIn reads a report as it is now, in as many queries whatever it holds.
func StandingIn(ctx context.Context, tx pgx.Tx, id string, facts FactsOf) (s Standing, err error) {
	if s.Report, err = ReportIn(ctx, tx, id); err != nil {
		return s, err
	}
	if s.Data, err = NewestDataset(ctx, tx, id); err != nil {
		return s, err
	}
	if s.Newest, err = Newest(ctx, tx, id, facts); err != nil {
		return s, err
	}
	if s.Drafted, err = outcomesOf(ctx, tx, id); err != nil {
		return s, err
	}
	if s.Signed, err = Signed(ctx, tx, id); err != nil {
		return s, err
	}
	s.Checks, err = Checks(ctx, tx, id)
	return s, err
}

// Standing reads a report as it is now, for who may read reports.
func (s *Store) Standing(ctx context.Context, actor identity.Actor, id string, facts FactsOf) (st Standing, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return st, err
	}
	return s.StandingOf(ctx, actor.Org, id, facts)
}

// StandingOf reads a report as it is now.
func (s *Store) StandingOf(ctx context.Context, org identity.Org, id string, facts FactsOf) (st Standing, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		st, err = StandingIn(ctx, tx, id, facts)
		return err
	})
	return st, err
}
