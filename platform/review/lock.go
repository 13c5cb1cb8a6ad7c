package review

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gavelhq/gavel/platform/identity"
)

// A locked proposal, with all that a decision on it depends on.
type locked struct {
	Proposal
	Voices  []string // who has approved
	Behalf  []string // in whose stead
	Same    *earlier // the decision that has the id of the one that comes
	Test    *Seed    // what is wrong with it, if it is there as a test; for the store's own eyes
	Opened  []seen   // what the page says the person who decides had open
	ForSame string   // in whose stead Same was made
}

// earlier is a decision that is there already.
type earlier struct {
	Proposal string  `json:"proposal"`
	Actor    string  `json:"actor"`
	Verdict  Verdict `json:"verdict"`
	Shown    string  `json:"shown"`
	Reason   string  `json:"reason"`
	Args     string  `json:"args"`
	Erased   string  `json:"erased"` // when its words were; empty if they are there
}

// tries is how often something is begun anew that the database called off to end
// a deadlock. The order of locks (see the package) leaves none between us; an
// application's own tables may be locked in between.
const tries = 3

// inOrg is the database's, and begins anew what was called off in a deadlock.
func (s *Store) inOrg(ctx context.Context, org identity.Org, run func(pgx.Tx) error) (err error) {
	const deadlock = "40P01"
	for range tries {
		err = s.db.InOrg(ctx, org, run)
		if called, ok := errors.AsType[*pgconn.PgError](err); !ok || called.Code != deadlock {
			break
		}
	}
	return err
}

// lockForDecision reads all that a decision depends on and keeps others from
// deciding until the transaction ends. The lock comes first: a statement sees
// what was committed before it began, and who waits for a lock began before.
func lockForDecision(ctx context.Context, tx pgx.Tx, org identity.Org, actor string, d Decision) (locked, error) {
	const lockRow = `select from gavel.proposal where org = $1 and id = $2 for update`
	const read = `select ` + proposalColumns + `, p.truth, p.seed_nonce,
			array(select actor_id from gavel.decision d where d.org = p.org and d.proposal = p.id and d.verdict = 'approve'),
			array(select on_behalf from gavel.decision d where d.org = p.org and d.proposal = p.id and d.verdict = 'approve'
			and on_behalf <> ''),
			(select json_build_object('proposal', d.proposal, 'actor', d.actor_id, 'verdict', d.verdict, 'shown', d.shown_sha256, 'reason',
			d.reason,
					'args', d.args_sha256, 'erased', coalesce(d.erased_at::text, ''))::text
				from gavel.decision d where d.org = $1 and d.id = $3),
			coalesce((select d.on_behalf from gavel.decision d where d.org = $1 and d.id = $3), ''),
			(select json_agg(json_build_object('what', o.what, 'seconds', o.seconds) order by o.what)::text
				from gavel.proposal_opened o where o.org = $1 and o.proposal = $2 and o.actor_id = $4)
		from gavel.proposal p where p.org = $1 and p.id = $2`
	var l locked
	var b pgx.Batch
	b.Queue(lockRow, string(org), d.Proposal)
	b.Queue(read, string(org), d.Proposal, d.ID, actor).QueryRow(func(row pgx.Row) error {
		var same, opened, truth, nonce *string
		f := fields{p: &l.Proposal}
		if err := row.Scan(append(f.targets(), &truth, &nonce, &l.Voices, &l.Behalf, &same, &l.ForSame, &opened)...); err != nil {
			return err
		}
		if truth != nil {
			l.Test = &Seed{Truth: *truth, Nonce: *nonce}
		}
		if same != nil {
			l.Same = &earlier{}
			if err := json.Unmarshal([]byte(*same), l.Same); err != nil {
				return err
			}
		}
		if opened != nil {
			if err := json.Unmarshal([]byte(*opened), &l.Opened); err != nil {
				return err
			}
		}
		return f.settle()
	})
	err := tx.SendBatch(ctx, &b).Close()
	if errors.Is(err, pgx.ErrNoRows) {
		err = noSuchProposal(d.Proposal)
	}
	return l, err
}
