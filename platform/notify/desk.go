package notify

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// A Reader is somebody with an account, and where mail to them goes.
type Reader struct {
	ID, Name, Address string
}

// A DeskConfig is what a Desk needs.
type DeskConfig struct {
	Post   *Post
	DB     *postgres.DB
	System *postgres.System // finds who is to be told, in every organisation
	Clock  durable.Clock
	// People finds whom a notice is for, "person:<id>" or "role:<role>", in the
	// caller's transaction; at most a few hundred. Nobody is no fault.
	People func(ctx context.Context, tx pgx.Tx, to string) ([]Reader, error)
	Public string // base address of the pages that mails point to
	// Proposal is the address of a proposal's page, as everybody builds it.
	Proposal func(id string) string
	Logger   *slog.Logger
}

// A Desk tells people with accounts, by mail, what a notice says: at once or once a
// day, never in their quiet hours. A mail of it says which proposal and nothing
// about anybody; the page behind the link asks who is there and for a button.
type Desk struct{ DeskConfig }

// NewDesk makes a desk.
func NewDesk(c DeskConfig) *Desk {
	c.Public = strings.TrimRight(c.Public, "/")
	return &Desk{c}
}

// TellInterval is how often to give Run its tick.
const TellInterval = 2 * time.Second

// Notice takes a notice in the transaction that makes it: whoever wants to be told
// by mail will be.
func (d *Desk) Notice(ctx context.Context, tx pgx.Tx, n review.Notice) error {
	readers, err := d.People(ctx, tx, n.To)
	if err != nil {
		return fmt.Errorf("find whom to tell: %w", err)
	}
	zone, _, err := house(ctx, tx, n.Org)
	if err != nil {
		return err
	}
	for _, r := range readers {
		if !ValidMailbox(r.Address) {
			continue
		}
		w, err := readWishes(ctx, tx, n.Org, r.ID)
		if err != nil {
			return err
		}
		way := w.Ways[n.Kind]
		if way == "" || way == Off || w.OnlyMine && strings.HasPrefix(n.To, "role:") {
			continue
		}
		const insert = `insert into gavel.notice_due (org, notice, person, way, due_at) values ($1, $2, $3, $4, $5) on conflict do nothing`
		if _, err := tx.Exec(ctx, insert, n.Org, n.Key, r.ID, way, w.When(way, d.Clock.Now(), zone).UTC()); err != nil {
			return fmt.Errorf("note whom to tell: %w", err)
		}
	}
	return nil
}

// Taker is Notice for who hands notices over; nil, as where nobody does, of no desk.
func (d *Desk) Taker() func(context.Context, pgx.Tx, review.Notice) error {
	if d == nil {
		return nil
	}
	return d.Notice
}

// house is an organisation's zone and first language.
func house(ctx context.Context, tx pgx.Tx, org identity.Org) (*time.Location, string, error) {
	var zone, language string
	if err := tx.QueryRow(ctx, `select zone, languages[1] from gavel_sys.organisation where org = $1`, org).
		Scan(&zone, &language); err != nil {
		return nil, "", fmt.Errorf("read the organisation: %w", err)
	}
	where, err := time.LoadLocation(zone)
	return where, language, err
}

// Run tells who is due, at every tick, until the context ends. Trouble is logged
// and tried again.
func (d *Desk) Run(ctx context.Context, tick <-chan time.Time) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
		}
		if _, err := d.Pass(ctx); err != nil && ctx.Err() == nil {
			d.Logger.ErrorContext(ctx, "people cannot be told what is due", "error", err)
		}
	}
}

// atOnce is how many people are told in one pass.
const atOnce = 100

// Pass tells who is due and says how many people it told.
func (d *Desk) Pass(ctx context.Context) (told int, err error) {
	const due = `select org, person from gavel.notice_due where told_at is null and due_at <= $1 group by org, person order by min(due_at)
		limit $2`
	rows, err := d.System.Query(ctx, due, d.Clock.Now(), atOnce)
	if err != nil {
		return 0, err
	}
	type one struct {
		Org    identity.Org
		Person string
	}
	people, err := pgx.CollectRows(rows, pgx.RowToStructByPos[one])
	if err != nil {
		return 0, err
	}
	for _, p := range people {
		if err := d.DB.InOrg(ctx, p.Org, func(tx pgx.Tx) error { return d.tell(ctx, tx, p.Org, p.Person) }); err != nil {
			if err := d.later(ctx, p.Org, p.Person, err); err != nil {
				return told, err
			}
			continue
		}
		told++
	}
	return told, nil
}

// troubled is how long somebody waits who could not be told, so that they keep
// nobody else from it.
const troubled = 10 * time.Minute

func (d *Desk) later(ctx context.Context, org identity.Org, person string, why error) error {
	d.Logger.ErrorContext(ctx, "somebody could not be told what is due; it is tried again", "person", person, "error", why)
	const put = `update gavel.notice_due set due_at = $3 where org = $1 and person = $2 and told_at is null and due_at <= $4`
	return d.DB.InOrg(ctx, org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, put, org, person, d.Clock.Now().Add(troubled), d.Clock.Now())
		return err
	})
}

// mostInOne is how much one digest lists. The rest comes with the next pass.
const mostInOne = 50

// tell writes the mails to one person: one for each notice that is told at once,
// and one for all the others.
func (d *Desk) tell(ctx context.Context, tx pgx.Tx, org identity.Org, person string) error {
	const open = `select n.org, n.key, n.recipient, n.kind, n.proposal, n.case_id, n.at, d.way
		from gavel.notice_due d join gavel.notice n on n.org = d.org and n.key = d.notice
		where d.org = $1 and d.person = $2 and d.told_at is null and d.due_at <= $3 order by n.at, n.key limit $4
		for update of d skip locked`
	rows, _ := tx.Query(ctx, open, org, person, d.Clock.Now(), mostInOne)
	type item struct {
		review.Notice
		Way Way
	}
	items, err := pgx.CollectRows(rows, pgx.RowToStructByPos[item])
	if err != nil || len(items) == 0 {
		return err
	}
	var digest []review.Notice
	for _, it := range items {
		if it.Way == Digest {
			digest = append(digest, it.Notice)
			continue
		}
		if err := d.mail(ctx, tx, org, person, Now, []review.Notice{it.Notice}); err != nil {
			return err
		}
	}
	return d.mail(ctx, tx, org, person, Digest, digest)
}

// mail queues one mail about some notices, and marks them as told. Who has no
// address by now is told on pages alone.
func (d *Desk) mail(ctx context.Context, tx pgx.Tx, org identity.Org, person string, way Way, about []review.Notice) error {
	if len(about) == 0 {
		return nil
	}
	readers, err := d.People(ctx, tx, "person:"+person)
	if err != nil {
		return err
	}
	keys := make([]string, len(about))
	for i, n := range about {
		keys[i] = n.Key
	}
	id := ""
	if len(readers) == 1 && ValidMailbox(readers[0].Address) {
		m, err := d.queue(ctx, tx, org, readers[0], way, about, keys)
		if err != nil {
			return err
		}
		id = m.ID
	}
	const told = `update gavel.notice_due set told_at = $4, mail = $5 where org = $1 and person = $2 and notice = any($3)`
	_, err = tx.Exec(ctx, told, org, person, keys, d.Clock.Now(), id)
	return err
}

func (d *Desk) queue(ctx context.Context, tx pgx.Tx, org identity.Org, to Reader, way Way, about []review.Notice,
	keys []string) (Mail, error) {
	w, err := readWishes(ctx, tx, org, to.ID)
	if err != nil {
		return Mail{}, err
	}
	language := w.Language
	if language == "" {
		if _, language, err = house(ctx, tx, org); err != nil {
			return Mail{}, err
		}
	}
	ids := make([]string, len(about))
	for i, n := range about {
		ids[i] = n.Proposal
	}
	found, err := review.FindingsIn(ctx, tx, org, ids...)
	if err != nil {
		return Mail{}, err
	}
	subject, text := d.words(language, way, about, found)
	// The digest of what it is about makes the key: the same notices are one mail.
	key := fmt.Sprintf("notice/%s/%s/%s", way, to.ID, act.Digest([]byte(strings.Join(slices.Sorted(slices.Values(keys)), "\n")))[:32])
	return d.Post.Queue(ctx, tx, identity.Gavel(org), Letter{Key: key, Kind: "notice_" + string(way), To: seal.Subject{Type: casefile.Staff,
		ID: to.ID},
		Address: to.Address, Name: to.Name, Language: spoken(language), Subject: subject, Text: text, Because: "notice:" +
			strings.Trim(opaque.ReplaceAllString(about[0].Key, "-"), "-")})
}

// PeopleFrom makes what a desk asks for people of what another package knows about
// them.
func PeopleFrom[P any](find func(ctx context.Context, tx pgx.Tx, to string) ([]P, error), as func(P) Reader) func(context.Context, pgx.Tx,
	string) ([]Reader, error) {
	return func(ctx context.Context, tx pgx.Tx, to string) ([]Reader, error) {
		found, err := find(ctx, tx, to)
		readers := make([]Reader, len(found))
		for i, p := range found {
			readers[i] = as(p)
		}
		return readers, err
	}
}
