package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// online begins the digest under which a scan that the server took itself is known: it was signed by nobody.
const online = "scan/"

// LockReplays lets one batch of an organisation in after another, until the transaction ends.
func LockReplays(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, "gatepass/replay/"+string(org))
	return err
}

// backItem is something that came back, as a scan and an arrival keep it.
type backItem struct {
	Item      string `json:"item"`
	Quantity  string `json:"quantity"`
	Condition string `json:"condition"`
}

func backText(items []item.Back) string {
	out := make([]backItem, len(items))
	for i, b := range items {
		out[i] = backItem{string(b.Item), b.Quantity.String(), string(b.Condition)}
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err) // it is three strings
	}
	return string(text)
}

func backOf(text []byte) (items []item.Back, err error) {
	var all []backItem
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	for _, b := range all {
		q, err := item.ParseQuantity(b.Quantity)
		if err != nil {
			return nil, err
		}
		items = append(items, item.Back{Item: item.ID(b.Item), Quantity: q, Condition: item.Condition(b.Condition)})
	}
	return items, nil
}

// AddArrival keeps an event that has come in, with its bytes.
func AddArrival(ctx context.Context, tx pgx.Tx, org identity.Org, k replay.Known, text, sentBy string) error {
	const insert = `insert into gatepass.arrival (org, digest, gate, event_id, seq, prev, number, kind, at, guard, photo, reason, items,
			site_id, received, sent_by, held, text)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`
	_, err := tx.Exec(ctx, insert, org, k.Digest, k.Device, k.ID, k.Seq, k.Prev, k.Pass, k.Kind, orNull(k.At), k.Guard, k.Photo, k.Reason,
		backText(k.Items), k.Site, k.Received, sentBy, k.Held, text)
	if err != nil {
		return fmt.Errorf("keep an event of gate %s: %w", k.Device, err)
	}
	return nil
}

// LetIn takes the reason away for which an event was held.
func LetIn(ctx context.Context, tx pgx.Tx, d replay.Digest) error {
	_, err := tx.Exec(ctx, `update gatepass.arrival set held = '' where digest = $1`, d)
	return err
}

// Touched are the passes that new events of a gate may change besides their own: those of its later events, whose moments may move.
func Touched(ctx context.Context, tx pgx.Tx, gate string, after int64) ([]number.Number, error) {
	rows, _ := tx.Query(ctx, `select distinct number from gatepass.arrival where gate = $1 and seq > $2 and held = ''`, gate, after)
	return pgx.CollectRows(rows, pgx.RowTo[number.Number])
}

// Known is what is to be known for events of some gates on some passes: all of those gates' events, all on those passes, those
// that have the same bytes, and the scans that the server took itself. Each of its parts goes by an index, however the plan was made: a
// gate must not wait longer the more has been scanned before.
func Known(ctx context.Context, tx pgx.Tx, gates []string, passes []number.Number, digests []replay.Digest) ([]replay.Known, error) {
	const events = `with own as (select gate from gatepass.arrival where number = any ($2) and held = '' union select unnest($1::text[])),
			which as (select digest from gatepass.arrival where gate = any (array (select gate from own))
				union select digest from gatepass.arrival where number = any ($2) union select unnest($3::text[]))
		select digest, gate, event_id, seq, prev, number, kind, at, guard, photo, reason, items, site_id, received, held
		from gatepass.arrival where digest = any (array (select digest from which))
		union all
		select '` + online + `' || s.key, s.gate_id, s.key, 0, '', p.number, s.kind, s.at, s.guard, s.photo, s.reason, s.items, s.site_id,
			s.received, ''
		from gatepass.scan s join gatepass.pass p on p.org = s.org and p.id = s.pass_id
		where p.number = any ($2) and s.pass_id = any (array (select id from gatepass.pass where number = any ($2)))`
	rows, _ := tx.Query(ctx, events, gates, texts(passes), texts(digests))
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (k replay.Known, err error) {
		var back []byte
		err = row.Scan(&k.Digest, &k.Device, &k.ID, &k.Seq, &k.Prev, &k.Pass, &k.Kind, moment{&k.At}, &k.Guard, &k.Photo, &k.Reason, &back,
			&k.Site, moment{&k.Received}, &k.Held)
		if err == nil {
			k.Items, err = backOf(back)
		}
		return k, err
	})
}

// FactsOf is what events are held against: a pass without its scans.
func FactsOf(p pass.Pass) replay.Facts {
	f := replay.Facts{Approved: p.ApprovedAt, Deleted: p.DeletedAt, From: p.ValidFrom, Until: p.ValidUntil, Returnable: p.IsReturnable,
		Site: p.SiteID}
	for _, it := range p.Items {
		it.Good, it.Damaged, it.Lost = 0, 0, 0
		f.Items = append(f.Items, it)
	}
	return f
}

// A Question is an event that a person has to look into.
type Question struct {
	ID       string
	Event    replay.Digest
	Number   number.Number
	Reason   replay.Reason
	Other    replay.Digest
	RaisedAt time.Time
	Case     string
	Proposal string
	Settled  time.Time // when it turned out to fit; zero where it has not
	Ended    time.Time // when it was decided or taken back
	Answer   string
}

const questionColumns = `id, event, number, reason, other, raised_at, case_id, proposal, settled_at, ended_at, answer`

func questions(ctx context.Context, tx pgx.Tx, where string, args ...any) ([]Question, error) {
	rows, _ := tx.Query(ctx, `select `+questionColumns+` from gatepass.question where `+where+` order by id`, args...)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (q Question, err error) {
		return q, row.Scan(&q.ID, &q.Event, &q.Number, &q.Reason, &q.Other, moment{&q.RaisedAt}, &q.Case, &q.Proposal, moment{&q.Settled},
			moment{&q.Ended}, &q.Answer)
	})
}

// QuestionOfCase is the question that a case is about; false where it is about none.
func QuestionOfCase(ctx context.Context, tx pgx.Tx, caseID string) (Question, bool, error) {
	all, err := questions(ctx, tx, `case_id = $1`, caseID)
	if err != nil || len(all) == 0 {
		return Question{}, false, err
	}
	return all[0], true, nil
}

// QuestionOf is the question that a proposal asks; false where it asks none.
func QuestionOf(ctx context.Context, tx pgx.Tx, proposal string) (Question, bool, error) {
	all, err := questions(ctx, tx, `proposal = $1`, proposal)
	if err != nil || len(all) == 0 {
		return Question{}, false, err
	}
	return all[0], true, nil
}

// Fitting are questions that nobody need be asked any more, and still are.
func Fitting(ctx context.Context, tx pgx.Tx) ([]Question, error) {
	return questions(ctx, tx, `settled_at is not null and ended_at is null`)
}

// AddQuestion writes one down.
func AddQuestion(ctx context.Context, tx pgx.Tx, org identity.Org, q Question) error {
	const insert = `insert into gatepass.question (org, id, event, number, reason, other, raised_at, case_id, proposal)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	_, err := tx.Exec(ctx, insert, org, q.ID, q.Event, q.Number, q.Reason, q.Other, q.RaisedAt, q.Case, q.Proposal)
	if err != nil {
		return fmt.Errorf("ask about event %.20s: %w", q.Event, err)
	}
	return nil
}

// Settle notes of events that they fit after all.
func Settle(ctx context.Context, tx pgx.Tx, events []replay.Digest, at time.Time) error {
	_, err := tx.Exec(ctx, `update gatepass.question set settled_at = $2 where event = any ($1) and settled_at is null and ended_at is null`,
		texts(events), at)
	return err
}

// EndQuestion notes what became of a question; false where it had ended.
func EndQuestion(ctx context.Context, tx pgx.Tx, id, answer string, at time.Time) (bool, error) {
	tag, err := tx.Exec(ctx, `update gatepass.question set ended_at = $2, answer = $3 where id = $1 and ended_at is null`, id, at, answer)
	return tag.RowsAffected() == 1, err
}

// ArrivalText is an event's own bytes; Conflict where they were erased with the holder of the pass.
func ArrivalText(ctx context.Context, tx pgx.Tx, d replay.Digest) (text string, err error) {
	err = tx.QueryRow(ctx, `select coalesce(max(text), '') from gatepass.arrival where digest = $1`, d).Scan(&text)
	if err == nil && text == "" {
		err = fault.New(fault.Conflict, "this event cannot be read any more")
	}
	return text, err
}
