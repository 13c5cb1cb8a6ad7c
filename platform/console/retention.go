package console

import (
	"net/http"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

const retentionPath = "/admin/retention"

// erasuresPerPage is how many erasures stand on the page.
const erasuresPerPage = 50

// A retentionView is what is kept how long, what may not be erased, and what was.
type retentionView struct {
	kept    []postgres.Retention
	persons bool // the reader may see what is held about persons
	holds   []seal.Hold
	erased  []seal.Erased
	before  audit.RecordID
	next    audit.RecordID
	names   map[string]string
}

// retention is the page of what is kept how long, of holds and of erasures.
func (c *Console) retention(w http.ResponseWriter, r *http.Request) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	p := c.adminPage(r, "retention.title")
	v := retentionView{kept: c.Setup.Kept, persons: c.Setup.Vault != nil && p.May("subject.read"), before: audit.RecordID(r.URL.Query().
		Get("before"))}
	if v.persons {
		if err := c.readRetention(r, actor, &v); err != nil {
			return err
		}
	}
	return c.site.Render(w, r, http.StatusOK, p, retentionBody(p, v))
}

func (c *Console) readRetention(r *http.Request, actor identity.Actor, v *retentionView) (err error) {
	if v.holds, err = c.Setup.Vault.Holds(r.Context(), actor); err != nil {
		return err
	}
	if v.erased, v.next, err = c.Setup.Vault.Erasures(r.Context(), actor, v.before, erasuresPerPage); err != nil {
		return err
	}
	v.names = map[string]string{}
	for _, h := range v.holds {
		if _, known := v.names[h.PlacedBy]; !known {
			v.names[h.PlacedBy] = c.nameOf(r.Context(), actor.Org, h.PlacedBy)
		}
	}
	return nil
}

// keptWords says when something goes.
func keptWords(p *web.Page, k postgres.Retention) string {
	if k.Ends == postgres.EndsByTime {
		return p.T("retention.ends.time", "span", p.Span(k.Keep))
	}
	return p.T("retention.ends." + string(k.Ends))
}
