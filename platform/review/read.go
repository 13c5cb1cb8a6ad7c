package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// The columns of a proposal, and the same without its words, for lists.
const (
	proposalColumns = columnsToGate + `p.args, p.args_sha256, p.shown` + columnsToState + `p.final_args` + columnsOfEnd
	headColumns     = columnsToGate + `null::text, p.args_sha256, null::text` + columnsToState + `null::text` + columnsOfEnd

	columnsToGate  = `p.id, p.org, p.case_id, p.kind, p.app, p.tool, p.effect, p.key, p.run, p.call, p.gate, `
	columnsToState = `, p.shown_sha256, p.requested_by, p.on_behalf_of, p.makers, p.deciders, p.allowed, p.required, p.policy_record,
		nullif(p.expires_at, 'infinity'), extract(epoch from p.undo)::float8, p.wake, p.created_at, p.state, `
	columnsOfEnd = `, coalesce(p.final_args_sha256, ''), p.ended_at, coalesce(p.ended_by, ''), p.erased_at`
)

// fields are where a row of proposalColumns goes; settle completes it.
type fields struct {
	p                      *Proposal
	expires, ended, erased *time.Time
	undo                   float64
	wake                   string
}

func (f *fields) targets() []any {
	p := f.p
	return []any{&p.ID, &p.Org, &p.Case, &p.Kind, &p.App, &p.Tool, &p.Effect, &p.Key, &p.Run, &p.Call, &p.Gate, &p.Args, &p.ArgsSHA256,
		&p.Shown, &p.ShownSHA256, &p.RequestedBy, &p.OnBehalfOf, &p.Makers, &p.Deciders, &p.Allowed, &p.Required, &p.PolicyRecord,
		&f.expires, &f.undo, &f.wake, &p.CreatedAt, &p.State, &p.FinalArgs, &p.FinalArgsSHA256, &f.ended, &p.EndedBy, &f.erased}
}

func (f *fields) settle() error {
	for _, t := range []struct {
		from *time.Time
		to   *time.Time
	}{{f.expires, &f.p.ExpiresAt}, {f.ended, &f.p.EndedAt}, {f.erased, &f.p.ErasedAt}} {
		if t.from != nil {
			*t.to = t.from.UTC()
		}
	}
	f.p.CreatedAt = f.p.CreatedAt.UTC()
	f.p.Undo = time.Duration(f.undo * float64(time.Second)).Round(time.Microsecond)
	if err := json.Unmarshal([]byte(f.wake), &f.p.Wake); err != nil {
		return fmt.Errorf("whom %s tells: %w", f.p.ID, err)
	}
	return nil
}

func scanProposal(row pgx.CollectableRow) (Proposal, error) {
	var p Proposal
	f := fields{p: &p}
	if err := row.Scan(f.targets()...); err != nil {
		return Proposal{}, err
	}
	return p, f.settle()
}

// A locked proposal, with who has approved it and the decision that has the id
// of the one that comes.
type locked struct {
	Proposal
	Voices []string
	Same   *earlier
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

// lockForDecision reads all that a decision depends on and keeps others from
// deciding until the transaction ends. The lock comes first: a statement sees
// what was committed before it began, and who waits for a lock began before.
func lockForDecision(ctx context.Context, tx pgx.Tx, org identity.Org, d Decision) (locked, error) {
	const lockRow = `select from gavel.proposal where org = $1 and id = $2 for update`
	const read = `select ` + proposalColumns + `,
			array(select actor_id from gavel.decision d where d.org = p.org and d.proposal = p.id and d.verdict = 'approve'),
			(select json_build_object('proposal', d.proposal, 'actor', d.actor_id, 'verdict', d.verdict, 'shown', d.shown_sha256, 'reason', d.reason,
					'args', d.args_sha256, 'erased', coalesce(d.erased_at::text, ''))::text
				from gavel.decision d where d.org = $1 and d.id = $3)
		from gavel.proposal p where p.org = $1 and p.id = $2`
	var l locked
	var b pgx.Batch
	b.Queue(lockRow, string(org), d.Proposal)
	b.Queue(read, string(org), d.Proposal, d.ID).QueryRow(func(row pgx.Row) error {
		var same *string
		f := fields{p: &l.Proposal}
		if err := row.Scan(append(f.targets(), &l.Voices, &same)...); err != nil {
			return err
		}
		if same != nil {
			l.Same = &earlier{}
			if err := json.Unmarshal([]byte(*same), l.Same); err != nil {
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

func noSuchProposal(id string) error {
	return fault.New(fault.NotFound, "no proposal is called %.40q", id)
}

// Get reads a proposal. One of another organisation is not found.
func (s *Store) Get(ctx context.Context, org identity.Org, id string) (p Proposal, err error) {
	const one = `select ` + proposalColumns + ` from gavel.proposal p where p.org = $1 and p.id = $2`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, one, org, id)
		p, err = pgx.CollectOneRow(rows, scanProposal)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Proposal{}, noSuchProposal(id)
	}
	return p, err
}

// A Made decision is one on record.
type Made struct {
	ID          string
	Proposal    string
	Verdict     Verdict
	ActorID     string
	ActorName   string // empty once erased
	Roles       []identity.Role
	At          time.Time
	ShownSHA256 string
	ArgsSHA256  string
	Reason      string // empty once erased
	Opened      string // JSON, or empty
	Record      string
	ErasedAt    *time.Time
}

// Decisions reads the decisions on a proposal, oldest first.
func (s *Store) Decisions(ctx context.Context, org identity.Org, proposal string) (made []Made, err error) {
	const all = `
		select id, proposal, verdict, actor_id, actor_name, roles, at, shown_sha256, args_sha256, reason, opened, record_id, erased_at
		from gavel.decision where org = $1 and proposal = $2 order by at, id limit 200`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, all, org, proposal)
		made, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Made])
		return err
	})
	return made, err
}

// An Outcome is a proposal with the word of who ended it.
type Outcome struct {
	Proposal Proposal
	Reason   string // of the last decision; empty if none was given, or once erased
	ByID     string // who made that decision; empty if nobody did
	ByName   string
}

// maxKeys bounds how many are asked for at once.
const maxKeys = 500

// ByKeys reads proposals by the keys of their acts. What is not there is left
// out.
func (s *Store) ByKeys(ctx context.Context, org identity.Org, keys ...string) (map[string]Outcome, error) {
	if len(keys) > maxKeys {
		return nil, fault.New(fault.TooLarge, "at most %d proposals are read at once, not %d", maxKeys, len(keys))
	}
	const all = `select ` + proposalColumns + `, coalesce(d.reason, ''), coalesce(d.actor_id, ''), coalesce(d.actor_name, '')
		from gavel.proposal p left join lateral (
			select reason, actor_id, actor_name from gavel.decision where org = p.org and proposal = p.id order by at desc, id desc limit 1) d on true
		where p.org = $1 and p.key = any ($2)`
	found := make(map[string]Outcome, len(keys))
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, all, org, keys)
		list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (o Outcome, err error) {
			f := fields{p: &o.Proposal}
			if err := row.Scan(append(f.targets(), &o.Reason, &o.ByID, &o.ByName)...); err != nil {
				return o, err
			}
			return o, f.settle()
		})
		for _, o := range list {
			found[o.Proposal.Key] = o
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read proposals: %w", err)
	}
	return found, nil
}
