package program

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/amend"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/eval/experiment"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/program/config"
)

// minds are the agents of all applications, with what they work with.
type minds struct {
	*platform.Minds
	routes  model.Routes
	acts    *act.Store
	pauses  *act.Pauses
	reviews *review.Store
	runs    *agent.Store
	steps   *agent.Steps
	vault   *seal.Vault // nil where nothing is sealed
	lab     *experiment.Store

	settings *amend.Desk // what organisations set for the applications
}

// newMinds puts them together, and refuses what cannot work: a half-declared
// tool, an agent without its tools, a policy about a tool there is not.
func (c *cli) newMinds(p *parts) (*minds, error) {
	apps := c.apps
	if c.cfg.Mode == config.Demo {
		apps = apps.paced(p.clock)
	}
	gathered, err := platform.NewMinds(p.rules, apps...)
	if err != nil {
		return nil, err
	}
	m := &minds{Minds: gathered, acts: act.NewStore(p.db, p.clock)}
	if m.routes, err = newRoutes(c.cfg); err != nil {
		return nil, err
	}
	if err := watchRoutes(p.telemetry, m.routes); err != nil {
		return nil, err
	}
	vault, err := c.newVault(p, m.Any())
	if err != nil {
		return nil, err
	}
	m.vault = vault
	m.lab = experiment.NewStore(experiment.Config{DB: p.db, Clock: p.clock, Rules: p.rules, Sets: c.apps.sets(), Routes: m.routes})
	m.runs = agent.NewStore(p.db, vault, p.rules, p.clock)
	m.pauses = act.NewPauses(act.PausesConfig{DB: p.db, Clock: p.clock, Rules: p.rules, Wake: agent.WakeHeld(p.cases)})
	m.reviews, err = review.New(review.Config{DB: p.db, Clock: p.clock, Rules: p.rules, Acts: m.acts, Kinds: apps.proposalKinds(m.Tools),
		Recheck: agent.Recheck(m.runs, m.Tools), WakeOf: wakeOf(p.cases), Person: signin.Finder(c.cfg.Mode != config.Production),
		People: signin.Lister(c.cfg.Mode != config.Production), Notify: c.newDesk(p, nil, nil, "").Taker(), Grounds: evidence.GroundsText,
		SameGrounds: evidence.SameGrounds, Objected: concern.Objected})
	if err != nil {
		return nil, err
	}
	m.steps = agent.NewSteps(agent.Config{DB: p.db, Clock: p.clock, Vault: vault, Acts: m.acts, Reviews: m.reviews, Tools: m.Tools,
		Roster: m.Roster,
		Routes: m.routes, Rules: p.rules, Spans: p.telemetry.GenAI(), Logger: p.log, Stream: web.NewSpeaker(p.db, p.log).Stream,
		Masks: gathered.Masks})
	m.settings = &amend.Desk{Calls: m.calls(p),
		Store: setting.NewStore(setting.Config{DB: p.db, Clock: p.clock, Rules: p.rules, Kinds: m.OrgSettings})}
	if idle := m.Unrouted(m.routed); len(idle) > 0 {
		p.log.Warn("agents have no model: no route bears the name they ask for", slog.String("setting", string(config.NameModels)),
			slog.String("agents", strings.Join(idle, ", ")))
	}
	return m, nil
}

// routed reports whether there is a model for agents of a route.
func (m *minds) routed(route string) bool {
	_, ok := m.routes[route]
	return ok
}

// newVault opens what transcripts are sealed with. Without agents nothing is
// sealed by a worker, and it may be nil.
func (c *cli) newVault(p *parts, needed bool) (*seal.Vault, error) {
	if !c.cfg.IsSet(config.NameSealKeys) || !c.cfg.IsSet(config.NameBlobURL) {
		if !needed {
			return nil, nil
		}
		return nil, fault.New(fault.Invalid, "agents need %s and %s: what they read about people is sealed", config.NameSealKeys,
			config.NameBlobURL).
			WithNext("gavel config list")
	}
	blobs, err := openBlob(c.cfg)
	if err != nil {
		return nil, err
	}
	return seal.New(seal.Config{DB: p.db, Blobs: blobs, Masters: c.cfg.SealKeys, Now: p.clock.Now, Erasers: c.apps.erasers(),
		Rules: p.rules})
}

// editing says how a proposal is edited on its page: in the form of the tool's
// own arguments. Without a tool that this build knows it cannot be.
func (m *minds) editing(p review.Proposal) (console.Editing, bool) {
	t, ok := m.Tools.Find(p.App, p.Tool)
	if !ok {
		return console.Editing{}, false
	}
	return console.Editing{Schema: t.Spec().Schema, Check: t.Check, Choices: t.Choices}, true
}

// wakeOf names the workflow of a case, which waits for decisions on it.
func wakeOf(cases *casefile.Store) func(casefile.Case) (review.Wake, error) {
	return func(c casefile.Case) (w review.Wake, err error) {
		w.WorkflowID, w.Start, err = cases.Wake(c)
		return w, err
	}
}

// work is what a worker does: the platform's own, with the conversations that no
// application's workflow owns, and each application's with the agents' steps and
// the calls of its tools that came from no run beside its own.
func (m *minds) work(cases *casefile.Store, from []platform.App) []durable.Work {
	general := casefile.Work(cases, casefile.General())
	general.Workflows = append(general.Workflows, durable.Workflow{Name: agent.ConverseName, Func: agent.Converse})
	general.Activities = append(general.Activities, m.steps)
	general = m.lab.Work(general)
	all := []durable.Work{review.Work(general, m.reviews)} // it waits for proposals that nobody else waits for
	for _, a := range from {
		w := a.Work
		if len(a.Agents)+len(a.Tools) > 0 {
			w.App = a.Name
			w.Activities = append(slices.Clone(w.Activities), m.steps)
			w.Workflows = append(slices.Clone(w.Workflows), durable.Workflow{Name: agent.CarryOutName, Func: agent.CarryOut})
		}
		if w.App != "" {
			all = append(all, w)
		}
	}
	return all
}

// calls takes calls of tools that come from no run.
func (m *minds) calls(p *parts) *agent.Calls {
	return agent.NewCalls(agent.CallsConfig{DB: p.db, Clock: p.clock, Cases: p.cases, Acts: m.acts, Reviews: m.reviews, Tools: m.Tools,
		Rules: p.rules, Logger: p.log})
}

// openApps tells the applications what they stand on. A worker has no pages of
// records.
func (c *cli) openApps(p *parts, m *minds, kept *records) (err error) {
	d := platform.Deps{DB: p.db, Clock: p.clock, Rules: p.rules, Cases: p.cases, Acts: m.acts, Reviews: m.reviews, Runs: m.runs,
		Calls: m.calls(p), Vault: m.vault,
		Logger: p.log, Settings: c.cfg.OfApps(), Keys: c.cfg.PayloadKeys, Public: c.cfg.PublicURL, Here: c.cfg.Address(), Routed: m.routed,
		PDF: c.openPrinter(p.log)}
	if kept != nil {
		d.Evidence, d.Post = kept.evidence, kept.post
	} else if m.vault != nil {
		if err := c.workerDeps(p, m, &d); err != nil {
			return err
		}
	}
	return c.apps.open(d)
}

// workerDeps are what applications keep and send from a worker.
func (c *cli) workerDeps(p *parts, m *minds, d *platform.Deps) (err error) {
	if d.Post, err = c.newPost(p, m.vault); err != nil {
		return err
	}
	blobs, err := openBlob(c.cfg)
	if err != nil {
		return err
	}
	d.Evidence, err = c.newEvidence(p, blobs, m.vault)
	return err
}
