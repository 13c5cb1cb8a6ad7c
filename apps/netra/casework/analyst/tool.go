package analyst

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/brief"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
)

// toolHandIn is all that the agent can do: hand its sentences in.
const toolHandIn = "hand_in_briefing"

// mostRepairs is how often the agent is told what does not hold. Then what still does not is dropped.
const mostRepairs = store.MostDrafts - 1

// maxDraft bounds what is kept of a draft, in bytes.
const maxDraft = 16 << 10

// Tools are the analyst's.
func (a *Analyst) Tools() []tool.Tool {
	analysts := []identity.Role{identity.Analyst}
	t := tool.Tool{App: store.Name, Name: toolHandIn, Line: "Hand in the sentences of the briefing you are at. Code checks each and says what does not hold.",
		Effect: tool.Write, Gate: tool.Off, Roles: analysts, Deciders: analysts}
	return []tool.Tool{tool.Finds(tool.Writes(t, a.handIn), a.find)}
}

type handInArgs struct {
	Sentences []string `json:"sentences" jsonschema:"Plain sentences, each with the token of the one fact it cites."`
}

type handInResult struct {
	Accepted bool            `json:"accepted"`
	Findings []brief.Finding `json:"findings"`
	Held     int             `json:"sentences_that_hold"`
	Repairs  int             `json:"repairs_left"`
}

// handIn takes sentences in: all of them if they hold, and those that do once they were repaired as often as they may be.
func (a *Analyst) handIn(ctx context.Context, tx pgx.Tx, e tool.Env, in handInArgs) (out handInResult, err error) {
	g, err := groundOf(ctx, tx, casefile.CaseID(e.Case))
	if err != nil {
		return out, err
	}
	if g.briefing.State != store.WordingAsked {
		return out, fault.New(fault.Conflict, "briefing %s is done", g.briefing.ID)
	}
	before, err := store.Drafts(ctx, tx, g.briefing.ID)
	if err != nil {
		return out, err
	}
	n := len(before) + 1
	if n > mostRepairs+1 {
		return out, fault.New(fault.Conflict, "briefing %s was handed in often enough", g.briefing.ID)
	}
	j := g.bench.Judge(g.briefing.Lang, in.Sentences)
	body, err := json.Marshal(in.Sentences)
	if err != nil {
		return out, err
	}
	if len(body) > maxDraft {
		body = []byte(`["too long to be kept"]`)
	}
	if err := store.AddDraft(ctx, tx, e.Org, g.briefing.ID, store.Draft{N: n, Body: string(body), Found: len(j.Found),
		At: a.store.Now()}); err != nil {
		return out, err
	}
	if err := a.say(ctx, tx, e, n, j); err != nil {
		return out, err
	}
	out = handInResult{Findings: append([]brief.Finding{}, j.Found[:min(len(j.Found), 2*brief.MaxSentences)]...), Held: len(j.Held),
		Repairs: mostRepairs + 1 - n}
	if !j.Clean() && out.Repairs > 0 {
		return out, nil
	}
	out.Accepted = len(j.Held) > 0
	return out, store.EndBriefing(ctx, tx, g.briefing.ID, j.Held, e.Run, a.store.Now())
}

// say notes on the case how far the agent has come, so that whoever waits for the briefing sees it.
func (a *Analyst) say(ctx context.Context, tx pgx.Tx, e tool.Env, n int, j brief.Judgement) error {
	file := casefile.CaseID(e.Case)
	if _, err := casefile.Lock(ctx, tx, file); err != nil {
		return err
	}
	g := identity.Gavel(e.Org)
	_, _, err := casefile.Apply(ctx, tx, file, casefile.Change{State: casefile.Waiting, Status: statusWording, WaitingFor: "an agent",
		Key: fmt.Sprintf("draft:%d", n), Entry: casefile.Entry{Kind: "netra_draft", At: a.store.Now(), ActorKind: g.Kind, ActorID: g.ID,
			ActorName: g.Name, Text: fmt.Sprintf("Sentences were handed in: %d hold, %d do not.", len(j.Held), len(j.Found))}})
	return err
}

// find is what people would read, if policy had them asked about a draft.
func (a *Analyst) find(ctx context.Context, tx pgx.Tx, e tool.Env, in handInArgs) (finding.Finding, error) {
	g, err := groundOf(ctx, tx, casefile.CaseID(e.Case))
	if err != nil {
		return finding.Finding{}, err
	}
	j := g.bench.Judge(g.briefing.Lang, in.Sentences)
	says := finding.Words{En: fmt.Sprintf("%d sentences hold and %d do not.", len(j.Held), len(j.Found)),
		Hi: fmt.Sprintf("%d वाक्य सही ठहरते हैं, %d नहीं।", len(j.Held), len(j.Found))}
	f := finding.Finding{Subject: finding.Subject{Kind: "district", Name: finding.Short(g.bench.District), Of: finding.Short(g.bench.State),
		Link: "/netra/districts/" + url.PathEscape(strconv.Itoa(g.bench.LGD))},
		Brief: finding.Words{En: "a briefing by an agent", Hi: "एजेंट का विवरण"}, Says: says, Plain: says,
		Change: finding.Words{En: "Other sentences, or other facts.", Hi: "दूसरे वाक्य, या दूसरे तथ्य।"}}
	return f.Unmeasured(finding.Words{En: "Code checks each sentence by itself.", Hi: "कोड हर वाक्य की अलग से जाँच करता है।"}), nil
}
