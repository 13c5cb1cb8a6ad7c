package console

import (
	"net/http"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// jobsPath is where long work is called off, under its id.
const jobsPath = "/jobs"

// jobRoutes registers that.
func (c *Console) jobRoutes(m *web.Mux) {
	if c.Jobs == nil {
		return
	}
	begin, _ := c.Jobs.Acts()
	m.Handle("POST "+jobsPath+"/{id}/cancel", c.cancelJob, web.Needs(begin...), web.MaxBody(maxForm))
}

// cancelJob calls a job off and leads back to its page, which says what became of it: also
// where it had ended a moment before.
func (c *Console) cancelJob(w http.ResponseWriter, r *http.Request) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	kind, _, err := c.Jobs.Cancel(r.Context(), actor, id)
	if err != nil && !fault.Is(err, fault.Conflict) {
		return err
	}
	page := StartPath
	if kind.Pages != "" {
		page = kind.Pages + "/" + id
	}
	http.Redirect(w, r, c.site.Page(r).Href(page), http.StatusSeeOther)
	return nil
}

// byJob is who did something about a job, as far as a page says: its reader, or an id.
func byJob(p *web.Page, id string) string {
	if id == p.Actor.ID {
		return p.T("job.by_you")
	}
	return id
}
