package agent

import "slices"

// A purse is what a run may still spend, in workflow code: it is part of the
// history, so a replay spends the same. Purses hang together: what a run spends
// is also spent by the run that set it to work.
type purse struct {
	parent *purse
	Limit  Budget `json:"limit"`
	Used   Spent  `json:"used"`
	held   int    // calls asked for and not settled yet
	below  int    // runs at work that share it
}

// Spent is what turns cost.
type Spent struct {
	Calls  int   `json:"c,omitempty"`
	Tokens int64 `json:"t,omitempty"`
	Money  int64 `json:"m,omitempty"`
}

// and is the sum of two.
func (s Spent) and(more Spent) Spent {
	return Spent{Calls: s.Calls + more.Calls, Tokens: s.Tokens + more.Tokens, Money: s.Money + more.Money}
}

// slice is a purse for a run that this one's run sets to work.
func (p *purse) slice(limit Budget) *purse { return &purse{parent: p, Limit: limit} }

// alone reports whether nobody else takes out of it, or out of one above it.
func (p *purse) alone() bool {
	for q := p.parent; q != nil; q = q.parent {
		if q.below > 1 {
			return false
		}
	}
	return true
}

// pockets are the purse and those above it, for a stretch.
func (p *purse) pockets() (all []pocket) {
	for q := p; q != nil; q = q.parent {
		all = append(all, pocket{q.Limit, q.Used})
	}
	return all
}

// purseOf is pockets back.
func purseOf(pockets []pocket) *purse {
	var p *purse
	for _, one := range slices.Backward(pockets) {
		p = &purse{parent: p, Limit: one.Limit, Used: one.Used}
	}
	return p
}

// reserve takes one call out of this purse and every one above it before a model
// is asked, or takes nothing and says which bound is reached.
func (p *purse) reserve() (short string, ok bool) {
	for q := p; q != nil; q = q.parent {
		switch {
		case q.Used.Calls+q.held >= q.Limit.Calls:
			return "model calls", false
		case q.Limit.Tokens > 0 && q.Used.Tokens >= q.Limit.Tokens:
			return "tokens", false
		case q.Limit.Money > 0 && q.Used.Money >= q.Limit.Money:
			return "money", false
		}
	}
	for q := p; q != nil; q = q.parent {
		q.held++
	}
	return "", true
}

// settle replaces a reservation by what was really spent.
func (p *purse) settle(s Spent) {
	for q := p; q != nil; q = q.parent {
		q.held--
		q.Used.Calls += s.Calls
		q.Used.Tokens += s.Tokens
		q.Used.Money += s.Money
	}
}

// tokens is how many tokens are left under every bound above; 0 for no bound.
func (p *purse) tokens() int64 {
	var least int64
	for q := p; q != nil; q = q.parent {
		if q.Limit.Tokens == 0 {
			continue
		}
		if left := q.Limit.Tokens - q.Used.Tokens; least == 0 || left < least {
			least = left
		}
	}
	return least
}
