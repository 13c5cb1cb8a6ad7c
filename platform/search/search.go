// Package search finds cases, proposals, runs and what applications have by what people
// remember of them: an id, a reference, a name, or the beginnings of words of a title.
//
// It keeps a list of words beside the rows of other packages (migration 1), which
// comes and goes with their texts, and reads it in one statement. What applications have
// they are asked for themselves. Read Find, then Source.
package search

import (
	"context"
	"embed"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the list of words; it builds on cases, proposals and runs.
func Migrations() postgres.MigrationSet { return postgres.Embedded("search", migrations) }

// Bounds of a search.
const (
	MaxText  = 100  // characters
	MaxHits  = 20   // of each kind
	mostNear = 2000 // entries of the list that are looked through for the longest word
)

// A Kind is what was found.
type Kind string

// The kinds that every installation has; applications have their own.
const (
	Case     Kind = "case"
	Proposal Kind = "proposal"
	Run      Kind = "run"
)

// A Hit is one thing that was found, with what a line of a list says of it.
type Hit struct {
	Kind    Kind
	ID      string
	Ref     string // of its case; of what an application has, where it belongs: the van of a rider
	Title   string // of a case its title, of a proposal what it would do, of a run its agent
	Says    string // of what an application has, the message that stands for a title; empty: it has one
	App     string
	State   string    // of what an application has, the message that says it
	At      time.Time // when it came to be; zero where nobody asks that
	Exact   bool      // it is what was named, by its id or reference
	Address string    // the page of what an application has
}

// Found is the answer to a search, kind by kind: first those of which something was named by
// its id, then cases, what applications have, proposals and runs; the newest first within a kind.
// More says that not everything was looked through: the words are too common.
type Found struct {
	Hits []Hit
	More bool
}

// A Finder searches. It is safe for use by many goroutines.
type Finder struct {
	db      *postgres.DB
	rules   *policy.Rules
	sources []Source
}

// New makes a finder over cases, proposals, runs and what applications have.
func New(db *postgres.DB, rules *policy.Rules, sources ...Source) *Finder {
	return &Finder{db: db, rules: rules, sources: sources}
}

var (
	ulidForm   = regexp.MustCompile(`(?i)^(case|run)_([0-9a-hjkmnp-tv-z]{26})$`)
	numberForm = regexp.MustCompile(`(?i)^p-([1-9][0-9]{0,17})$`)
)

// Find looks for what an actor may see: the one thing whose id it is, whatever has
// words that begin with every word of the text, the proposals that wait in the
// cases found, their newest runs, and what applications have. Of a kind that the
// actor may not read nothing is found. Faults: Invalid for a text without a word or over MaxText.
func (f *Finder) Find(ctx context.Context, actor identity.Actor, text string) (found Found, err error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return found, fault.New(fault.Invalid, "write an id, a reference or a word to search for")
	case utf8.RuneCountInString(text) > MaxText:
		return found, fault.New(fault.Invalid, "what is searched for has at most %d characters", MaxText)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return found, fault.New(fault.Invalid, "what is searched for holds a character that no text has")
	}
	asks := may{cases: f.rules.May(actor, "case.read") == nil, proposals: f.rules.May(actor, "proposal.read") == nil,
		runs: f.rules.May(actor, "run.read") == nil}
	err = f.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, find, arguments(actor.Org, text, asks))
		found.Hits, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (h Hit, err error) {
			err = row.Scan(&h.Kind, &h.ID, &h.Ref, &h.Title, &h.App, &h.State, &h.At, &h.Exact, &found.More)
			h.At = h.At.UTC()
			return h, err
		})
		if err != nil {
			return err
		}
		theirs, err := f.ofApps(ctx, tx, actor, text)
		found.Hits = inOrder(found.Hits, theirs)
		return err
	})
	if err != nil {
		return Found{}, fmt.Errorf("search: %w", err)
	}
	return found, nil
}

// may is what somebody may read.
type may struct{ cases, proposals, runs bool }

func arguments(org identity.Org, text string, asks may) pgx.NamedArgs {
	return pgx.NamedArgs{"org": string(org), "text": text, "past": string(utf8.MaxRune), "most": mostNear, "limit": MaxHits,
		"id":    objectID(text),
		"cases": asks.cases, "proposals": asks.proposals, "runs": asks.runs}
}

// objectID spells an id as it is stored; empty where the text is none.
func objectID(text string) string {
	if m := ulidForm.FindStringSubmatch(text); m != nil {
		return strings.ToLower(m[1]) + "_" + strings.ToUpper(m[2])
	}
	if m := numberForm.FindStringSubmatch(text); m != nil {
		return "P-" + m[1]
	}
	return ""
}

// find is the whole search. near are the entries of the longest word, which has
// the fewest; hits are those of them that have every other word as well, by the
// list's own key.
const find = `
	with typed as (
		select w as word, row_number() over (order by length(w) desc, w) as nth from gavel_sys.words_of(@text) w order by 2 limit 8),
	near as (
		select n.kind, n.object from typed t cross join lateral (
			select w.kind, w.object from gavel.word w where w.org = @org and w.word >= t.word and w.word < t.word || @past limit @most) n
		where t.nth = 1 and @id = ''),
	hits as (
		select distinct n.kind, n.object from near n where not exists (
			select from typed t where t.nth > 1 and not exists (
				select from gavel.word w where w.org = @org and w.kind = n.kind and w.object = n.object and w.word >= t.word
				and w.word < t.word || @past))),
	cases as (
		select c.*, c.id = @id or lower(c.ref) = lower(@text) as exact
		from (select object from hits where kind = 'case' union select @id where @id like 'case\_%') i(id) join gavel.case c on c.org = @org
		and c.id = i.id
		where @cases order by exact desc, c.id desc limit @limit),
	proposals as (
		select p.*, p.id = @id as exact
		from (select object from hits where kind = 'proposal' union select @id where @id like 'P-%' union
			select w.id from cases c join gavel.proposal w on w.org = @org and w.case_id = c.id and w.state = 'open') i(id)
			join gavel.proposal p on p.org = @org and p.id = i.id
		where @proposals order by exact desc, p.state = 'open' desc, p.n desc limit @limit),
	runs as (
		select r.*, r.id = @id as exact
		from (select @id where @id like 'run\_%' union
			select w.id from cases c join gavel.run w on w.org = @org and w.case_id = c.id) i(id)
			join gavel.run r on r.org = @org and r.id = i.id
		where @runs order by exact desc, r.id desc limit @limit),
	found as (
		select 1 as place, 'case' as kind, c.id, c.ref, case when c.erased_at is null then c.title
		else '` + casefile.ErasedText + `' end as title,
			c.app, c.state, c.opened_at as at, c.exact, c.id as newest, 0::bigint as n from cases c
		union all
		select 2, 'proposal', p.id, coalesce(k.ref, ''), p.line, p.app, p.state, p.created_at, p.exact, '', p.n
			from proposals p left join gavel.case k on k.org = p.org and k.id = p.case_id
		union all
		select 3, 'run', r.id, coalesce(k.ref, ''), r.agent, r.app, r.state, r.started_at, r.exact, r.id, 0
			from runs r left join gavel.case k on k.org = r.org and k.id = r.case_id)
	select kind, id, ref, title, app, state, at, exact, (select count(*) from near) >= @most
	from found order by place, exact desc, newest desc, n desc`
