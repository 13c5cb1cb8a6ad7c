package console

import (
	"net/http"
	"slices"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
)

// StartPath is the page that a demonstration opens with.
const StartPath = "/start"

// A Trial is something to do in a demonstration, and in which role.
type Trial struct {
	As   identity.Role
	Key  string // of its sentence in the messages; with _why behind it, of what it shows
	Path string // where it is done
}

// mostTrials is how many things the page says.
const mostTrials = 3

// Trials are what the console itself has to show in a demonstration. What applications
// have comes before it.
func Trials() []Trial {
	all := []Trial{
		{identity.OrgAdmin, "policy", policyPath},
		{identity.OrgAdmin, "pause", pausesPath},
		{identity.OrgAdmin, "retention", retentionPath},
		{identity.Operator, "operations", operationsPath},
		{identity.Operator, "runs", "/runs"},
		{identity.Operator, "models", modelsPath},
		{identity.Auditor, "log", "/audit?kind=decision"},
		{identity.Auditor, "outbox", outboxPath},
		{identity.Auditor, "bundle", "/cases"},
		{identity.Analyst, "sources", sourcesPath},
		{identity.Analyst, "ask", "/cases"},
		{identity.Analyst, "open", "/cases"},
		{identity.Officer, "inbox", inboxPath},
		{identity.Officer, "open", "/cases"},
		{identity.Officer, "delegate", delegationsPath},
		{identity.ProgrammeManager, "inbox", inboxPath},
		{identity.ProgrammeManager, "outbox", outboxPath},
		{identity.ProgrammeManager, "bundle", "/cases"},
	}
	for i := range all {
		all[i].Key = "start.try." + all[i].Key
	}
	return all
}

// start says what can be tried first in the reader's role. An installation that is no
// demonstration has no such page, and leads on.
func (c *Console) start(w http.ResponseWriter, r *http.Request) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	if len(c.Trials) == 0 {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return nil
	}
	p := c.site.Page(r)
	p.Title = p.T("start.title")
	return c.site.Render(w, r, http.StatusOK, p, startBody(p, trialsOf(c.Trials, actor)))
}

// trialsOf are the first things to try for somebody, without two in the same place.
func trialsOf(all []Trial, actor identity.Actor) (found []Trial) {
	for _, t := range all {
		there := func(o Trial) bool { return o.Path == t.Path }
		if actor.Has(t.As) && !slices.ContainsFunc(found, there) && len(found) < mostTrials {
			found = append(found, t)
		}
	}
	return found
}
