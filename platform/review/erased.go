package review

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// ErasedProposals is the kind of part that an erasure's record names when Blank
// took the words of a case's proposals and of the decisions on them: of all that
// had ended by then.
const ErasedProposals = "proposals"

// allEnded is what such a record lists.
const allEnded = "ended"

// Erase blanks the words of a case's proposals, decisions and acts that have
// ended, in an erasure's transaction, and says so for its record. What is still
// open keeps its words, since it is still to be decided or carried out; but a
// test, of which nothing would come, ends here.
func Erase(ctx context.Context, tx pgx.Tx, org identity.Org, caseID string, at time.Time) (reach seal.Reach, err error) {
	const answers = `select count(*) from gavel.decision d join gavel.proposal p on p.org = d.org and p.id = d.proposal
		where p.org = $1 and p.case_id = $2 and p.state <> 'open' and d.erased_at is null`
	// Two erasures of one case take its proposals in one order, and so do not wait for each other.
	const all = `select from gavel.proposal where org = $1 and case_id = $2 order by n for update`
	if _, err := tx.Exec(ctx, all, org, caseID); err != nil {
		return reach, fmt.Errorf("lock the proposals of %s: %w", caseID, err)
	}
	if err := endTests(ctx, tx, org, caseID, at); err != nil {
		return reach, fmt.Errorf("end the tests of %s: %w", caseID, err)
	}
	var decisions int
	if err := tx.QueryRow(ctx, answers, org, caseID).Scan(&decisions); err != nil {
		return reach, fmt.Errorf("count the decisions of %s: %w", caseID, err)
	}
	proposals, open, err := Blank(ctx, tx, org, caseID, at)
	if err != nil {
		return reach, fmt.Errorf("blank the proposals of %s: %w", caseID, err)
	}
	acts, running, err := act.Blank(ctx, tx, org, caseID, at)
	if err != nil {
		return reach, fmt.Errorf("blank the acts of %s: %w", caseID, err)
	}
	reach.Rows = proposals + decisions + acts
	if reach.Rows > 0 {
		reach.Cases = []string{caseID}
	}
	if proposals+decisions > 0 {
		reach.Blanked = append(reach.Blanked, seal.Blanked{Case: caseID, What: ErasedProposals, Listed: []string{allEnded}})
	}
	if acts > 0 {
		reach.Blanked = append(reach.Blanked, seal.Blanked{Case: caseID, What: act.ErasedActs, Listed: []string{allEnded}})
	}
	if open+running > 0 {
		reach.Left = "proposals and acts that have not ended"
	}
	return reach, nil
}

// endTests takes back the tests of a case that nobody has decided.
func endTests(ctx context.Context, tx pgx.Tx, org identity.Org, caseID string, at time.Time) error {
	const open = `select id from gavel.proposal where org = $1 and case_id = $2 and state = 'open' and truth is not null order by n`
	rows, _ := tx.Query(ctx, open, org, caseID)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, id := range ids {
		l, err := lockForDecision(ctx, tx, org, "", Decision{Proposal: id})
		if err != nil {
			return err
		}
		p := l.Proposal
		if p.State != Open {
			continue // somebody decided it a moment ago
		}
		p.State, p.EndedAt, p.Seed = Withdrawn, at.UTC().Truncate(time.Microsecond), l.Test
		if _, err := writeEnd(ctx, tx, identity.Gavel(org), p); err != nil {
			return err
		}
	}
	return err
}
