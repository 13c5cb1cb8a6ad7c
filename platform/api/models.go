package api

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
)

// Models answers for which models are asked, what they cost, and what agents may
// spend.
type Models struct {
	Routes model.Routes
	Agents []agent.Spec
	Runs   *agent.Store
	Now    func(ctx context.Context, org identity.Org) time.Time // in the organisation's zone: a day is theirs
}

// Operations registers what it answers.
func (s *Models) Operations(a *API) {
	const tag = "Models and spending"
	List(a, Route{ID: "listModels", Path: "/v1/models", Acts: []string{"admin.read"}, Tag: tag, Title: "List the routes to models",
		Text: "Which model each route leads to, at which host, at what price. Keys are never shown."}, s.routes)
	List(a, Route{ID: "listSpending", Path: "/v1/spending", Acts: []string{"admin.read"}, Tag: tag, Title: "List what models have cost",
		Text: "Today, in seven days and in thirty, today among them, by your organisation's days, from the recorded steps. What was " +
			"paid in two currencies is two rows."}, s.spending)
	List(a, Route{ID: "listAgents", Path: "/v1/agents", Acts: []string{"admin.read"}, Tag: tag,
		Title: "List the agents, what a run may spend and what runs spent",
		Text: "The budget is of one run, those it sets to work included; spent is the middle and the largest of the runs that began in " +
			"thirty days."}, s.agents)
}

// A ModelBody is a route to a model.
type ModelBody struct {
	Route       string   `json:"route"`
	Provider    string   `json:"provider"`
	Model       string   `json:"model"`
	Host        string   `json:"host" doc:"Empty: the vendor's own."`
	Currency    string   `json:"currency" doc:"Empty: no price is known, and budgets count tokens only."`
	PriceInput  string   `json:"price_input_per_million"`
	PriceCached string   `json:"price_cached_per_million"`
	PriceOutput string   `json:"price_output_per_million"`
	Window      int      `json:"window_tokens" doc:"0: the default."`
	Agents      []string `json:"agents" doc:"That ask by this route."`
}

type listModelsInput struct{ Paging }

func (s *Models) routes(context.Context, identity.Actor, *listModelsInput, string, int) ([]ModelBody, string, error) {
	out := make([]ModelBody, 0, len(s.Routes))
	for name, r := range s.Routes {
		b := ModelBody{Route: name, Provider: r.Provider, Model: r.Model, Host: r.Host, Window: r.Window, Agents: []string{}}
		if p := r.Price; p != nil {
			b.Currency, b.PriceInput, b.PriceCached, b.PriceOutput = p.Currency, decimal(p.Input), decimal(p.Cached), decimal(p.Output)
		}
		for _, a := range s.Agents {
			if a.Route == name {
				b.Agents = append(b.Agents, a.App+"/"+a.Name)
			}
		}
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b ModelBody) int { return cmp.Compare(a.Route, b.Route) })
	return out, "", nil
}

// decimal is an amount in millionths as a decimal, without idle noughts.
func decimal(millionths int64) string {
	text := fmt.Sprintf("%d.%06d", millionths/1_000_000, millionths%1_000_000)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// A SpendingBody is what one route, application or agent has cost. Money is a
// decimal in the currency.
type SpendingBody struct {
	Key         string `json:"key" doc:"The route, the application, or app/agent."`
	Model       string `json:"model" doc:"That answered last."`
	Currency    string `json:"currency" doc:"Empty: no price was known."`
	CallsToday  int64  `json:"calls_today"`
	TokensToday int64  `json:"tokens_today"`
	MoneyToday  string `json:"money_today"`
	Calls7      int64  `json:"calls_7d"`
	Tokens7     int64  `json:"tokens_7d"`
	Money7      string `json:"money_7d"`
	Calls30     int64  `json:"calls_30d"`
	Tokens30    int64  `json:"tokens_30d"`
	Money30     string `json:"money_30d"`
	Unpriced30  int64  `json:"unpriced_calls_30d" doc:"Calls that money leaves out."`
	P50         int64  `json:"turn_p50_ms" doc:"Of a turn, its look-ups included."`
	P95         int64  `json:"turn_p95_ms"`
	Failed      int64  `json:"failed_runs_30d" doc:"That failed or used their budget up."`
}

type listSpendingInput struct {
	Paging
	By agent.SpendBy `query:"by" enum:"route,app,agent" doc:"route if it is left out."`
}

func (s *Models) spending(ctx context.Context, who identity.Actor, in *listSpendingInput, _ string, _ int) ([]SpendingBody, string, error) {
	rows, err := s.Runs.Spend(ctx, who, cmp.Or(in.By, agent.ByRoute), agent.PeriodsAt(s.Now(ctx, who.Org)))
	out := make([]SpendingBody, len(rows))
	for i, r := range rows {
		out[i] = SpendingBody{Key: r.Key, Model: r.Model, Currency: r.Currency,
			CallsToday: r.Today.Calls, TokensToday: r.Today.Tokens, MoneyToday: decimal(r.Today.Money),
			Calls7: r.Week.Calls, Tokens7: r.Week.Tokens, Money7: decimal(r.Week.Money),
			Calls30: r.Month.Calls, Tokens30: r.Month.Tokens, Money30: decimal(r.Month.Money), Unpriced30: r.Month.Unpriced,
			P50: r.P50.Milliseconds(), P95: r.P95.Milliseconds(), Failed: r.Failed}
	}
	return out, "", err
}

// An AgentBody is an agent, what one of its runs may spend, and what they did.
type AgentBody struct {
	App          string `json:"app"`
	Name         string `json:"name"`
	Role         string `json:"role"`
	Route        string `json:"route"`
	Routed       bool   `json:"routed" doc:"There is a route of that name; without one the agent can do nothing."`
	BudgetCalls  int    `json:"budget_calls"`
	BudgetTokens int64  `json:"budget_tokens" doc:"0: no bound of its own."`
	BudgetMoney  string `json:"budget_money" doc:"In the route's currency; 0: no bound of its own."`
	Runs         int64  `json:"runs_30d"`
	OutOfBudget  int64  `json:"out_of_budget_30d"`
	MedianCalls  int64  `json:"median_calls"`
	MostCalls    int64  `json:"most_calls"`
	MedianTokens int64  `json:"median_tokens"`
	MostTokens   int64  `json:"most_tokens"`
	MedianMoney  string `json:"median_money"`
	MostMoney    string `json:"most_money"`
	Currency     string `json:"currency"`
}

type listAgentsInput struct {
	Paging
	App string `query:"app" maxLength:"40"`
}

func (s *Models) agents(ctx context.Context, who identity.Actor, in *listAgentsInput, _ string, _ int) ([]AgentBody, string, error) {
	costs, err := s.Runs.RunCosts(ctx, who, agent.PeriodsAt(s.Now(ctx, who.Org)).Month)
	if err != nil {
		return nil, "", err
	}
	out := []AgentBody{}
	for _, spec := range s.Agents {
		if in.App != "" && spec.App != in.App {
			continue
		}
		_, routed := s.Routes[spec.Route]
		b := AgentBody{App: spec.App, Name: spec.Name, Role: spec.Role, Route: spec.Route, Routed: routed,
			BudgetCalls: spec.Budget.Calls, BudgetTokens: spec.Budget.Tokens, BudgetMoney: decimal(spec.Budget.Money), MedianMoney: "0",
			MostMoney: "0"}
		for _, c := range costs {
			if c.App == spec.App && c.Agent == spec.Name {
				b.Runs, b.OutOfBudget, b.Currency = c.Runs, c.OutOf, c.Currency
				b.MedianCalls, b.MostCalls, b.MedianTokens, b.MostTokens = c.Calls.Median, c.Calls.Most, c.Tokens.Median, c.Tokens.Most
				b.MedianMoney, b.MostMoney = decimal(c.Money.Median), decimal(c.Money.Most)
			}
		}
		out = append(out, b)
	}
	return out, "", nil
}
