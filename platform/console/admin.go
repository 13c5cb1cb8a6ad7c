package console

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/amend"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/web"
)

// A Setup is how the installation is set up, for the pages of administrators. A
// part that is left out has nothing to show.
type Setup struct {
	Banners *Banners
	Log     *slog.Logger                                                                   // may be nil
	Name    func(ctx context.Context, org identity.Org, id string) string                  // what people call somebody; nil shows ids
	Person  func(ctx context.Context, org identity.Org, id string) (identity.Actor, error) // with the roles they hold now
	Tokens  func(ctx context.Context, actor identity.Actor) ([]signin.Token, error)        // of programs
	Agents  []agent.Spec                                                                   // job descriptions of all agents
	Routes  model.Routes                                                                   // to models
	Tools   *tool.Registry                                                                 // of all agents
	Kept    []postgres.Retention                                                           // what is kept how long
	Vault   *seal.Vault                                                                    // where people's data is sealed
	Hooks   *hook.Store                                                                    // which servers are told what happens
	// what the organisation sets for its applications
	Settings *amend.Desk
}

// adminRoutes registers the pages of administrators.
func (c *Console) adminRoutes(m *web.Mux) {
	m.Handle("GET /admin", c.admin, web.Needs("admin.read"))
	m.Handle("GET "+policyPath, c.policyWords, web.Needs("policy.read"))
	m.Handle("GET "+modelsPath, c.models, web.Needs("admin.read"))
	m.Handle("GET "+retentionPath, c.retention, web.Needs("admin.read"))
	c.pauseRoutes(m)
	c.sourceRoutes(m)
	c.hookRoutes(m)
	c.settingRoutes(m)
}

func (c *Console) adminPage(r *http.Request, title string) *web.Page {
	p := c.site.Page(r)
	p.Title, p.Section = p.T(title), "admin"
	return p
}

// adminTabs are the pages beside each other, as far as this reader may open them.
func adminTabs(p *web.Page) []web.NavItem {
	var seen []web.NavItem
	for _, tab := range []web.NavItem{
		{Key: "admin.overview", Path: "/admin", Act: "admin.read"},
		{Key: "pause.title", Path: pausesPath, Act: "pause.read"},
		{Key: "policy.title", Path: policyPath, Act: "policy.read"},
		{Key: "models.title", Path: modelsPath, Act: "admin.read"},
		{Key: "retention.title", Path: retentionPath, Act: "admin.read"},
		{Key: "webhook.title", Path: hooksPath, Act: "webhook.read"},
		{Key: "setting.title", Path: settingsPath, Act: "setting.read"},
		{Key: "admin.people", Path: signin.PeoplePath, Act: "person.read"},
		{Key: "admin.tokens", Path: signin.PeoplePath + "/tokens", Act: "token.read"},
	} {
		if p.May(tab.Act) {
			seen = append(seen, tab)
		}
	}
	return seen
}

// An attention is something that an administrator should know, and where it is
// looked after.
type attention struct {
	tone, icon string
	text       string
	link       string // words of the link; empty for none
	path       string
}

// A fact of the set-up: what is set, in words, and where it is told in full.
type setting struct {
	title, text string
	path        string
}

// An adminView is the home of administrators.
type adminView struct {
	needs    []attention
	settings []setting
	pauses   pausesView
	partial  []string // what could not be looked at
}

// admin is the home of administrators: what needs attention, what is set, and the
// way to stop everything.
func (c *Console) admin(w http.ResponseWriter, r *http.Request) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	p := c.adminPage(r, "admin.title")
	v := adminView{pauses: pausesView{scopes: c.scopes(p)}}
	for _, look := range []struct {
		what string
		run  func(*web.Page, *http.Request, identity.Actor, *adminView) error
	}{
		{"pauses", c.lookAtPauses}, {"sources", c.lookAtSources}, {"models", c.lookAtModels}, {"runs", c.lookAtRuns},
		{"tokens", c.lookAtTokens}, {"policy", c.lookAtPolicy}, {"holds", c.lookAtHolds}, {"webhooks", c.lookAtHooks},
	} {
		if err := look.run(p, r, actor, &v); err != nil {
			if r.Context().Err() != nil {
				return err
			}
			v.partial = append(v.partial, p.T("admin.part."+look.what)) // one part that is away does not take the page
			if c.Setup.Log != nil {
				c.Setup.Log.WarnContext(r.Context(), "a part of the administrators' page could not be looked at", "part", look.what,
					"error", err)
			}
		}
	}
	return c.site.Render(w, r, http.StatusOK, p, adminBody(p, v))
}
