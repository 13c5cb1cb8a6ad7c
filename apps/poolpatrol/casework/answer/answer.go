// Package answer is the page of somebody who was written to: its sealed address, what
// it shows them, and what they answer there, which is a reply like a mail is.
package answer

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

// Bounds of somebody's own page.
const (
	linkPurpose = "poolpatrol-rider"
	maxLink     = 400                 // bytes of a token that is looked at
	pageOutlast = 30 * 24 * time.Hour // how long the page outlasts its case
	maxAnswers  = 20                  // of one person on one case; whoever has more to say is talked to
)

// recordAnswer is the kind of the records of answers in the log. They hold no word
// of what was said.
const recordAnswer log.Kind = "poolpatrol_answer"

// Config is what a Door stands on.
type Config struct {
	DB     *postgres.DB
	Clock  durable.Clock
	Cases  *casefile.Store
	Keys   durable.Keys // seal the addresses
	Public string       // where this server is; empty: riders have no pages
}

// A Door is where people come in who were written to and have no account.
type Door struct {
	db     *postgres.DB
	clock  durable.Clock
	cases  *casefile.Store
	keys   durable.Keys
	public string
}

// Open tells a door what it stands on. Before that it opens nothing.
func (a *Door) Open(c Config) {
	a.db, a.clock, a.cases, a.keys, a.public = c.DB, c.Clock, c.Cases, c.Keys, c.Public
}

func (a *Door) now() time.Time { return a.clock.Now().UTC().Truncate(time.Microsecond) }

// A Ticket is whose page an address opens: one person's on one case. It is sealed,
// so that the address says nothing about them and a forged one costs no query.
type Ticket struct {
	Org  identity.Org
	File casefile.CaseID
	Who  fleet.EmployeeID
}

// Name is what visits are counted by.
func (t Ticket) Name() string { return string(t.File) + "/" + string(t.Who) }

// PageFor is the address of somebody's own page; empty where nobody has said at
// which address this server is.
func (a *Door) PageFor(file casefile.Case, who fleet.EmployeeID) (string, error) {
	if a.public == "" {
		return "", nil
	}
	token, err := a.keys.SealText(linkPurpose, strings.Join([]string{string(file.Org), string(file.ID), string(who)}, " "))
	if err != nil {
		return "", fmt.Errorf("make the address of a page: %w", err)
	}
	return a.public + Path(token), nil
}

// Path is the address of the page that a token opens, on this server.
func Path(token string) string { return At + "?k=" + url.QueryEscape(token) }

// errNoPage is all that is ever said of an address that opens nothing: it was
// forged, has ended, or is about somebody who was erased.
func errNoPage() error {
	return fault.New(fault.NotFound, "this link opens nothing, or nothing any more").
		WithNext("check that you have the whole of it, or ask the office that wrote to you").Because("link_dead")
}

// ReadTicket opens a token that was sealed here. It asks no database.
func (a *Door) ReadTicket(token string) (t Ticket, err error) {
	if len(token) > maxLink {
		return t, errNoPage()
	}
	text, err := a.keys.OpenText(linkPurpose, token)
	parts := strings.Split(text, " ")
	if err != nil || len(parts) != 3 {
		return t, errNoPage()
	}
	t = Ticket{File: casefile.CaseID(parts[1]), Who: fleet.EmployeeID(parts[2])}
	if t.Org, err = identity.ParseOrg(parts[0]); err != nil {
		return t, errNoPage()
	}
	return t, nil
}

var formForm = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// Take takes what somebody says on their page: a row, an entry of the case, a
// record, and word to the case, which finds it as it finds a mail. A form that is
// sent again is the same answer.
func (a *Door) Take(ctx context.Context, t Ticket, said post.Said, form string) error {
	said, err := said.Check()
	if err != nil {
		return err
	}
	if !formForm.MatchString(form) {
		return fault.New(fault.Invalid, "this form is none of ours").WithNext("open the page again, and answer there").Because("form_stale")
	}
	at := a.now()
	err = a.db.InOrg(ctx, t.Org, func(tx pgx.Tx) error {
		file, err := casefile.Lock(ctx, tx, t.File)
		if fault.Is(err, fault.NotFound) {
			return errNoPage()
		}
		if err != nil {
			return err
		}
		v, err := readVisit(ctx, tx, t, at)
		if err != nil {
			return err
		}
		if !v.Asks() {
			return fault.New(fault.Conflict, "this has been settled, and nothing more is asked of you").
				WithNext("turn to the office that wrote to you").Because("answer_settled")
		}
		id, err := keepAnswer(ctx, tx, t, said, form, at)
		if err != nil || id == "" {
			return err
		}
		return a.tellAnswer(ctx, tx, file, t, said, id, at)
	})
	if err != nil {
		return fmt.Errorf("take an answer: %w", err)
	}
	return nil
}

// keepAnswer writes an answer down. It gives no id where the form was sent before.
func keepAnswer(ctx context.Context, tx pgx.Tx, t Ticket, said post.Said, form string, at time.Time) (string, error) {
	const before = `select count(*), count(*) filter (where form = $3) from poolpatrol.answer where case_id = $1 and employee_id = $2`
	var all, same int
	if err := tx.QueryRow(ctx, before, t.File, t.Who, form).Scan(&all, &same); err != nil || same > 0 {
		return "", err
	}
	if all >= maxAnswers {
		return "", fault.New(fault.TooMany, "you have answered %d times already", all).
			WithNext("a person of the programme reads what you said; turn to them").Because("answers_many", "n", strconv.Itoa(all))
	}
	const insert = `insert into poolpatrol.answer (org, id, case_id, employee_id, form, held, wish, body, at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (org, id) do nothing`
	for range store.Tries {
		id := store.NewID("ANS")
		tag, err := tx.Exec(ctx, insert, t.Org, id, t.File, t.Who, form, said.Held, said.Wish, said.Text, at)
		if err != nil {
			return "", err
		}
		if tag.RowsAffected() == 1 {
			return id, nil
		}
	}
	return "", fault.New(fault.Unavailable, "no free name was found for an answer")
}

// tellAnswer puts an answer on record without its words, and wakes the case.
func (a *Door) tellAnswer(ctx context.Context, tx pgx.Tx, file casefile.Case, t Ticket, said post.Said, id string, at time.Time) error {
	who := identity.Actor{Kind: identity.Person, ID: "concerned:" + store.Rider(t.Who).String(), Name: "The rider, on their page",
		Org: t.Org}
	text := fmt.Sprintf("%s, on their page: %s, %s", t.Who, said.Held, said.Wish)
	if said.Text != "" {
		text += ", with words of their own"
	}
	_, _, err := casefile.Apply(ctx, tx, file.ID, casefile.Change{Key: "pp:" + id, WaitingFor: file.WaitingFor,
		Subjects: []seal.Subject{store.Rider(t.Who)},
		Entry:    casefile.Entry{Kind: "pool_answered", At: at, ActorKind: who.Kind, ActorID: who.ID, ActorName: who.Name, Text: text}})
	if err != nil {
		return err
	}
	_, err = log.Append(ctx, tx, log.Record{At: at, Kind: recordAnswer, App: programme.Name, Actor: who, Subject: string(file.ID),
		Body: map[string]any{"answer": id, "held": string(said.Held), "wish": string(said.Wish), "words": said.Text != ""}})
	if err != nil {
		return err
	}
	return a.cases.Rouse(ctx, tx, file)
}

// At is the page of somebody who was written to.
const At = "/poolpatrol/answer"
