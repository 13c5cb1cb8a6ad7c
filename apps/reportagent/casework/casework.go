// Package casework is how a report comes about: an outline and a run of a model are brought in, every section is drafted, people
// write in it, and newer data show what is no longer true.
//
// Read take.go first: what is brought in. workflow.go and drafting.go write the drafts: sections side by side, those below
// others first. library.go reads runs as they were kept, and write.go takes people's words in.
package casework

import (
	"path/filepath"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/outside/duck"
	"github.com/gavelhq/gavel/apps/reportagent/rule/contradiction"
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform"
)

// SettingDuck names the program that answers questions about raw tables.
const SettingDuck = "GAVEL_REPORT_DUCK"

// SettingFolders names the folder of the server from which runs are brought in by name.
const SettingFolders = "GAVEL_REPORT_FOLDERS"

// Settings are what an installation may say.
func Settings() []platform.Setting {
	return []platform.Setting{{Name: SettingFolders, Expect: "a folder of this machine, with a folder for each run",
		Help: "where runs of energy models lie that reports are written from, for runs too large to send", Fits: filepath.IsAbs},
		{Name: SettingDuck, Expect: "the path of gavel-duck", Help: "the program that answers questions about raw tables of a run; " +
			"left out, the one beside gavel or on the PATH. Without it charts alone are asked", Fits: filepath.IsAbs}}
}

// Config is what a Desk stands on, beside the store.
type Config struct {
	Folders string                  // of the server, with a folder for each run; empty: runs are sent
	Routed  func(route string) bool // whether agents of a route have a model; nil: none has
	Duck    *duck.Client            // who answers questions about raw tables; nil: nobody
}

// Route is the route to models that the writer of sections asks for.
const Route = "large"

// Thinks reports whether there is a model that words sections.
func (d *Desk) Thinks() bool { return d.Routed != nil && d.Routed(Route) }

// A Desk is where reports are made. It is made before anything it stands on is there, and opened once, before the first request.
type Desk struct {
	Config

	store   *store.Store
	library *library
	shelf   shelf

	changes    memo[report.Changes]
	covered    memo[Covered]
	contradict memo[[]contradiction.Item]
	plans      memo[*mapping.Plan]
}

// New makes a desk that is not opened yet.
func New(s *store.Store) *Desk { return &Desk{store: s, library: newLibrary(s)} }

// Open tells it what it stands on.
func (d *Desk) Open(c Config) { d.Config = c }

// Steps are its activities.
func (d *Desk) Steps() *Steps { return &Steps{d} }

// tool is what reports name as the program that made them.
const tool = "gavel"

// meta is what a report says of itself.
func meta(run, model, prompt string, at time.Time) report.Meta {
	if run == "" {
		run = "none"
	}
	return report.Meta{RunID: run, Model: model, Prompt: prompt, Tool: tool, Generated: at.UTC().Truncate(time.Second)}
}

// held is what is kept of the sections of a report, as the rules take it.
func held(newest map[string]store.Version) map[string]report.Held {
	out := map[string]report.Held{}
	for id, v := range newest {
		out[id] = report.Held{Text: v.Text, Entry: v.Entry}
	}
	return out
}

// metaOf is what a report says of itself as it stands: the drafting that came last.
func metaOf(st store.Standing) report.Meta {
	last := store.Version{At: st.MadeAt}
	model := report.NoModel
	for _, v := range st.Newest {
		if v.Job != "" && v.At.After(last.At) {
			last = v
		}
		if v.How == store.Model {
			model = "model"
		}
	}
	m := meta(last.Job, model, draft.Code, last.At)
	m.Catalogue, m.Outline = st.Data.Catalogue, st.SHA256
	return m
}
