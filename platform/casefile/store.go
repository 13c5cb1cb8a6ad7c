package casefile

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the tables of cases; it builds on the outbox's and the log's.
func Migrations() postgres.MigrationSet { return postgres.Embedded("casefile", migrations) }

// A Config is what a Store needs. Nil Rules let nobody do anything.
type Config struct {
	DB    *postgres.DB
	Clock durable.Clock
	Rules *policy.Rules
	Kinds []Kind // how applications' cases are named and worked
}

// A Store keeps cases. It is safe for use by many goroutines.
type Store struct {
	db    *postgres.DB
	clock durable.Clock
	rules *policy.Rules
	kinds map[string]Kind
}

// NewStore keeps cases of the given kinds, and General ones always.
func NewStore(c Config) *Store {
	s := &Store{db: c.DB, clock: c.Clock, rules: c.Rules, kinds: map[string]Kind{}}
	for _, k := range append(slices.Clone(c.Kinds), General()) {
		s.kinds[k.App] = k
	}
	return s
}

// An Opening asks for a case.
type Opening struct {
	App   string
	Key   string
	Title string
	DueAt time.Time     // zero for no date
	DueIn time.Duration // from now on the installation's clock; zero for no date

	Subjects []seal.Subject // whom the case is about: erasing one of them blanks its title and every text in it
}

// Open opens a case, or returns the one that is open under the same key; opened
// says which. The row, its first entry and the message that starts its workflow
// are one transaction.
func (s *Store) Open(ctx context.Context, actor identity.Actor, o Opening) (c Case, opened bool, err error) {
	if err := s.rules.May(actor, "case.open"); err != nil {
		return Case{}, false, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		c, opened, err = s.OpenIn(ctx, tx, actor, o)
		return err
	})
	return c, opened, err
}

// OpenIn is Open in the caller's transaction and on its word: whether the actor
// may was asked before, of the caller's own act.
func (s *Store) OpenIn(ctx context.Context, tx pgx.Tx, actor identity.Actor, o Opening) (c Case, opened bool, err error) {
	now := s.clock.Now()
	draft, err := s.draft(actor.Org, o, now)
	if err != nil {
		return Case{}, false, err
	}
	if c, opened, err = s.insertOrFind(ctx, tx, draft); err != nil {
		return c, opened, err
	}
	if err := nameAll(ctx, tx, c, o.Subjects); err != nil || !opened {
		return c, opened, err
	}
	first := Entry{Kind: "opened", At: now, ActorKind: actor.Kind, ActorID: actor.ID, ActorName: actor.Name, Text: c.Title}
	if err := insertEntry(ctx, tx, c, "opened", first, nil); err != nil {
		return c, opened, err
	}
	start, err := s.start(c)
	if err != nil {
		return c, opened, err
	}
	return c, opened, outbox.AddStart(ctx, tx, c.Org, workflowID(c), start)
}

// start is what begins a case's workflow.
func (s *Store) start(c Case) (outbox.Start, error) {
	input, err := json.Marshal(Input{Org: c.Org, Case: c.ID, Clock: s.clock, Procedure: Procedure})
	return outbox.Start{Workflow: s.kinds[c.App].Workflow, Queue: c.App, Subject: string(c.ID), Input: input}, err
}

// draft checks an opening and makes the case it asks for.
func (s *Store) draft(org identity.Org, o Opening, now time.Time) (Case, error) {
	kind, known := s.kinds[o.App]
	if !known {
		return Case{}, fault.New(fault.Invalid, "no application is called %.40q", o.App)
	}
	if !keyForm.MatchString(o.Key) {
		return Case{}, fault.New(fault.Invalid, "key %.40q: use 1 to 120 of letters, digits and . _ : -, a letter or digit first", o.Key)
	}
	title, err := checkText("the title", o.Title, maxTitle)
	if err != nil {
		return Case{}, err
	}
	c := Case{Org: org, App: kind.App, Key: o.Key, Title: title, State: Open, Status: "opened", OpenedAt: now, Version: 1}
	due := o.DueAt
	if o.DueIn > 0 {
		due = now.Add(o.DueIn)
	}
	if !due.IsZero() {
		if !due.After(now) {
			return Case{}, fault.New(fault.Invalid, "the due date %s has passed", due.UTC().Format(time.RFC3339))
		}
		due = due.UTC()
		c.DueAt = &due
	}
	return c, nil
}

const caseColumns = `id, org, app, key, ref, case when erased_at is null then title else '` + ErasedText + `' end,
	state, status, waiting_for, due_at, opened_at, closed_at, version, erased_at`

// insertOrFind names a case and inserts it, or finds the one that is open under its
// key. That one may close between the two looks, and a name may be taken; then it
// is tried again, under another name.
func (s *Store) insertOrFind(ctx context.Context, tx pgx.Tx, draft Case) (c Case, opened bool, err error) {
	for range 10 {
		draft.ID = newCaseID(draft.OpenedAt)
		if draft.Ref, err = s.kinds[draft.App].ref(ctx, tx, draft); err != nil {
			return Case{}, false, err
		}
		if opened, err = insertCase(ctx, tx, draft); err != nil || opened {
			return draft, opened, err
		}
		if c, err = openCase(ctx, tx, draft.App, draft.Key); !errors.Is(err, pgx.ErrNoRows) {
			return c, false, err
		}
	}
	return Case{}, false, fault.New(fault.Unavailable, "cases under the key %s open and close at this very moment", draft.Key)
}

func insertCase(ctx context.Context, tx pgx.Tx, c Case) (bool, error) {
	const insert = `
		insert into gavel.case (id, org, app, key, ref, title, state, status, due_at, opened_at, version)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1)
		on conflict do nothing`
	tag, err := tx.Exec(ctx, insert, c.ID, c.Org, c.App, c.Key, c.Ref, c.Title, c.State, c.Status, c.DueAt, c.OpenedAt)
	if err != nil {
		return false, fmt.Errorf("insert case: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

func openCase(ctx context.Context, tx pgx.Tx, app, key string) (Case, error) {
	const one = `select ` + caseColumns + ` from gavel.case where app = $1 and key = $2 and state <> 'closed'`
	return collectCase(tx.Query(ctx, one, app, key))
}

// insertEntry adds the entry that made the case's present version, whom it is
// about and its record in the log, in one round trip.
func insertEntry(ctx context.Context, tx pgx.Tx, c Case, key string, e Entry, about []seal.Subject) error {
	e.Seq, e.Salt = c.Version, make([]byte, 16)
	_, _ = rand.Read(e.Salt) // never fails
	const insert = `
		insert into gavel.case_entry (org, case_id, seq, key, kind, at, actor_kind, actor_id, actor_name, body, salt)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
	var batch pgx.Batch
	batch.Queue(insert, c.Org, c.ID, e.Seq, key, e.Kind, e.At, e.ActorKind, e.ActorID, e.ActorName, e.Text, e.Salt)
	if err := nameLater(&batch, c, e.Seq, about); err != nil {
		return err
	}
	_, err := audit.AppendLater(&batch, audit.Record{
		At: e.At, Kind: audit.CaseStep, App: c.App, Subject: string(c.ID),
		Actor: identity.Actor{Kind: e.ActorKind, ID: e.ActorID, Org: c.Org},
		Body:  step{Seq: e.Seq, Kind: e.Kind, Digest: e.Digest(c.ID)},
	})
	if err == nil {
		err = tx.SendBatch(ctx, &batch).Close()
	}
	if err != nil {
		return fmt.Errorf("insert entry of %s: %w", c.ID, err)
	}
	return nil
}

// Announce tells open pages which cases have moved, for records that the log has
// just taken in. It goes with the log's own transaction, a few times a second at
// most: a transaction that notifies makes all others wait while it commits.
func Announce(b *pgx.Batch, orgs, records []string) {
	const notify = `
		select pg_notify('gavel_live', json_build_object('org', r.org, 'object', r.subject,
			'version', (r.json::json #>> '{body,seq}')::bigint)::text)
		from unnest($1::text[], $2::text[]) taken(org, id) join gavel.record r using (org, id)
		where r.kind = $3`
	b.Queue(notify, orgs, records, audit.CaseStep)
}

// A step is what the log says of an entry.
type step struct {
	Seq    int64  `json:"seq"`
	Kind   string `json:"step"`
	Digest string `json:"sha256"`
}

// Lookup reads a case by its id or by the ref people say.
func (s *Store) Lookup(ctx context.Context, org identity.Org, name string) (Case, error) {
	if id, err := ParseCaseID(name); err == nil {
		return s.Get(ctx, org, id)
	}
	const one = `select ` + caseColumns + ` from gavel.case where ref = upper($1)`
	return s.one(ctx, org, name, one)
}

// Get reads a case. One of another organisation is not found.
func (s *Store) Get(ctx context.Context, org identity.Org, id CaseID) (Case, error) {
	const one = `select ` + caseColumns + ` from gavel.case where id = $1`
	return s.one(ctx, org, string(id), one)
}

// Some reads cases by their ids. What is not there is left out.
func (s *Store) Some(ctx context.Context, org identity.Org, ids []CaseID) (map[CaseID]Case, error) {
	const some = `select ` + caseColumns + ` from gavel.case where id = any($1)`
	found := make(map[CaseID]Case, len(ids))
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, some, ids) // CollectRows reports Query's error too
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Case])
		for _, c := range all {
			found[c.ID] = c
		}
		return err
	})
	return found, err
}

func (s *Store) one(ctx context.Context, org identity.Org, name, query string) (c Case, err error) {
	if len(name) > 60 || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return Case{}, noSuchCase(name)
	}
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		c, err = collectCase(tx.Query(ctx, query, name))
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Case{}, noSuchCase(name)
	}
	return c, err
}

func noSuchCase(name string) error {
	return fault.New(fault.NotFound, "no case is called %.60q", name).
		WithNext("a case is called by its id, case_01K…, or its ref; see the list of cases")
}

func collectCase(rows pgx.Rows, _ error) (Case, error) { // CollectOneRow reports Query's error too
	return pgx.CollectOneRow(rows, pgx.RowToStructByPos[Case])
}

// A ListQuery narrows a list of cases.
type ListQuery struct {
	State  State  // empty for all
	App    string // empty for all
	Before CaseID // page token: cases opened before this one
	Limit  int    // 1 to 200; zero means 50
}

// List reads cases, newest first, and the token of the next page, empty when
// there is none.
func (s *Store) List(ctx context.Context, org identity.Org, q ListQuery) (cases []Case, next CaseID, err error) {
	limit, err := pageSize(q.Limit)
	if err != nil {
		return nil, "", err
	}
	if !slices.Contains([]State{"", Open, Waiting, Closed}, q.State) {
		return nil, "", fault.New(fault.Invalid, "no state is called %.20q; there are open, waiting and closed", q.State)
	}
	if _, known := s.kinds[q.App]; q.App != "" && !known {
		return nil, "", fault.New(fault.Invalid, "no application is called %.40q", q.App)
	}
	const page = `select ` + caseColumns + ` from gavel.case
		where ($1 = '' or state = $1) and ($2 = '' or app = $2) and ($3 = '' or id < $3)
		order by id desc limit $4`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, q.State, q.App, q.Before, limit+1)
		cases, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Case])
		return err
	})
	if len(cases) > limit {
		cases = cases[:limit]
		next = cases[limit-1].ID
	}
	return cases, next, err
}

// An EntryQuery narrows a case's history.
type EntryQuery struct {
	Before int64 // entries older than this number; zero for the newest
	Limit  int   // 1 to 200; zero means 50
}

// Entries reads a case's history, newest first.
func (s *Store) Entries(ctx context.Context, org identity.Org, id CaseID, q EntryQuery) (entries []Entry, err error) {
	limit, err := pageSize(q.Limit)
	if err != nil {
		return nil, err
	}
	const page = `select seq, kind, at, actor_kind, actor_id, coalesce(nullif(actor_name, ''), actor_id),
			case when erased_at is null then body else '` + ErasedText + `' end, salt, erased_at from gavel.case_entry
		where case_id = $1 and ($2::bigint = 0 or seq < $2) order by seq desc limit $3`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, id, q.Before, limit)
		entries, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Entry])
		return err
	})
	return entries, err
}

func pageSize(n int) (int, error) {
	switch {
	case n == 0:
		return 50, nil
	case n < 0 || n > 200:
		return 0, fault.New(fault.Invalid, "a page has 1 to 200 items, not %d", n)
	}
	return n, nil
}
