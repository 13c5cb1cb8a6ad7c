package review

import (
	"context"
	"encoding/json"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Bounds of what was opened.
const (
	maxItems   = 200
	maxSeconds = 24 * 60 * 60 // of one thing, and of all together
)

var whatForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/#-]{0,39}$`)

// seen is one thing that was open, and for how long.
type seen struct {
	What    string `json:"what"`
	Seconds int    `json:"seconds"`
}

// Opened adds to what a person had open of a proposal that waits, and for how
// many seconds, as their page reports it from time to time. It goes into their
// decision, is kept nowhere else, and says nothing for certain about anybody: it
// is reported for roles, never for persons. what names a part of the page, in 1
// to 40 letters, digits and . _ : / # -. What comes after the 200th part, after the
// person's own decision or after the proposal's end is not kept: how long it was
// open is fixed when it is decided.
func (s *Store) Opened(ctx context.Context, actor identity.Actor, id, what string, seconds int) error {
	if err := s.rules.May(actor, actRead); err != nil {
		return err
	}
	switch {
	case actor.Kind != identity.Person || actor.Viewing != "":
		return nil // a machine has no eyes, and who looks as another role does decides nothing
	case !whatForm.MatchString(what):
		return fault.New(fault.Invalid, "what was opened is called by 1 to 40 letters, digits and . _ : / # -, not %.60q", what)
	case seconds < 1 || seconds > maxSeconds:
		return fault.New(fault.Invalid, "something is open for 1 to %d seconds, not %d", maxSeconds, seconds)
	}
	// Who decides holds the row: this waits for them, and then finds it decided.
	const wait = `select from gavel.proposal where org = $1 and id = $2 for share`
	const put = `
		insert into gavel.proposal_opened as o (org, proposal, actor_id, what, seconds)
		select p.org, p.id, $3, $4, $5 from gavel.proposal p where p.org = $1 and p.id = $2 and p.state = 'open'
			and not exists (select from gavel.decision d where d.org = $1 and d.proposal = $2 and d.actor_id = $3)
			and (select count(*) from gavel.proposal_opened n where n.org = $1 and n.proposal = $2 and n.actor_id = $3
			and n.what <> $4) < $6
		on conflict (org, proposal, actor_id, what) do update set seconds = least(o.seconds + excluded.seconds, $7)`
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue(wait, string(actor.Org), id)
		b.Queue(put, string(actor.Org), id, actor.ID, what, seconds, maxItems, maxSeconds)
		return tx.SendBatch(ctx, &b).Close()
	})
}

// looked is what goes into a decision about what was opened: what the page
// reported, or else the sender's own word, of which nothing is counted.
func (r *ruling) looked() (text string, seconds *int) {
	if len(r.opened) == 0 {
		return string(r.d.Opened), nil
	}
	total := 0
	for _, o := range r.opened {
		total += o.Seconds
	}
	total = min(total, maxSeconds)
	doc, _ := json.Marshal(r.opened) // texts of a checked form and numbers
	return string(doc), &total
}

// forget queues the removal of what pages remembered about a proposal: all of it
// after its end, or else what one person had open.
func forget(b *pgx.Batch, p Proposal, actor string) {
	if p.State == Open {
		b.Queue(`delete from gavel.proposal_opened where org = $1 and proposal = $2 and actor_id = $3`, string(p.Org), p.ID, actor)
		return
	}
	const all = `
		with opened as (delete from gavel.proposal_opened where org = $1 and proposal = $2),
			claims as (delete from gavel.proposal_claim where org = $1 and proposal = $2)
		delete from gavel.proposal_snooze where org = $1 and proposal = $2`
	b.Queue(all, string(p.Org), p.ID)
}

// HeldUntil is when the act of an approved proposal may begin: until then it can
// be undone. It is zero where there is no such time.
func (p Proposal) HeldUntil() time.Time { return p.notBefore() }
