package page

import (
	"context"
	"net/http"

	"github.com/gavelhq/gavel/apps/airshed/casework/filing"
	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// again says what the reader may do about a report that came back, was undone or was not
// submitted; nothing where nobody is waited for.
func (g *Pages) again(ctx context.Context, p *web.Page, one casefile.Case) (filing.Again, error) {
	if one.State == casefile.Closed || !p.May(store.ActAsk) {
		return filing.Again{}, nil
	}
	return g.clerk.Again(ctx, one)
}

// askAgain puts a report before officers again, and leads back to its case. A form that
// is sent twice asks once: after the first nobody is waited for.
func (g *Pages) askAgain(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	id, err := store.ReportID(r.PathValue("id"))
	if err != nil {
		return err
	}
	how := r.PostForm.Get("how")
	if how != "as_is" && how != "anew" {
		return fault.New(fault.Invalid, "the form does not say how the report is put before officers").
			WithNext("open the page of the case again").Because("form_stale")
	}
	if err := g.clerk.Awaited(r.Context(), actor, id); err != nil {
		return err
	}
	file, err := g.clerk.AskAgain(r.Context(), actor, id, how == "anew")
	if err != nil {
		return err
	}
	http.Redirect(w, r, g.Site.Page(r).Href("/cases/"+string(file.ID)), http.StatusSeeOther)
	return nil
}
