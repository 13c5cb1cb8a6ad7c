package agent

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/review"
)

// Asked is a call that waits for people, or has waited, as the record has it.
type Asked struct {
	Proposal    string
	Case        string
	App, Tool   string
	Args        json.RawMessage // as they were proposed; nil once erased
	Gate        review.Gate
	Deciders    []identity.Role
	State       review.State
	RequestedBy string
	ShownSHA256 string
	ExpiresAt   time.Time // zero for never
	EndedAt     time.Time
	ByName      string // who decided; empty if nobody did, or once erased
	Reason      string
	// Act is how far the act has come; empty where there is none. Result is what
	// it gave back, once it is done, and Why what it says where it is not.
	Act       act.State
	NotBefore time.Time // until then it can be undone
	Result    json.RawMessage
	Why       string
}

// Waiting reports whether nothing has been decided yet.
func (a Asked) Waiting() bool { return a.State == review.Open }

// mostOpen is how many proposals of one requester may wait at once: people are
// not flooded by a program that has lost its way.
const mostOpen = 100

// ask makes a proposal of the call, on its case, and leaves word for the
// workflow that will carry it out: one transaction. The same call again, while
// people have not decided, is the same proposal.
func (k *taking) ask(ctx context.Context) (Taken, error) {
	if k.in.ID == "" {
		if err := k.open(ctx); err != nil {
			return Taken{}, err
		}
		if err := k.askPolicy(ctx); err != nil { // the policy's word on this very case is what is recorded
			return Taken{}, err
		}
	}
	var id string
	var settled bool
	err := k.DB.InOrg(ctx, k.actor.Org, func(tx pgx.Tx) (err error) {
		one, err := casefile.Lock(ctx, tx, k.in.ID) // two who ask the same at once make one proposal
		if err != nil {
			return err
		}
		if one.State == casefile.Closed {
			return fault.New(fault.Conflict, "case %s is closed; nothing more can be proposed in it", one.Ref)
		}
		if id, settled, err = k.same(ctx, tx); err != nil || id != "" || settled {
			return err
		}
		id, err = k.write(ctx, tx, one)
		return err
	})
	switch {
	case err != nil:
		return Taken{}, fmt.Errorf("propose %s: %w", k.tool.FullName(), err)
	case settled:
		return Taken{}, k.refuse(ctx, "settled", fault.New(fault.Refused,
			"exactly this was asked for before in this case and is settled; that is final").
			WithNext("see how it was decided on the case's page"))
	}
	if k.ruling.Policy != nil {
		k.books.kept.put(k.ruling.Policy.Digest, true, 1)
	}
	asked, err := k.asked(ctx, k.actor.Org, id)
	return Taken{ID: k.id, Case: string(k.in.ID), Asked: &asked}, err
}

// open opens a case of the platform's own for a call that names none. The same
// call by the same actor finds it again while it is open.
func (k *taking) open(ctx context.Context) error {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", k.actor.ID, k.tool.FullName(), k.ruling.Args))
	key := k.call.Via + "-" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:15]))
	if err := k.room(ctx, key); err != nil {
		return err
	}
	one, _, err := k.Cases.Open(ctx, k.actor, casefile.Opening{App: casefile.General().App, Key: key, Title: cut(k.tool.Line, 200)})
	if fault.Is(err, fault.Refused) {
		return fault.From(fault.Refused, err, "%s may not open a case for this", whose(k.actor)).WithNext("name the case it belongs to")
	}
	k.in = one
	return err
}

// room refuses a new case to somebody who could not propose anything in it: a
// flood must not leave empty cases behind. One that is there is found again.
func (k *taking) room(ctx context.Context, key string) error {
	return k.DB.InOrg(ctx, k.actor.Org, func(tx pgx.Tx) error {
		const there = `select exists (select from gavel.case where org = $1 and app = $2 and key = $3 and state <> 'closed')`
		var found bool
		if err := tx.QueryRow(ctx, there, k.actor.Org, casefile.General().App, key).Scan(&found); err != nil || found {
			return err
		}
		return k.few(ctx, tx)
	})
}

// same looks for the newest equal call by the same actor on the case. One that
// waits is returned; one that people said no to, word for word, or that may have
// happened already, is settled, as it is for a run.
func (k *taking) same(ctx context.Context, tx pgx.Tx) (waiting string, settled bool, err error) {
	const newest = `select p.id, p.state, coalesce(a.state, '') from gavel.call c
			join gavel.proposal p on p.org = c.org and p.key = c.id || '/' || $7
			left join gavel.act a on a.org = p.org and a.key = p.key
		where c.org = $1 and c.case_id = $2 and c.args_sha256 = $3 and c.by_id = $4 and c.app = $5 and c.tool = $6
		order by c.id desc limit 1`
	var id string
	var state review.State
	var became act.State
	err = tx.QueryRow(ctx, newest, k.actor.Org, k.in.ID, k.ruling.Args, k.actor.ID, k.tool.App, k.tool.Name, carriedCall).
		Scan(&id, &state, &became)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", false, nil
	case err != nil:
		return "", false, err
	case state == review.Open:
		return id, false, nil
	}
	return "", state == review.Rejected || state == review.Edited || state == review.Expired || became == act.Unknown, nil
}

// write makes the rows: the log's entry, the call, the proposal, a note in the
// case's history, and word for the engine.
func (k *taking) write(ctx context.Context, tx pgx.Tx, one casefile.Case) (string, error) {
	if err := k.few(ctx, tx); err != nil {
		return "", err
	}
	b := &pgx.Batch{}
	record, err := k.record(b, audit.Policy, "")
	if err != nil {
		return "", err
	}
	k.queueCall(b, record)
	found, err := guardedFind(ctx, tx, k.tool, k.env(), k.ruling.args)
	if err != nil {
		return "", err
	}
	p, start, err := k.proposal(record, found)
	if err != nil {
		return "", err
	}
	if err := k.queueProposal(ctx, tx, b, p); err != nil {
		return "", err
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return "", err
	}
	// Without the proposal's number: a test that joined it has no entry, and would be
	// known by that.
	_, _, err = casefile.Apply(ctx, tx, one.ID, casefile.Change{Key: "call:" + k.id, WaitingFor: one.WaitingFor,
		Entry: casefile.Entry{Kind: "proposed", At: k.at, ActorKind: k.actor.Kind, ActorID: k.actor.ID, ActorName: k.actor.Name,
			Text: k.tool.FullName()}})
	if err != nil {
		return "", err
	}
	return p.ID, outbox.AddStart(ctx, tx, k.actor.Org, p.Wake.WorkflowID, start)
}

// queueProposal asks people, as a turn does: never who made the thing, only where
// somebody can decide it, and sometimes with a test whether they look.
func (k *taking) queueProposal(ctx context.Context, tx pgx.Tx, b *pgx.Batch, p *review.Proposal) (err error) {
	if p.Makers, err = k.Reviews.MakersOf(ctx, tx, *p); err != nil {
		return err
	}
	if err := k.Reviews.CheckGate(ctx, tx, *p); err != nil {
		return err
	}
	return k.Reviews.AskLater(ctx, tx, b, p)
}

// few refuses somebody who has more waiting than people can look at. The newest
// thousand calls are looked at, so that it stays quick. Gavel itself asks once for
// each thing in each case, however many cases there are.
func (k *taking) few(ctx context.Context, tx pgx.Tx) error {
	if k.actor.Kind == identity.System {
		return nil
	}
	const open = `select count(*) from (select id from gavel.call where org = $1 and by_id = $2 order by id desc limit 1000) c
		join gavel.proposal p on p.org = $1 and p.key = c.id || '/' || $3 where p.state = 'open'`
	var n int
	if err := tx.QueryRow(ctx, open, k.actor.Org, k.actor.ID, carriedCall).Scan(&n); err != nil {
		return err
	}
	if n >= mostOpen {
		return fault.New(fault.TooMany, "%d proposals of yours wait for people; that is the most", n).
			WithNext("wait until some are decided")
	}
	return nil
}

func (k *taking) queueCall(b *pgx.Batch, record audit.RecordID) {
	const insert = `insert into gavel.call (org, id, case_id, app, tool, args_sha256, by_kind, by_id, roles, scopes, via, record, at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`
	who := make([]string, len(k.actor.Roles))
	for i, r := range k.actor.Roles {
		who[i] = string(r)
	}
	b.Queue(insert, string(k.actor.Org), k.id, string(k.in.ID), k.tool.App, k.tool.Name, k.ruling.Args, string(k.actor.Kind), k.actor.ID,
		who, append([]string{}, k.actor.Scopes...), k.call.Via, string(record), k.at)
}

// shownCall is what a person decides on, to the letter: like what a run's call
// shows, and who asks in the place of the agent.
type shownCall struct {
	Tool   string          `json:"tool"`
	Line   string          `json:"line"`
	Effect string          `json:"effect"`
	Args   json.RawMessage `json:"args"`
	By     string          `json:"by"`  // the id of who asks
	Via    string          `json:"via"` // the door it came through
	Taint  bool            `json:"taint"`
	Case   string          `json:"case"`

	Finding finding.Finding `json:"finding"` // what they read first
}

// proposal is what people are asked, and what begins the workflow that waits for
// their answer.
func (k *taking) proposal(record audit.RecordID, found finding.Finding) (*review.Proposal, outbox.Start, error) {
	doc, err := canonical(shownCall{Tool: k.tool.Name, Line: k.tool.Line, Effect: string(k.tool.Effect), Args: k.ruling.args,
		By: k.actor.ID, Via: k.call.Via, Taint: true, Case: string(k.in.ID), Finding: found})
	if err != nil {
		return nil, outbox.Start{}, err
	}
	expiry := k.tool.Expiry(DefaultExpiry)
	remind, escalate := k.tool.Attention(expiry)
	due := time.Time{}
	if w := k.call.Within; 0 < w && w < expiry {
		due, remind, escalate = k.at.Add(w), w/2, w
	}
	input, err := json.Marshal(Carry{Input: casefile.Input{Org: k.actor.Org, Case: k.in.ID, Clock: k.Clock}, Call: k.id})
	if err != nil {
		return nil, outbox.Start{}, err
	}
	start := outbox.Start{Workflow: CarryOutName, Queue: k.tool.App, Subject: k.id, Input: input}
	p := &review.Proposal{Org: k.actor.Org, Case: string(k.in.ID), Kind: kindCall, App: k.tool.App, Tool: k.tool.Name,
		Effect: string(k.tool.Effect),
		Key:    actKey(k.id, carriedCall), Call: k.id, Gate: review.Gate(k.ruling.Gate), Args: k.ruling.args, ArgsSHA256: k.ruling.Args,
		Shown: doc, ShownSHA256: act.Digest(doc), RequestedBy: k.actor.ID, Deciders: k.tool.Deciders, Required: k.tool.Needed(),
		PolicyRecord: string(record), ExpiresAt: k.at.Add(expiry).Truncate(time.Second), RemindAt: k.at.Add(remind), Undo: k.tool.Undo,
		CreatedAt: k.at, DueAt: due,
		// no case has a key with a slash
		Wake: review.Wake{WorkflowID: k.tool.App + "/" + string(k.actor.Org) + "/proposal/" + k.id, Start: start,
			Case: k.in.App == k.tool.App}} // which looks at what became of what it asked for
	if k.actor.Kind == identity.Person {
		p.OnBehalfOf = k.actor.ID
	}
	if len(k.tool.EscalateTo) > 0 {
		p.EscalateTo, p.EscalateAt = k.tool.EscalateTo, k.at.Add(escalate)
	}
	return p, start, nil
}
