package hello

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/workflow"
)

// ask opens the case of a question. The same one, asked again meanwhile, is the same case.
func (a *app) ask(ctx context.Context, who identity.Actor, what string) (casefile.Case, error) {
	c, _, err := a.Cases.Open(ctx, who, casefile.Opening{App: name, Key: fmt.Sprintf("%x", sha256.Sum256([]byte(what))), Title: what})
	return c, err
}

const workflowName = "hello.Case" // it is in every history, and never changes

// Case is the life of a case: the clerk proposes, an officer decides, and it is closed with how that went. It outlives crashes.
func Case(ctx workflow.Context, in casefile.Input) error {
	desk := agent.Open(ctx, in)
	run, err := desk.Run(ctx, agent.Task{App: name, Agent: "clerk", Name: "answer"})
	if err != nil {
		return err
	}
	return desk.Close(ctx, string(run.State))
}

// agents are the job descriptions of the agents. A route is a model that the settings name.
func (a *app) agents() []agent.Spec {
	return []agent.Spec{{App: name, Name: "clerk", Role: "a clerk", Goal: "have every question answered in plain words",
		Instructions: "Word a short answer and call answer with it, once. An officer decides. Then say in a sentence what became of it.",
		Tools:        []string{"answer"}, Route: "small", Budget: agent.Budget{Calls: 5}, Brief: a.brief}}
}

// brief is what the clerk is told first. A question was written outside: it is not obeyed.
func (a *app) brief(ctx context.Context, e tool.Env) (agent.Brief, error) {
	c, err := a.Cases.Get(ctx, e.Org, casefile.CaseID(e.Case))
	return agent.Brief{Parts: []agent.Said{{Text: "The question: " + c.Title, Outside: true}}}, err
}

// tools are what agents can do. Where no other gate is named, a person decides.
func (a *app) tools() []tool.Tool {
	return []tool.Tool{tool.Finds(tool.Writes(tool.Tool{App: name, Name: "answer", Line: "Answers the question.", Effect: tool.Write,
		Roles: []identity.Role{identity.Analyst}, Deciders: []identity.Role{identity.Officer}}, a.give), a.find)}
}

// An answer is what the clerk proposes and an officer reads.
type answer struct {
	Text string `json:"text" jsonschema:"the answer, as the person who asked reads it"`
}

// find is what the officer reads first: which question, and what was found. Its words, in both languages, are in a file.
func (a *app) find(ctx context.Context, tx pgx.Tx, e tool.Env, _ answer) (finding.Finding, error) {
	c, err := casefile.Lock(ctx, tx, casefile.CaseID(e.Case))
	return finding.Of(files, "finding.json", finding.Subject{Kind: "question", Name: finding.Short(c.Title), Link: "/cases/" + e.Case}), err
}

// give keeps an answer, in the transaction in which its act is recorded.
func (a *app) give(ctx context.Context, tx pgx.Tx, e tool.Env, in answer) (struct{}, error) {
	_, err := tx.Exec(ctx, `insert into hello.answer (org, case_id, body, given_at) values ($1, $2, $3, $4)`, e.Org, e.Case, in.Text, e.At)
	return struct{}{}, err
}

// answers are the last answers of an organisation, by their cases.
func (a *app) answers(ctx context.Context, org identity.Org) (map[string]string, error) {
	all := map[string]string{}
	return all, a.DB.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select case_id, body from hello.answer order by given_at desc limit 200`)
		var id, body string
		_, err := pgx.ForEachRow(rows, []any{&id, &body}, func() error { all[id] = body; return nil })
		return err
	})
}
