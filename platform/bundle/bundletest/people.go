package bundletest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// Deputy decides nothing by their own right.
var Deputy = identity.Actor{Kind: identity.Person, ID: "p:deputy", Name: "Deputy analyst", Org: postgrestest.North,
	Roles: []identity.Role{identity.Analyst}}

// known finds those who delegate and to whom.
func known(_ context.Context, _ pgx.Tx, org identity.Org, id string) (identity.Actor, error) {
	for _, who := range []identity.Actor{Officer, Second, Deputy} {
		if who.ID == id && who.Org == org {
			return who, nil
		}
	}
	return identity.Actor{}, fault.New(fault.NotFound, "nobody is called %s", id)
}

// Deputised puts on a case what somebody decided in others' stead, alone and
// beside others. The officer's delegation is ended afterwards; the second
// officer's goes on until the next case has one of its own.
func (s *Stage) Deputised(t testing.TB, id casefile.CaseID, seed int) {
	t.Helper()
	run := fmt.Sprintf("run_1%025d", seed)
	p := s.turn(t, id, run, seed, []call{
		{id: "1.1", verdict: "ask", tool: "send_letter", effect: act.Outside},
		{id: "1.2", verdict: "ask", tool: "send_money", effect: act.Outside, required: 2},
		{id: "1.3", verdict: "ask", tool: "send_letter", effect: act.Outside},
		{id: "1.4", verdict: "ask", tool: "send_money", effect: act.Outside, required: 2},
	})
	ends := time.Now().Add(24 * time.Hour)
	before, _, err := s.Reviews.Delegations(t.Context(), Second, review.DelegationQuery{Person: Second.ID})
	must(t, err)
	for _, d := range before {
		_, err = s.Reviews.EndDelegation(t.Context(), Second, d.ID)
		must(t, err)
	}
	first, err := s.Reviews.Delegate(t.Context(), Officer, review.Delegating{To: Deputy.ID, App: "general", EndsAt: ends,
		Reason: "At the dentist's."})
	must(t, err)
	_, err = s.Reviews.Delegate(t.Context(), Second, review.Delegating{To: Deputy.ID, Kind: "call", EndsAt: ends})
	must(t, err)
	s.answerFor(t, p["1.1"], Deputy, Officer.ID, review.Approve)
	s.answerFor(t, p["1.2"], Deputy, Officer.ID, review.Approve)
	s.answer(t, p["1.2"], Second, review.Approve)
	s.answerFor(t, p["1.3"], Deputy, Second.ID, review.SendBack)
	s.answer(t, p["1.4"], Second, review.Approve) // and nobody else so far
	s.carryOut(t, run+"/1.1", act.End{State: act.Done, Result: json.RawMessage(`{"sent":true}`)})
	_, err = s.Reviews.EndDelegation(t.Context(), Officer, first.ID)
	must(t, err)
}

// Truths is what was wrong with the tests of Tested, in their order: one that was approved,
// one that was rejected, one that nobody decided in time, one that waits for a
// second approval, and one that nobody has seen.
var Truths = []string{"The office has moved.", "The rider was on leave.", "The sum is twice too high.", "The van is not theirs.",
	"The day was a holiday."}

// Tested puts proposals on a case that are known to be wrong, as the turn of an
// agent would.
func (s *Stage) Tested(t testing.TB, id casefile.CaseID, seed int) {
	t.Helper()
	run := fmt.Sprintf("run_2%025d", seed)
	real := s.turn(t, id, run, seed, []call{{id: "2.1", verdict: "ask", tool: "send_letter", effect: act.Outside}})["2.1"]
	var tests []review.Proposal
	for i, truth := range Truths {
		p := real
		p.Key, p.ID = fmt.Sprintf("%s+%08x", real.Key, 1000*seed+i), ""
		p.Args = fmt.Appendf(nil, `{"to":"the wrong office %d of %d"}`, i, seed)
		p.Shown = fmt.Appendf(nil, `{"args":%s,"line":"Send a letter"}`, p.Args)
		p.ArgsSHA256, p.ShownSHA256, p.ExpiresAt = act.Digest(p.Args), act.Digest(p.Shown), time.Now().Add(time.Hour)
		if i == 2 {
			p.ExpiresAt = time.Now().Add(-time.Second)
		}
		if i == 3 {
			p.Required = 2
		}
		must(t, s.DB.App.InOrg(t.Context(), p.Org, func(tx pgx.Tx) error {
			b := &pgx.Batch{}
			must(t, review.SeedLater(b, &p, truth))
			return tx.SendBatch(t.Context(), b).Close()
		}))
		tests = append(tests, p)
	}
	s.answer(t, tests[0], Officer, review.Approve)
	s.answerFor(t, tests[1], Deputy, Second.ID, review.Reject)
	_, err := s.Reviews.ExpireSeeds(t.Context(), Analyst.Org, time.Now())
	must(t, err)
	s.answer(t, tests[3], Second, review.Approve)
	s.Last = tests[4]
	for _, p := range []review.Proposal{real, s.Last} {
		must(t, s.Reviews.Snooze(t.Context(), Second, p.ID, time.Now().Add(time.Minute)))
		if _, err := s.Reviews.Decide(t.Context(), Deputy, review.Decision{ID: "refused-" + p.ID, Proposal: p.ID,
			ShownSHA256: p.ShownSHA256, Verdict: review.Approve, For: "p:nobody"}); !fault.Is(err, fault.Refused) {
			t.Fatalf("somebody without a right decides %s: %v", p.ID, err)
		}
	}
}

// Outside puts on a case what somebody asked for from a program of their own, in
// no run, and what came of it.
func (s *Stage) Outside(t testing.TB, id casefile.CaseID, seed int) {
	t.Helper()
	name := fmt.Sprintf("call_%026d", seed)
	args := fmt.Appendf(nil, `{"to":"office %d, from outside"}`, seed)
	at := time.Now().Add(-time.Minute)
	shown := fmt.Appendf(nil, `{"args":%s,"by":%q}`, args, Analyst.ID)
	p := review.Proposal{Org: Analyst.Org, Case: string(id), Kind: "call", App: "general", Tool: "send_letter", Effect: act.Outside,
		Key: name + "/0", Call: name,
		Gate: review.ByAnother, Args: args, ArgsSHA256: act.Digest(args), Shown: shown, ShownSHA256: act.Digest(shown),
		RequestedBy: Analyst.ID, OnBehalfOf: Analyst.ID, Deciders: []identity.Role{identity.Officer}, CreatedAt: at}
	must(t, s.DB.App.InOrg(t.Context(), Analyst.Org, func(tx pgx.Tx) error {
		ruled := map[string]any{"call": name, "tool": p.Tool, "args_sha256": p.ArgsSHA256, "verdict": "ask",
			"policy": map[string]any{"call": true, "unattended": false}}
		record, err := audit.Append(t.Context(), tx, audit.Record{At: at, Kind: audit.Policy, App: "general", Actor: Analyst,
			Subject: string(id),
			Body:    map[string]any{"case": string(id), "calls": []any{ruled}}})
		if err != nil {
			return err
		}
		p.PolicyRecord = string(record)
		return propose(t.Context(), tx, &p)
	}))
	s.answer(t, p, Officer, review.Approve)
	s.carryOut(t, p.Key, act.End{State: act.Done, Result: json.RawMessage(`{"sent":true}`)})
}
