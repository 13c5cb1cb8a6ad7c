// Package amend has people decide on changes of settings.
//
// An application that declares a gated setting lists its Tool among its tools and permits it in
// its policies. Who saves such a setting makes a proposal through agent.Calls: what is shown is
// the difference to what is in force, with what the application says would follow. Approved,
// it becomes the next version, in the transaction of its act; if the setting has changed
// meanwhile nothing is approved or done. Desk.Save is for faces: it writes what is not gated, and
// proposes what is.
package amend

import (
	"context"
	"encoding/json"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/setting"
)

// via is the door that such calls come through, in the log.
const via = "setting"

// A Desk takes changes of settings.
type Desk struct {
	*setting.Store
	Calls *agent.Calls // nil: what is gated cannot be changed here
}

// Saved is what came of a change: the version that is in force now, and the proposal, where
// people decide.
type Saved struct {
	setting.Held
	Asked *agent.Asked
}

// Save writes the next version of a setting, or has people asked. seen is the version it was
// made to.
func (d *Desk) Save(ctx context.Context, actor identity.Actor, k setting.Kind, item string, value json.RawMessage, seen int64) (
	Saved, error,
) {
	value, err := k.Fits(item, value)
	if err != nil {
		return Saved{}, err
	}
	if !k.Gated {
		h, err := d.Set(ctx, actor, k, item, value, seen)
		return Saved{Held: h}, err
	}
	p, err := d.Preview(ctx, actor, k, item, value)
	switch {
	case err != nil:
		return Saved{}, err
	case d.Calls == nil:
		return Saved{}, fault.New(fault.Unavailable, "nobody can be asked about the %s on this server", k.Title).Because("not_set_up")
	case seen != setting.AnyVersion && seen != p.Was.Version:
		return Saved{}, k.Stale()
	case len(p.Changes.Changes) == 0:
		return Saved{}, fault.New(fault.Invalid, "nothing of the %s would change", k.Title).Because("nothing_changes")
	}
	asked, err := d.propose(ctx, actor, k, value, p.Was.Version)
	return Saved{Held: p.Was, Asked: asked}, err
}

// propose asks people whether a gated setting becomes a value.
func (d *Desk) propose(ctx context.Context, actor identity.Actor, k setting.Kind, value json.RawMessage, seen int64) (*agent.Asked, error) {
	args, err := json.Marshal(struct {
		Value   json.RawMessage `json:"value"`
		Version int64           `json:"version"`
	}{value, seen})
	if err != nil {
		return nil, err
	}
	taken, err := d.Calls.Take(ctx, actor, agent.Call{App: k.App, Tool: ToolName(k), Args: args, Via: via})
	return taken.Asked, err
}
