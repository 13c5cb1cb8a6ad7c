package console

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

const operationsPath = "/operations"

// An operationsView is how the installation is doing for one organisation: what
// stands, what was spent, and whether the log is kept.
type operationsView struct {
	pulse *agent.Pulse // nil where runs are not set up
	log   *audit.State // nil where the log is not
	away  bool         // the engine does not answer
}

// operations is the page of those who look after the machines. They have no inbox
// by that role; who has one sees the same card above it.
func (c *Console) operations(w http.ResponseWriter, r *http.Request) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	p := c.site.Page(r)
	v, err := c.readOperations(r, p, actor)
	if err != nil {
		return err
	}
	p.Title, p.Section = p.T("operations.title"), "operations"
	return c.site.Render(w, r, http.StatusOK, p, operationsBody(p, v))
}

// readOperations reads what the card says, for who may see it.
func (c *Console) readOperations(r *http.Request, p *web.Page, actor identity.Actor) (v operationsView, err error) {
	v.away = c.engineAway(r.Context())
	if c.Runs != nil && c.Rules.May(actor, "run.read") == nil {
		since := time.Date(p.Now.Year(), p.Now.Month(), p.Now.Day(), 0, 0, 0, 0, p.Now.Location())
		pulse, err := c.Runs.Pulse(r.Context(), actor, since)
		if err != nil {
			return v, err
		}
		v.pulse = &pulse
	}
	if c.Log == nil {
		return v, nil
	}
	state, err := c.Log.State(r.Context(), actor.Org)
	v.log = &state
	return v, err
}

// stuck are the states of runs that somebody should look at, the gravest first.
func (v operationsView) stuck() []agent.State {
	var all []agent.State
	for _, s := range []agent.State{agent.Failed, agent.OutOfBudget, agent.Held, agent.Stopped} {
		if v.pulse.States[s] > 0 {
			all = append(all, s)
		}
	}
	return all
}

// logLate is how long a record may wait for the tree before that is said.
const logLate = time.Minute

// logLook is how the log is doing.
func (v operationsView) logLook(p *web.Page) (class, icon, text string) {
	switch {
	case v.log.Damage != nil:
		return "bad", "stop", p.T("operations.log_damaged")
	case v.log.Waiting > 0 && p.Now.Sub(v.log.Since) > logLate:
		return "warn", "stale", p.T("operations.log_late", "n", strconv.Itoa(v.log.Waiting), "time", p.Moment(v.log.Since),
			"zone", p.Zone())
	}
	return "ok", "check", p.T("operations.log_kept", "n", web.Numeral(v.log.Checkpoint.Tree.N))
}

// manyRuns is a count that stops somewhere.
func manyRuns(n int) string {
	if n > agent.MostPulse {
		return strconv.Itoa(agent.MostPulse) + "+"
	}
	return strconv.Itoa(n)
}
