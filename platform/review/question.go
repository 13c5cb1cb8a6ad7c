package review

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
)

// A Question is something that people were asked in a case, and what became of it.
type Question struct {
	Proposal Proposal
	Made     Made    // the decision that ended it; zero where none did
	Act      act.Act // what was approved; zero where nothing was
}

// Under reports whether the question is before people, or what they approved is on its way
// or may be.
func (q Question) Under() bool {
	switch q.Proposal.State {
	case Open:
		return true
	case Approved, Edited:
		return q.Act.State == "" || q.Act.State == act.Unknown || !q.Act.State.Ended()
	}
	return false
}

// Final is the arguments as they were approved, or as they were asked about.
func (q Question) Final() json.RawMessage {
	if q.Proposal.FinalArgs != nil {
		return q.Proposal.FinalArgs
	}
	return q.Proposal.Args
}

// Questions are the newest that people were asked in a case about tools of an application,
// newest first, at most MostOfCase: in the caller's transaction, for who acts on the answer
// in it. A test of whether people look is none.
func Questions(ctx context.Context, tx pgx.Tx, org identity.Org, id casefile.CaseID, app string) ([]Question, error) {
	const newest = `p.case_id = $2 and p.app = $3 and p.tool <> '' and p.truth is null`
	all, err := questions(ctx, tx, newest, org, string(id), app)
	if err != nil {
		return nil, fmt.Errorf("what was asked in %s: %w", id, err)
	}
	return all, nil
}

// QuestionOf is the question that an act answers, by its key; false where there is none.
func QuestionOf(ctx context.Context, tx pgx.Tx, org identity.Org, key string) (q Question, found bool, err error) {
	all, err := questions(ctx, tx, `p.key = $2`, org, key)
	if err != nil || len(all) == 0 {
		return q, false, err
	}
	return all[0], true, nil
}

func questions(ctx context.Context, tx pgx.Tx, which string, org identity.Org, args ...any) ([]Question, error) {
	newest := `select ` + proposalColumns + ` from gavel.proposal p where p.org = $1 and ` + which + ` order by p.n desc limit ` +
		fmt.Sprint(MostOfCase)
	rows, _ := tx.Query(ctx, newest, append([]any{org}, args...)...)
	asked, err := pgx.CollectRows(rows, scanProposal)
	if err != nil {
		return nil, err
	}
	return answered(ctx, tx, org, asked)
}

// mostValues is how many values QuestionsBy tells apart.
const mostValues = 10_000

// QuestionsBy are the newest questions in a case about one tool for each value of one of its arguments: of 500 sections each has its
// own. What was asked and shown is not read. A test of whether people look is none.
func QuestionsBy(ctx context.Context, tx pgx.Tx, org identity.Org, id casefile.CaseID, app, tool, argument string) (map[string]Question,
	error) {
	const newest = `select distinct on (v.said) ` + headColumns + `, v.said from gavel.proposal p
			cross join lateral (select p.args::json ->> $5 as said) v
		where p.org = $1 and p.case_id = $2 and p.app = $3 and p.tool = $4 and p.truth is null and v.said is not null
		order by v.said, p.n desc limit $6`
	rows, _ := tx.Query(ctx, newest, org, string(id), app, tool, argument, mostValues)
	var values []string
	asked, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Proposal, err error) {
		var value string
		f := fields{p: &p}
		if err := row.Scan(append(f.targets(), &value)...); err != nil {
			return p, err
		}
		values = append(values, value)
		return p, f.settle()
	})
	if err != nil {
		return nil, fmt.Errorf("what was asked with %s in %s: %w", tool, id, err)
	}
	all, err := answered(ctx, tx, org, asked)
	out := map[string]Question{}
	for i, q := range all {
		out[values[i]] = q
	}
	return out, err
}

// answered are proposals with what ended them and what was done, in their order.
func answered(ctx context.Context, tx pgx.Tx, org identity.Org, asked []Proposal) ([]Question, error) {
	if len(asked) == 0 {
		return nil, nil
	}
	var keys, ends []string
	for _, p := range asked {
		keys, ends = append(keys, p.Key), append(ends, p.EndedBy)
	}
	rows, _ := tx.Query(ctx, `select `+madeColumns+` from gavel.decision d where d.org = $1 and d.id = any ($2)`, org, ends)
	made, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Made])
	if err != nil {
		return nil, err
	}
	acts, err := act.ByKeysIn(ctx, tx, org, keys...)
	if err != nil {
		return nil, err
	}
	byID := map[string]Made{}
	for _, m := range made {
		byID[m.ID] = m
	}
	out := make([]Question, 0, len(asked))
	for _, p := range asked {
		out = append(out, Question{p, byID[p.EndedBy], acts[p.Key]})
	}
	return out, nil
}

// WaitingSince are the cases of an application about which people have been asked since
// before a moment, and have not answered.
func WaitingSince(ctx context.Context, tx pgx.Tx, org identity.Org, app string, before time.Time) ([]string, error) {
	const long = `select distinct p.case_id from gavel.proposal p join gavel.case c on c.org = p.org and c.id = p.case_id
		where p.org = $1 and c.app = $2 and p.state = 'open' and p.created_at <= $3`
	rows, _ := tx.Query(ctx, long, org, app, before)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Spent is how long decisions on cases were open on a page before they were made, and of how
// many no page reported it.
func Spent(ctx context.Context, tx pgx.Tx, org identity.Org, cases []string) (open time.Duration, unseen int, err error) {
	const all = `select coalesce(sum(d.open_seconds), 0)::float8, count(*) filter (where d.open_seconds is null)::int
		from gavel.proposal p join gavel.decision d on d.org = p.org and d.id = p.ended_by where p.org = $1 and p.case_id = any ($2)`
	var seconds float64
	err = tx.QueryRow(ctx, all, org, cases).Scan(&seconds, &unseen)
	return time.Duration(seconds * float64(time.Second)), unseen, err
}

// Answered counts the questions of an application that people answered from one moment to
// another, and how long they had been open before people, as far as that is known.
func Answered(ctx context.Context, tx pgx.Tx, org identity.Org, app string, from, to time.Time) (n int, open time.Duration, err error) {
	const all = `select count(*)::int, coalesce(sum(d.open_seconds), 0)::float8 from gavel.proposal p
		join gavel.decision d on d.org = p.org and d.id = p.ended_by where p.org = $1 and p.app = $2 and d.at >= $3 and d.at < $4`
	var seconds float64
	if err = tx.QueryRow(ctx, all, org, app, from, to).Scan(&n, &seconds); err != nil {
		err = fmt.Errorf("count what people answered: %w", err)
	}
	return n, time.Duration(seconds * float64(time.Second)), err
}

// ActEnded tells the case in which an act was proposed that the act has come to an end, in
// the transaction in which it does. The case looks at its record, which says how. Only a case
// that asked its people through somebody else is told: what its own agents do it sees
// itself. An act that is undone is told of by Undo.
func (s *Store) ActEnded(ctx context.Context, tx pgx.Tx, a act.Act) error {
	if a.Proposal == "" || s.wakeOf == nil {
		return nil
	}
	const whose = `select c.id, c.org, c.app, c.key from gavel.proposal p join gavel.case c on c.org = p.org and c.id = p.case_id
		where p.org = $1 and p.id = $2 and (p.wake::json ->> 'case')::bool and c.state <> 'closed'`
	rows, _ := tx.Query(ctx, whose, a.Org, a.Proposal)
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c casefile.Case, err error) {
		return c, row.Scan(&c.ID, &c.Org, &c.App, &c.Key)
	})
	if err != nil || len(all) == 0 {
		return err
	}
	its, err := s.wakeOf(all[0])
	if err != nil || its.WorkflowID == "" {
		return err
	}
	input, err := json.Marshal(casefile.WakeSignal{Case: all[0].ID})
	if err != nil {
		return err
	}
	return outbox.AddSignal(ctx, tx, a.Org, its.WorkflowID, outbox.Signal{Name: casefile.WakeSignalName, Input: input, Start: its.Start})
}
