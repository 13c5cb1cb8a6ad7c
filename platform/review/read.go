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
	columnsOfEnd = `, coalesce(p.final_args_sha256, ''), p.ended_at, coalesce(p.ended_by, ''), p.erased_at,
		p.due_at, p.remind_at, p.reminded_at, p.escalate_at, p.escalate_to, p.escalated_at, p.assigned_to, ` + columnsOfSeed
	// What a test is about is not read while it is open: what is not read is not
	// shown by mistake.
	columnsOfSeed = `case when p.state <> 'open' then p.truth end, case when p.state <> 'open' then p.seed_nonce end`
)

// fields are where a row of proposalColumns goes; settle completes it.
type fields struct {
	p                      *Proposal
	expires, ended, erased *time.Time
	undo                   float64
	wake                   string

	due, remind, reminded, escalate, escalated *time.Time
	truth, nonce                               *string
}

func (f *fields) targets() []any {
	p := f.p
	return []any{&p.ID, &p.Org, &p.Case, &p.Kind, &p.App, &p.Tool, &p.Effect, &p.Key, &p.Run, &p.Call, &p.Gate, &p.Args, &p.ArgsSHA256,
		&p.Shown, &p.ShownSHA256, &p.RequestedBy, &p.OnBehalfOf, &p.Makers, &p.Deciders, &p.Allowed, &p.Required, &p.PolicyRecord,
		&f.expires, &f.undo, &f.wake, &p.CreatedAt, &p.State, &p.FinalArgs, &p.FinalArgsSHA256, &f.ended, &p.EndedBy, &f.erased,
		&f.due, &f.remind, &f.reminded, &f.escalate, &p.EscalateTo, &f.escalated, &p.AssignedTo, &f.truth, &f.nonce}
}

func (f *fields) settle() error {
	for _, t := range []struct {
		from *time.Time
		to   *time.Time
	}{{f.expires, &f.p.ExpiresAt}, {f.ended, &f.p.EndedAt}, {f.erased, &f.p.ErasedAt}, {f.due, &f.p.DueAt}, {f.remind, &f.p.RemindAt},
		{f.reminded, &f.p.RemindedAt}, {f.escalate, &f.p.EscalateAt}, {f.escalated, &f.p.EscalatedAt}} {
		if t.from != nil {
			*t.to = t.from.UTC()
		}
	}
	if f.truth != nil {
		f.p.Seed = &Seed{Truth: *f.truth, Nonce: *f.nonce}
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

func noSuchProposal(id string) error {
	return fault.New(fault.NotFound, "no proposal is called %.40q", id).Because("no_proposal")
}

// Get reads a proposal for who may read proposals, with what concerns them: until
// when they put it off, and who is looking at it. One of another organisation is
// not found. What a test is about is not told before its end.
func (s *Store) Get(ctx context.Context, actor identity.Actor, id string) (p Proposal, err error) {
	if actor.Kind != identity.System { // Gavel itself reads what it keeps
		if err := s.rules.May(actor, actRead); err != nil {
			return Proposal{}, err
		}
	}
	const one = `select ` + proposalColumns + `, s.until, coalesce(c.actor_id, ''), coalesce(c.actor_name, ''), c.until
		from gavel.proposal p
			left join gavel.proposal_snooze s on s.org = p.org and s.proposal = p.id and s.actor_id = $3 and s.until > $4
			left join gavel.proposal_claim c on c.org = p.org and c.proposal = p.id and c.until > $4
		where p.org = $1 and p.id = $2`
	var snoozed, claimed *time.Time
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		f := fields{p: &p}
		err := tx.QueryRow(ctx, one, actor.Org, id, actor.ID, s.clock.Now()).
			Scan(append(f.targets(), &snoozed, &p.Claim.By, &p.Claim.Name, &claimed)...)
		if err != nil {
			return err
		}
		return f.settle()
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Proposal{}, noSuchProposal(id)
	}
	if snoozed != nil {
		p.SnoozedUntil = snoozed.UTC()
	}
	if claimed != nil {
		p.Claim.Until = claimed.UTC()
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
	OnBehalf    string // actor id of the one in whose stead; empty for oneself
	Delegation  string // by which; empty likewise
	OpenSeconds *int   // how long it was open on the page; nil where no page reported it
	Grounds     string // what the case rested on, as the person had read it; empty if they did not say
}

const madeColumns = `d.id, d.proposal, d.verdict, d.actor_id, d.actor_name, d.roles, d.at, d.shown_sha256, d.args_sha256, d.reason, d.opened, d.record_id,
	d.erased_at, d.on_behalf, d.delegation, d.open_seconds, d.grounds`

// Decisions reads the decisions on a proposal, oldest first.
func (s *Store) Decisions(ctx context.Context, org identity.Org, proposal string) (made []Made, err error) {
	const all = `select ` + madeColumns + ` from gavel.decision d where d.org = $1 and d.proposal = $2 order by d.at, d.id limit 200`
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
			select reason, actor_id, actor_name from gavel.decision where org = p.org and proposal = p.id order by at desc, id desc
			limit 1) d on true
		where p.org = $1 and p.key = any ($2)`
	found := make(map[string]Outcome, len(keys))
	var look pgx.Batch
	look.Queue(all, org, keys).Query(func(rows pgx.Rows) error {
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
	if err := s.db.Look(ctx, org, &look); err != nil {
		return nil, fmt.Errorf("read proposals: %w", err)
	}
	return found, nil
}
