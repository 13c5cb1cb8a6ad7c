package console

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// What the home of administrators looks at. Each look adds what needs attention
// and what is set, as far as its reader may see it.

func (c *Console) lookAtPauses(p *web.Page, r *http.Request, actor identity.Actor, v *adminView) (err error) {
	if c.Pauses == nil || !p.May("pause.read") {
		return nil
	}
	if v.pauses.on, err = c.Pauses.On(r.Context(), actor.Org); err != nil {
		return err
	}
	for _, on := range v.pauses.on {
		v.needs = append(v.needs, attention{"bad", "pause", p.T("admin.paused", "what", scopeWords(p, on.Scope), "since", p.Moment(on.At),
			"n", web.Numeral(on.Held)), p.T("admin.paused_link"), pausesPath})
	}
	return nil
}

func (c *Console) lookAtSources(p *web.Page, r *http.Request, actor identity.Actor, v *adminView) error {
	if c.Evidence == nil || !p.May("source.read") {
		return nil
	}
	all, err := c.Evidence.Standings(r.Context(), actor.Org)
	if err != nil {
		return err
	}
	for _, s := range all {
		if !s.Overdue() { // one that nobody has used yet is no concern
			continue
		}
		text := p.T("admin.source_late", "source", s.Source.Title, "late", p.Span(s.Delay))
		v.needs = append(v.needs, attention{"warn", "stale", text, p.T("admin.source_link"), sourceAddress(s.Source.Name)})
	}
	v.settings = append(v.settings, setting{p.T("sources.title"), p.T("admin.set.sources", "n", strconv.Itoa(len(all))), sourcesPath})
	return nil
}

func (c *Console) lookAtModels(p *web.Page, r *http.Request, actor identity.Actor, v *adminView) error {
	for _, a := range c.Setup.Agents {
		if _, ok := c.Setup.Routes[a.Route]; !ok {
			v.needs = append(v.needs, attention{"warn", "model", p.T("admin.unrouted", "agent", a.App+"/"+a.Name, "route", a.Route),
				p.T("admin.models_link"), modelsPath})
		}
	}
	if c.Runs == nil {
		return nil
	}
	spent, err := c.Runs.Spend(r.Context(), actor, agent.ByRoute, agent.PeriodsAt(p.Now))
	if err != nil {
		return err
	}
	v.settings = append(v.settings, setting{p.T("models.title"), p.T("admin.set.models", "routes", strconv.Itoa(len(c.Setup.Routes)),
		"agents", strconv.Itoa(len(c.Setup.Agents)), "spent", todayWords(p, spent)), modelsPath})
	return nil
}

func (c *Console) lookAtRuns(p *web.Page, r *http.Request, actor identity.Actor, v *adminView) error {
	if c.Runs == nil || !p.May("run.read") {
		return nil
	}
	bad, next, err := c.Runs.List(r.Context(), actor.Org, agent.Query{States: []agent.State{agent.Failed, agent.OutOfBudget}, Kept: true,
		Limit: 50})
	if err != nil || len(bad) == 0 {
		return err
	}
	day := p.Now.Add(-24 * time.Hour)
	n := 0
	for _, one := range bad {
		if one.EndedAt != nil && one.EndedAt.After(day) {
			n++
		}
	}
	if n > 0 {
		words := strconv.Itoa(n)
		if next != "" && n == len(bad) {
			words += "+"
		}
		v.needs = append(v.needs, attention{"warn", "run", p.T("admin.failed", "n", words), p.T("admin.failed_link"),
			"/runs?state=trouble"})
	}
	return nil
}

// tokenSoon is how long before its end a token is spoken of; tokenIdle is how long
// one that nobody used is left alone.
const (
	tokenSoon = 14 * 24 * time.Hour
	tokenIdle = 90 * 24 * time.Hour
)

func (c *Console) lookAtTokens(p *web.Page, r *http.Request, actor identity.Actor, v *adminView) error {
	if c.Setup.Tokens == nil || !p.May("token.read") {
		return nil
	}
	all, err := c.Setup.Tokens(r.Context(), actor)
	if err != nil {
		return err
	}
	good := 0
	path := signin.PeoplePath + "/tokens"
	for _, t := range all {
		if !t.Good(p.Now) {
			continue
		}
		good++
		used := t.IssuedAt
		if t.UsedAt != nil {
			used = *t.UsedAt
		}
		switch left := t.ExpiresAt.Sub(p.Now); {
		case left < tokenSoon:
			v.needs = append(v.needs, attention{"warn", "clock", p.T("admin.token_ends", "token", t.Name, "left", p.Span(left)),
				p.T("admin.tokens_link"), path})
		case p.Now.Sub(used) > tokenIdle:
			v.needs = append(v.needs, attention{"plain", "lock", p.T("admin.token_idle", "token", t.Name, "idle", p.Span(p.Now.Sub(used))),
				p.T("admin.tokens_link"), path})
		}
	}
	v.settings = append(v.settings, setting{p.T("admin.tokens"), p.T("admin.set.tokens", "n", strconv.Itoa(good)), path})
	return nil
}

func (c *Console) lookAtPolicy(p *web.Page, _ *http.Request, _ identity.Actor, v *adminView) error {
	if c.Rules == nil || !p.May("policy.read") {
		return nil
	}
	v.settings = append(v.settings, setting{p.T("policy.title"), p.T("admin.set.policy", "files", strconv.Itoa(len(c.Rules.Files())),
		"digest", c.Rules.Digest()[:12]), policyPath})
	if p.May("person.read") {
		v.settings = append(v.settings, setting{p.T("admin.people"), p.T("admin.set.people"), signin.PeoplePath})
	}
	return nil
}

func (c *Console) lookAtHolds(p *web.Page, r *http.Request, actor identity.Actor, v *adminView) error {
	if c.Setup.Vault == nil || !p.May("subject.read") {
		v.settings = append(v.settings, setting{p.T("retention.title"), p.T("admin.set.kept"), retentionPath})
		return nil
	}
	holds, err := c.Setup.Vault.Holds(r.Context(), actor)
	if err != nil {
		return err
	}
	v.settings = append(v.settings, setting{p.T("retention.title"), p.T("admin.set.holds", "n", strconv.Itoa(len(holds))), retentionPath})
	return nil
}
