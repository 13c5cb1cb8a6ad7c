package review

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// MaxOfCase is the most proposals, or decisions, of one case that are read at
// once.
const MaxOfCase = 20_000

// AllOfCase reads every proposal of a case, in the order of their numbers, and
// every decision on them, in the order they were made, inside the caller's
// transaction: for bundles, which leave nothing out. A test that nobody has
// answered yet is not there, or it would be found out; one that somebody has is,
// as a test, since the log holds their answer.
func AllOfCase(ctx context.Context, tx pgx.Tx, org identity.Org, caseID string) ([]Proposal, []Made, error) {
	const proposals = `select ` + proposalColumns + `, p.truth, p.seed_nonce from gavel.proposal p
		where p.org = $1 and p.case_id = $2 and (p.truth is null or p.state <> 'open'
			or exists (select from gavel.decision d where d.org = p.org and d.proposal = p.id)) order by p.n limit $3`
	const decisions = `select ` + madeColumns + `
		from gavel.proposal p join gavel.decision d on d.org = p.org and d.proposal = p.id
		where p.org = $1 and p.case_id = $2 order by d.at, d.id limit $3`
	rows, _ := tx.Query(ctx, proposals, org, caseID, MaxOfCase+1)
	all, err := pgx.CollectRows(rows, scanWithTest)
	if err != nil {
		return nil, nil, fmt.Errorf("read the proposals of %s: %w", caseID, err)
	}
	rows, _ = tx.Query(ctx, decisions, org, caseID, MaxOfCase+1)
	made, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Made])
	if err != nil {
		return nil, nil, fmt.Errorf("read the decisions of %s: %w", caseID, err)
	}
	if len(all) > MaxOfCase || len(made) > MaxOfCase {
		return nil, nil, fault.New(fault.TooLarge, "case %s has more than %d proposals or decisions", caseID, MaxOfCase)
	}
	return all, made, nil
}

// UntoldOf names the records about tests of a case that AllOfCase leaves out: that
// somebody put one off, was reminded of it or was refused. A record about a
// proposal that is not there would tell what it is.
func UntoldOf(ctx context.Context, tx pgx.Tx, org identity.Org, caseID string) ([]audit.RecordID, error) {
	const untold = `select r.id from gavel.record r where r.org = $1 and r.subject = $2 and r.kind in ($3, $4)
		and r.json::jsonb #>> '{body,proposal}' in (select p.id from gavel.proposal p where p.org = $1 and p.case_id = $2
		and p.state = 'open' and p.truth is not null
			and not exists (select from gavel.decision d where d.org = p.org and d.proposal = p.id))`
	rows, _ := tx.Query(ctx, untold, org, caseID, string(KindAttention), string(audit.Refusal))
	ids, err := pgx.CollectRows(rows, pgx.RowTo[audit.RecordID])
	if err != nil {
		return nil, fmt.Errorf("records about tests of %s: %w", caseID, err)
	}
	return ids, nil
}

// scanWithTest reads a proposal and, also while it is open, what it tests.
func scanWithTest(row pgx.CollectableRow) (p Proposal, err error) {
	f := fields{p: &p}
	if err := row.Scan(append(f.targets(), &f.truth, &f.nonce)...); err != nil {
		return Proposal{}, err
	}
	return p, f.settle()
}
