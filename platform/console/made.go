package console

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/web"
)

// made is the record of the answer that the reader has just given to a proposal; nil
// where they gave none, or may not read the log.
func (c *Console) made(r *http.Request, proposal string) (*audit.Entry, error) {
	actor, err := c.proposalReader(r)
	if err != nil {
		return nil, err
	}
	if c.Log == nil || c.Rules.May(actor, "audit.read") != nil {
		return nil, nil
	}
	all, err := c.Reviews.Decisions(r.Context(), actor.Org, proposal)
	if err != nil {
		return nil, err
	}
	for _, m := range slices.Backward(all) {
		if m.ActorID == actor.ID {
			e, err := c.Log.Entry(r.Context(), actor.Org, audit.RecordID(m.Record))
			return &e, err
		}
	}
	return nil, nil
}

// madeWords says which record it is: by its number once the log has taken it in, which
// is a moment after the decision.
func madeWords(p *web.Page, e audit.Entry) string {
	if e.Seq < 0 {
		return p.T("made.record")
	}
	return p.T("made.numbered", "n", strconv.FormatInt(e.Seq, 10))
}

func recordAddress(id audit.RecordID) string { return "/audit/" + string(id) }
