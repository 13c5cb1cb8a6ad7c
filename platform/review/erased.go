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
// open keeps its words, since it is still to be decided or carried out.
func Erase(ctx context.Context, tx pgx.Tx, org identity.Org, caseID string, at time.Time) (reach seal.Reach, err error) {
	const answers = `select count(*) from gavel.decision d join gavel.proposal p on p.org = d.org and p.id = d.proposal
		where p.org = $1 and p.case_id = $2 and p.state <> 'open' and d.erased_at is null`
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
