package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

const modelsPath = "/admin/models"

// A modelsView is which models are asked, what they cost, and what agents may
// spend.
type modelsView struct {
	routes []model.Route
	by     agent.SpendBy
	spent  []agent.SpendRow
	agents []agentView
}

// An agentView is an agent with what its runs came to.
type agentView struct {
	agent.Spec
	routed   bool
	currency string
	cost     agent.RunCost // of no runs where there were none
}

// models is the page of models, prices and budgets.
func (c *Console) models(w http.ResponseWriter, r *http.Request) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	if c.Runs == nil {
		return fault.New(fault.Unavailable, "runs are not set up on this server").Because("not_set_up")
	}
	p := c.adminPage(r, "models.title")
	v := modelsView{by: cmp.Or(agent.SpendBy(r.URL.Query().Get("by")), agent.ByRoute), routes: c.routes()}
	periods := agent.PeriodsAt(p.Now)
	if v.spent, err = c.Runs.Spend(r.Context(), actor, v.by, periods); err != nil {
		return err
	}
	costs, err := c.Runs.RunCosts(r.Context(), actor, periods.Month)
	if err != nil {
		return err
	}
	v.agents = c.agentViews(costs)
	return c.site.Render(w, r, http.StatusOK, p, modelsBody(p, v))
}

// routes are the routes to models, by name.
func (c *Console) routes() []model.Route {
	var all []model.Route
	for _, r := range c.Setup.Routes {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b model.Route) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (c *Console) agentViews(costs []agent.RunCost) []agentView {
	var all []agentView
	for _, spec := range c.Setup.Agents {
		v := agentView{Spec: spec}
		route, ok := c.Setup.Routes[spec.Route]
		if v.routed = ok; ok && route.Price != nil {
			v.currency = route.Price.Currency
		}
		if at := slices.IndexFunc(costs, func(k agent.RunCost) bool { return k.App == spec.App && k.Agent == spec.Name }); at >= 0 {
			v.cost = costs[at]
		}
		all = append(all, v)
	}
	return all
}

// routeUsers names the agents that ask by a route.
func (v modelsView) routeUsers(route string) string {
	var names []string
	for _, a := range v.agents {
		if a.Route == route {
			names = append(names, a.App+"/"+a.Name)
		}
	}
	return strings.Join(names, ", ")
}

func modelsAddress(by agent.SpendBy) string {
	if by == agent.ByRoute {
		return modelsPath
	}
	return modelsPath + "?by=" + url.QueryEscape(string(by))
}

// spendWords is what a period cost: money where a price is known, tokens always.
func spendWords(p *web.Page, s agent.PeriodSpend, currency string) string {
	if s.Calls == 0 {
		return "–"
	}
	tokens := p.T("runs.tokens", "n", web.Numeral(s.Tokens))
	if currency == "" {
		return tokens
	}
	return money(s.Money, currency) + " · " + tokens
}

// todayWords is what today cost so far, in all currencies.
func todayWords(p *web.Page, rows []agent.SpendRow) string {
	sums, tokens := map[string]int64{}, int64(0)
	var order []string
	for _, r := range rows {
		tokens += r.Today.Tokens
		if r.Currency == "" || r.Today.Calls == 0 {
			continue
		}
		if _, known := sums[r.Currency]; !known {
			order = append(order, r.Currency)
		}
		sums[r.Currency] += r.Today.Money
	}
	slices.Sort(order)
	words := make([]string, 0, len(order)+1)
	for _, currency := range order {
		words = append(words, money(sums[currency], currency))
	}
	return strings.Join(append(words, p.T("runs.tokens", "n", web.Numeral(tokens))), " · ")
}

// priceWords is what a million tokens cost.
func priceWords(millionths int64, currency string) string { return money(millionths, currency) }

// budgetWords is a bound of a run; 0 is none.
func budgetWords(p *web.Page, n int64) string {
	if n == 0 {
		return p.T("models.unbounded")
	}
	return web.Numeral(n)
}

// spread is the middle and the largest of what runs used.
func spread(s agent.Spread) string { return web.Numeral(s.Median) + " / " + web.Numeral(s.Most) }

// near reports whether the largest run came close to a bound.
func near(most, bound int64) bool { return bound > 0 && most*10 >= bound*9 }
