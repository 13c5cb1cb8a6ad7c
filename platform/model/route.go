package model

import "github.com/gavelhq/gavel/platform/fault"

// A Route is the way from an agent's wish ("careful", "fast") to a model: who
// is asked, for which model, with which settings, and what that costs.
type Route struct {
	Name     string    `json:"name"`
	Provider string    `json:"provider"` // name of the adapter, for pages
	Model    string    `json:"model"`
	Host     string    `json:"-"` // that is asked, for pages; empty for the vendor's own
	Params   Params    `json:"params,omitzero"`
	Price    *Price    `json:"price,omitempty"` // nil: unknown, and budgets count tokens only
	Window   int       `json:"window"`          // tokens that fit; 0 for the default
	Slots    *Slots    `json:"-"`               // how many requests may be under way; nil for no bound
	Ask      Generator `json:"-"`
}

// A Price is in millionths of the route's currency per million tokens, so that
// a sum of money is a whole number.
type Price struct {
	Currency string `json:"currency"`
	Input    int64  `json:"input"`
	Cached   int64  `json:"cached"`
	Output   int64  `json:"output"`
}

// Cost is what a usage costs, in millionths of the currency, rounded up.
func (p Price) Cost(u Usage) int64 {
	sum := (u.Input-u.Cached)*p.Input + u.Cached*p.Cached + u.Output*p.Output
	return (sum + 999_999) / 1_000_000
}

// Routes are the routes of an installation by name.
type Routes map[string]Route

// Find is the route of a name. An installation without it has no model for that
// work, which callers meet with templates and forms.
func (r Routes) Find(name string) (Route, error) {
	route, ok := r[name]
	if !ok {
		return Route{}, fault.New(fault.NotFound, "there is no model route %q; the settings name the routes", name)
	}
	return route, nil
}
