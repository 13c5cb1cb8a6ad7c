package console

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/web"
)

// lookAtHooks says on the home of administrators which webhooks were given up.
func (c *Console) lookAtHooks(p *web.Page, r *http.Request, actor identity.Actor, v *adminView) error {
	if c.Setup.Hooks == nil || !p.May("webhook.read") {
		return nil
	}
	all, err := c.Setup.Hooks.List(r.Context(), actor)
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.State == hook.Failed {
			v.needs = append(v.needs, attention{"bad", "stop", p.T("admin.webhook_failed", "webhook", one.Title,
				"why", p.T("webhook.fault."+one.Reason)), p.T("admin.webhook_link"), hookAddress(one.ID, "")})
		}
	}
	v.settings = append(v.settings, setting{p.T("webhook.title"), p.T("admin.set.webhooks", "n", strconv.Itoa(len(all))), hooksPath})
	return nil
}

// hookLook is the badge of a webhook's state.
func hookLook(s hook.State) (class, icon string) {
	switch s {
	case hook.On:
		return "ok", "check"
	case hook.Failed:
		return "bad", "stop"
	}
	return "plain", "pause"
}

// messageLook is the badge of a message's state.
func messageLook(s hook.MessageState) (class, icon string) {
	switch s {
	case hook.Delivered:
		return "ok", "check"
	case hook.GivenUp:
		return "bad", "stop"
	case hook.Dropped:
		return "plain", "slash"
	}
	return "info", "clock"
}

// tookWords is how long a try took.
func tookWords(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) + " ms" }
