// Package crossing works the case of a district that crossed into a band: what was found is put on it as evidence and facts, an officer
// decides what follows with a reason and what speaks against it, and the case ends once the district has been calm for long enough, or went
// higher.
//
// Read workflow.go, then advance.go. What people decide is in review.go; when a district is calm is said by casework/watch.
package crossing

import (
	"log/slog"

	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// Config is what a Clerk stands on, beside the store.
type Config struct {
	Reviews *review.Store
	Calls   *agent.Calls
	Log     *slog.Logger
}

// A Clerk works cases. It is opened once, before the first.
type Clerk struct {
	store *store.Store

	reviews *review.Store
	calls   *agent.Calls
	log     *slog.Logger
}

// New makes a clerk that is not opened yet.
func New(s *store.Store) *Clerk { return &Clerk{store: s} }

// Open tells it what it stands on.
func (c *Clerk) Open(o Config) { c.reviews, c.calls, c.log = o.Reviews, o.Calls, o.Log }

// Steps are its activities.
func (c *Clerk) Steps() *Steps { return &Steps{c} }

// Tools are what people decide about.
func (c *Clerk) Tools() []tool.Tool { return []tool.Tool{c.reviewTool()} }
