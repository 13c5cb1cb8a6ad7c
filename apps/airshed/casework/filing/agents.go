package filing

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/tool"
)

// agentAnalyst is the agent that words reports and puts them before people.
const agentAnalyst = "legal_analyst"

// routeLarge is the route to models that it asks for.
const routeLarge = "large"

// thinks reports whether there is a model to ask.
func (c *Clerk) thinks() bool { return c.routed != nil && c.routed(routeLarge) }

// Agents are Airshed's. The first design's five tasks are one case here: reading and
// validating the data, finding the surge and correlating the fires are code, done
// before the agent is asked; it words the summary of the report that code has built,
// and asks for it to be filed.
func (c *Clerk) Agents() []agent.Spec {
	return []agent.Spec{{App: store.Name, Name: agentAnalyst, Role: "a Legal Analyst and Evidence Correlator for clean air",
		Goal: "have each surge at the border put before people in a report that a tribunal can test",
		Instructions: `The data were read and validated, the surge was found and the fires were correlated with the wind, all by code. You are given the facts.

When you are asked to word a summary: you may look at the data with read_correlated_data_tool. Then answer with the summary in English and in Hindi, at most six
sentences each. Never type a number: put a fact's token in its place, as {{F1}}, with its name beside it, and use no other number words. Say what the air was, what
was found, and what the finding does not mean. Name a state only if the result is conclusive. Blame nobody, forecast nothing, recommend nothing.

When you are asked to have a report filed: call send_caqm_report_tool once, with exactly the report you were given. Two officers decide. Then answer with two empty lists.`,
		Tools: []string{toolRead, toolSend}, Answer: wordsAnswer, Route: routeLarge, Budget: agent.Budget{Calls: 10, Tokens: 200_000},
		Brief: c.brief}}
}

// wordsAnswer is the form of its answer.
var wordsAnswer = json.RawMessage(`{"type":"object","properties":{"en":{"type":"array","maxItems":8,"items":{"type":"string","maxLength":600}},
	"hi":{"type":"array","maxItems":8,"items":{"type":"string","maxLength":600}}},"required":["en","hi"],"additionalProperties":false}`)

// brief tells the agent what its task is about.
func (c *Clerk) brief(ctx context.Context, e tool.Env) (agent.Brief, error) {
	m, err := c.gather(ctx, casefile.Input{Org: e.Org, Case: casefile.CaseID(e.Case), Clock: c.store.Clock()}, c.store.Now())
	if err != nil {
		return agent.Brief{}, err
	}
	if m.draft == nil {
		return agent.Brief{}, fault.New(fault.Conflict, "case %s has no report", m.file.Ref)
	}
	r, err := c.reportOf(ctx, e.Org, *m.draft)
	if err != nil {
		return agent.Brief{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Report %s, about a surge at %s. The result is %s.\n", r.ID, r.Surge.Station, r.Attribution.Verdict)
	switch e.Task {
	case m.wordTask():
		err = tellFacts(&b, r, c.bucket(e.Org))
	case m.fileTask():
		err = tellFiling(&b, m)
	default:
		err = fault.New(fault.Conflict, "task %.40q is not about the newest draft", e.Task)
	}
	return agent.Brief{Parts: []agent.Said{{Text: b.String()}},
		Offered: []agent.Offer{{Field: toolRead + ".bucket_name", Values: []string{c.bucket(e.Org)}},
			{Field: toolSend + ".report.report_id", Values: []string{r.ID}}, {Field: toolSend + ".report.sha256",
				Values: []string{m.draft.JSON}}}}, err
}

// tellFacts asks for a summary, and tells what there is to say.
func tellFacts(b *strings.Builder, r report.Report, bucket string) error {
	fmt.Fprintf(b, "Word its summary. The data lake is %s. The report's own summary, which you may better:\n", bucket)
	for _, lang := range report.Langs() {
		for _, s := range r.Texts.In(lang).Summary {
			fmt.Fprintf(b, "%s: %s\n", lang, s)
		}
	}
	b.WriteString("The facts:\n")
	for _, f := range r.Facts {
		text, err := json.Marshal(map[string]any{"token": "{{" + string(f.ID) + "}}", "name": f.Name, "shown": f.Display,
			"about": f.Subject.IDs})
		if err != nil {
			return err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return nil
}

// tellFiling asks for the report to be put before people.
func tellFiling(b *strings.Builder, m *matter) error {
	args, err := json.Marshal(map[string]any{"report": map[string]any{"report_id": m.draft.ReportID, "sha256": m.draft.JSON},
		"save_local": true,
		"upload_s3":  m.clerk.surveyor.Watches(m.in.Org), "attempt": m.attempt})
	fmt.Fprintf(b, "Have it filed. Call %s with exactly these arguments:\n%s\n", toolSend, args)
	return err
}
