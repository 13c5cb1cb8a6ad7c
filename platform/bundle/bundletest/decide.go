package bundletest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/gowebpki/jcs"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// The people who decide, and the agent that asks them.
var (
	Officer = person(postgrestest.North, identity.Officer)
	Second  = identity.Actor{Kind: identity.Person, ID: "p:second", Name: "Second officer", Org: postgrestest.North,
		Roles: []identity.Role{identity.Officer}}
	Writer = identity.Actor{Kind: identity.Agent, ID: "agent:general/writer", Name: "writer", Org: postgrestest.North}
)

// A call is something that an agent wanted on a case.
type call struct {
	id, verdict string // "ask": a person decides; "act": policy lets it run
	tool        string
	effect      string
	required    int
	undo        time.Duration
	expires     time.Time
}

// Decided puts on a case what an agent proposed, what people answered, in every
// way there is, and what was done.
func (s *Stage) Decided(t testing.TB, id casefile.CaseID, seed int) {
	t.Helper()
	calls := []call{
		{id: "0.1", verdict: "ask", tool: "send_letter", effect: act.Outside},
		{id: "0.2", verdict: "ask", tool: "send_letter", effect: act.Outside},
		{id: "0.3", verdict: "act", tool: "enrol", effect: act.Outside},
		{id: "0.4", verdict: "ask", tool: "send_letter", effect: act.Outside},
		{id: "0.5", verdict: "ask", tool: "send_letter", effect: act.Outside, expires: time.Now().Add(-time.Second)},
		{id: "0.6", verdict: "ask", tool: "send_money", effect: act.Outside, required: 2, undo: time.Hour},
		{id: "0.7", verdict: "ask", tool: "send_letter", effect: act.Outside},
		{id: "0.8", verdict: "act", tool: "send_fax", effect: act.Outside},
	}
	run := fmt.Sprintf("run_%026d", seed)
	p := s.turn(t, id, run, seed, calls)
	s.answer(t, p["0.1"], Officer, review.Approve)
	s.answer(t, p["0.2"], Officer, review.Reject)
	s.answer(t, p["0.4"], Officer, review.Edit)
	_, err := s.Reviews.Expire(t.Context(), Analyst.Org, p["0.5"].ID, time.Now())
	must(t, err)
	s.answer(t, p["0.6"], Officer, review.Approve)
	s.answer(t, p["0.6"], Second, review.Approve)
	_, err = s.Reviews.Undo(t.Context(), Second, review.Decision{ID: "undo-" + p["0.6"].ID + "-x", Proposal: p["0.6"].ID,
		ShownSHA256: p["0.6"].ShownSHA256, Reason: "The van was in the garage."})
	must(t, err)
	s.carryOut(t, run+"/0.1", act.End{State: act.Done, Result: json.RawMessage(`{"sent":true}`)})
	s.carryOut(t, run+"/0.3", act.End{State: act.Failed, Reason: "The office is closed."})
	s.carryOut(t, run+"/0.8", act.End{State: act.Unknown, Reason: "The line broke.", Then: func(tx pgx.Tx, a act.Act) error {
		shown := []byte(`{"question":"Was this done?"}`)
		return propose(t.Context(), tx, &review.Proposal{Org: a.Org, Case: a.Case, Kind: "act_unknown", App: a.App, Key: a.Key + "/unknown",
			Run: a.Run, Call: a.Call,
			Gate: review.ByAnother, Args: a.Args, ArgsSHA256: a.ArgsSHA256, Shown: shown, ShownSHA256: act.Digest(shown),
			RequestedBy: Writer.ID, Deciders: []identity.Role{identity.Officer}, Allowed: []review.Verdict{review.Approve, review.Reject},
			CreatedAt: time.Now()})
	}})
}

// turn is what an agent wants: the record of what policy answered, proposals, and
// acts that policy lets run.
func (s *Stage) turn(t testing.TB, id casefile.CaseID, run string, seed int, calls []call) map[string]review.Proposal {
	t.Helper()
	args := func(c call) []byte { return fmt.Appendf(nil, `{"to":"office %d of call %s"}`, seed, c.id) }
	var ruled []map[string]any
	for _, c := range calls {
		ruled = append(ruled, map[string]any{"call": c.id, "tool": c.tool, "args_sha256": act.Digest(args(c)), "verdict": c.verdict,
			"policy": map[string]any{"call": true, "unattended": c.verdict == "act"}})
	}
	at := time.Now().Add(-time.Minute)
	out := map[string]review.Proposal{}
	must(t, s.DB.App.InOrg(t.Context(), Analyst.Org, func(tx pgx.Tx) error {
		record, err := audit.Append(t.Context(), tx, audit.Record{At: at, Kind: audit.Policy, App: "general", Actor: Writer, Subject: run,
			Body: map[string]any{"case": string(id), "calls": ruled}})
		if err != nil {
			return err
		}
		for _, c := range calls {
			key := run + "/" + c.id
			if c.verdict == "act" {
				b := &pgx.Batch{}
				must(t, act.PlanLater(b, Analyst.Org, act.Plan{Key: key, Case: string(id), Run: run, Call: c.id, App: "general",
					Tool: c.tool, Effect: c.effect,
					Agent: Writer.ID, Args: args(c), ArgsSHA256: act.Digest(args(c)), PolicyRecord: string(record), At: at, By: Writer}))
				must(t, tx.SendBatch(t.Context(), b).Close())
				continue
			}
			shown := fmt.Appendf(nil, `{"args":%s,"line":"Send a letter"}`, args(c))
			p := review.Proposal{Org: Analyst.Org, Case: string(id), Kind: "call", App: "general", Tool: c.tool, Effect: c.effect, Key: key,
				Run: run, Call: c.id,
				Gate: review.ByAnother, Args: args(c), ArgsSHA256: act.Digest(args(c)), Shown: shown, ShownSHA256: act.Digest(shown),
				RequestedBy: Writer.ID, OnBehalfOf: Analyst.ID, Deciders: []identity.Role{identity.Officer}, Required: c.required,
				PolicyRecord: string(record), Undo: c.undo, ExpiresAt: c.expires, CreatedAt: at}
			if err := propose(t.Context(), tx, &p); err != nil {
				return err
			}
			out[c.id] = p
		}
		return nil
	}))
	return out
}

func propose(ctx context.Context, tx pgx.Tx, p *review.Proposal) error {
	b := &pgx.Batch{}
	if err := review.ProposeLater(b, p); err != nil {
		return err
	}
	return tx.SendBatch(ctx, b).Close()
}

func (s *Stage) answer(t testing.TB, p review.Proposal, by identity.Actor, v review.Verdict) {
	t.Helper()
	s.answerFor(t, p, by, "", v)
}

// answerFor is answer in somebody's stead, by their id.
func (s *Stage) answerFor(t testing.TB, p review.Proposal, by identity.Actor, stead string, v review.Verdict) {
	t.Helper()
	d := review.Decision{ID: fmt.Sprintf("%s-%s-%s", v, p.ID, by.Name[:4]), Proposal: p.ID, ShownSHA256: p.ShownSHA256, Verdict: v,
		Reason: "Seen and weighed.", For: stead}
	if v == review.Edit {
		d.Edit = json.RawMessage(`{"to":"the union's office"}`)
	}
	_, err := s.Reviews.Decide(t.Context(), by, d)
	must(t, err)
}

func (s *Stage) carryOut(t testing.TB, key string, end act.End) {
	t.Helper()
	a, err := s.Acts.Get(t.Context(), Analyst.Org, key)
	must(t, err)
	claim, err := s.Acts.Begin(t.Context(), Analyst.Org, key, a.ArgsSHA256, time.Minute)
	must(t, err)
	_, err = s.Acts.Finish(t.Context(), Analyst.Org, key, claim.Fence, end, nil)
	must(t, err)
}

// anyArgs lets a person edit arguments to any JSON.
func anyArgs(_ review.Proposal, args json.RawMessage) (json.RawMessage, error) {
	return jcs.Transform(args)
}
