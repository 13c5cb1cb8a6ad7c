// Package filing works the case of an episode: a draft, words for it, a decision of two
// officers, the filing, notices to states, the end.
//
// Read workflow.go, then advance.go: what comes next is decided by package docket on what
// the record says, which matter.go reads. agents.go and readtool.go are the agent that words
// reports; filing.go and notice.go what people approve, and bind.go what they read of it.
package filing

import (
	"encoding/json"
	"log/slog"

	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/amend"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// Config is what a Clerk stands on, beside the store and the surveyor.
type Config struct {
	Cases      *casefile.Store
	Reviews    *review.Store
	Calls      *agent.Calls
	Runs       *agent.Store
	Post       *notify.Post            // nil: no mail goes out
	Routed     func(route string) bool // whether agents of a route have a model
	Public     string                  // where this server is; may be empty
	Commission outside.Commission
	Log        *slog.Logger
}

// A Clerk works cases. It is made before anything it stands on is there, and opened once,
// before the first case.
type Clerk struct {
	store    *store.Store
	surveyor *survey.Surveyor

	cases      *casefile.Store
	reviews    *review.Store
	calls      *agent.Calls
	runs       *agent.Store
	post       *notify.Post
	routed     func(route string) bool
	public     string
	commission outside.Commission
	log        *slog.Logger
}

// New makes a clerk that is not opened yet.
func New(s *store.Store, v *survey.Surveyor) *Clerk { return &Clerk{store: s, surveyor: v} }

// Open tells it what it stands on.
func (c *Clerk) Open(o Config) {
	c.cases, c.reviews, c.calls, c.runs, c.post = o.Cases, o.Reviews, o.Calls, o.Runs, o.Post
	c.routed, c.public, c.commission, c.log = o.Routed, o.Public, o.Commission, o.Log
}

// Steps are its activities.
func (c *Clerk) Steps() *Steps { return &Steps{c} }

// Tools are what an agent, or the case itself, may ask for.
func (c *Clerk) Tools() []tool.Tool {
	return []tool.Tool{c.readTool(), c.sendTool(), c.noticeTool(), c.thresholdTool()}
}

// thresholdTool has officers decide on other thresholds.
func (c *Clerk) thresholdTool() tool.Tool {
	return amend.Tool[analysis.Thresholds](tool.Tool{Roles: []identity.Role{identity.Analyst, identity.Officer},
		Deciders: []identity.Role{identity.Officer}}, c.store.ThresholdKind())
}

// FilesOf is the report that a proposal would file, by the digest of its bytes; empty where
// it would file none.
func FilesOf(p review.Proposal) string {
	var in sendArgs
	if p.Tool != toolSend || json.Unmarshal(p.Args, &in) != nil {
		return ""
	}
	return string(in.Report.SHA256)
}
