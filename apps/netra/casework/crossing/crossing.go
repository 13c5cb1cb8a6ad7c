// Package crossing works the case of a district that crossed into a band: what was found is put on it as evidence and facts, an officer
// decides what follows with a reason and what speaks against it, and the case ends once the district has been calm for long enough, or went
// higher.
//
// Read workflow.go, then advance.go. What people decide is in review.go; when a district is calm is said by casework/watch.
package crossing

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// An Other is what another kind of case of the application does next: a briefing, for one. All cases have one workflow.
type Other interface {
	Advance(ctx context.Context, in casefile.Input, at time.Time) (Standing, error)
	Heed(ctx context.Context, in casefile.Input, said Said) error
}

// Config is what a Clerk stands on, beside the store.
type Config struct {
	Others  map[string]Other // by what the key of their cases begins with
	Reviews *review.Store
	Calls   *agent.Calls
	Log     *slog.Logger
}

// A Clerk works cases. It is opened once, before the first.
type Clerk struct {
	store *store.Store

	others  map[string]Other
	reviews *review.Store
	calls   *agent.Calls
	log     *slog.Logger
}

// New makes a clerk that is not opened yet.
func New(s *store.Store) *Clerk { return &Clerk{store: s} }

// Open tells it what it stands on.
func (c *Clerk) Open(o Config) {
	c.others, c.reviews, c.calls, c.log = o.Others, o.Reviews, o.Calls, o.Log
}

// other is who works a case that is about no crossing; nil for one that is.
func (c *Clerk) other(ctx context.Context, in casefile.Input) (Other, error) {
	file, err := c.store.CaseStore().Get(ctx, in.Org, in.Case)
	if err != nil {
		return nil, err
	}
	for key, o := range c.others {
		if strings.HasPrefix(file.Key, key) {
			return o, nil
		}
	}
	return nil, nil //nolint:nilnil // a crossing is ours
}

// Steps are its activities.
func (c *Clerk) Steps() *Steps { return &Steps{c} }

// Tools are what people decide about.
func (c *Clerk) Tools() []tool.Tool { return []tool.Tool{c.reviewTool()} }
