package agent

// A purse is what a run may still spend, in workflow code: it is part of the
// history, so a replay spends the same. Purses hang together: what a run spends
// is also spent by the run that set it to work.
type purse struct {
	parent *purse
	Limit  Budget `json:"limit"`
	Used   Spent  `json:"used"`
	held   int    // calls asked for and not settled yet
}

// Spent is what turns cost.
type Spent struct {
	Calls  int   `json:"c,omitempty"`
	Tokens int64 `json:"t,omitempty"`
	Money  int64 `json:"m,omitempty"`
}

// slice is a purse for a run that this one's run sets to work.
func (p *purse) slice(limit Budget) *purse { return &purse{parent: p, Limit: limit} }

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
