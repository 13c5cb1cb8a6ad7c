package ask

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the table of questions.
func Migrations() postgres.MigrationSet { return postgres.Embedded("ask", migrations) }

// RecordQuestion is the kind of record that a question leaves.
const RecordQuestion audit.Kind = "question"

func newID(now time.Time) string {
	return "ask_" + ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
}

// admit lets a question in: by whoever may ask, of a form that can be kept, and
// not too many of one person.
func (d *Desk) admit(ctx context.Context, actor identity.Actor, question string) (string, error) {
	if err := d.Rules.May(actor, Act); err != nil {
		return "", err
	}
	question = strings.Join(strings.Fields(question), " ")
	switch {
	case question == "":
		return "", fault.New(fault.Invalid, "type a question")
	case !utf8.ValidString(question) || strings.ContainsRune(question, 0):
		return "", fault.New(fault.Invalid, "the question holds a character that cannot be stored")
	case utf8.RuneCountInString(question) > MaxQuestion:
		return "", fault.New(fault.Invalid, "a question has at most %d characters", MaxQuestion)
	}
	var asked int
	err := d.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select count(*) from gavel.question where org = $1 and actor_id = $2 and at > $3`,
			actor.Org, actor.ID, d.Now().Add(-time.Hour)).Scan(&asked)
	})
	if err == nil && asked >= MostAnHour {
		err = fault.New(fault.TooMany, "you asked %d questions in an hour", asked).
			WithNext("ask again later; the facts of the case have a page of their own")
	}
	return question, err
}

// keep stores question and answer, and puts on record that they were: digests,
// and who worded it.
func (d *Desk) keep(ctx context.Context, actor identity.Actor, a Answer) error {
	said, err := json.Marshal(kept{rand.Text(), a.Looks, a.Lines})
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(a.Question + "\n" + string(said)))
	return d.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `insert into gavel.question (org, id, case_id, actor_id, actor_name, at, question, said, how, model, refused)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			actor.Org, a.ID, a.Case, a.ByID, a.ByName, a.At, a.Question, string(said), a.How, a.Model, a.Refused)
		if err != nil {
			return fmt.Errorf("keep a question: %w", err)
		}
		_, err = audit.Append(ctx, tx, audit.Record{At: a.At, Kind: RecordQuestion, Actor: actor, Subject: string(a.Case),
			Body: map[string]any{
				"id": a.ID, "sha256": hex.EncodeToString(sum[:]), "how": string(a.How), "model": a.Model, "refused": a.Refused}})
		return err
	})
}

// kept is the said of a row. With the salt gone, the digest in the log can no
// longer be guessed back.
type kept struct {
	Salt  string `json:"salt"`
	Looks []Look `json:"looks"`
	Lines []Line `json:"lines"`
}

// Asked lists what was asked about a case, the oldest first, at most Kept.
func (d *Desk) Asked(ctx context.Context, actor identity.Actor, id casefile.CaseID) (all []Answer, err error) {
	if err := d.Rules.May(actor, "case.read"); err != nil {
		return nil, err
	}
	const list = `select id, case_id, question, actor_id, actor_name, at, said, how, model, refused, erased_at
		from gavel.question where org = $1 and case_id = $2 order by id desc limit $3`
	err = d.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, list, actor.Org, id, Kept)
		all, err = pgx.CollectRows(rows, scan)
		return err
	})
	slices.Reverse(all)
	return all, err
}

func scan(row pgx.CollectableRow) (a Answer, err error) {
	var said string
	err = row.Scan(&a.ID, &a.Case, &a.Question, &a.ByID, &a.ByName, &a.At, &said, &a.How, &a.Model, &a.Refused, &a.ErasedAt)
	if err != nil || a.ErasedAt != nil {
		a.Question = casefile.ErasedText
		return a, err
	}
	var k kept
	err = json.Unmarshal([]byte(said), &k)
	a.Looks, a.Lines = k.Looks, k.Lines
	return a, err
}

// Eraser blanks what was asked about, and answered for, cases that are about
// somebody.
func Eraser() seal.Eraser {
	return seal.Eraser{Name: "ask", Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
		tag, err := tx.Exec(ctx, `update gavel.question set question = '', said = '', actor_name = '', erased_at = $2
			where erased_at is null and case_id in (select case_id from gavel.case_subject where subject = $1)`, s.String(), at)
		return seal.Reach{Rows: int(tag.RowsAffected())}, err
	}}
}
