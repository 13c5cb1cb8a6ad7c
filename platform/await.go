package platform

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/job"
)

// Await looks at a job of the server's until it has ended, and gives it as it is then: what
// --wait does. The job stands under an address by its id, and says its state and, where it
// was not done, the reason; that is the error. Each look at it while it runs is handed to say.
func (t Terminal) Await(ctx context.Context, under string, item json.RawMessage,
	say func(id string, now json.RawMessage),
) (json.RawMessage, error) {
	for {
		var j struct {
			ID     string    `json:"id"`
			State  job.State `json:"state"`
			Reason string    `json:"reason"`
		}
		if err := json.Unmarshal(item, &j); err != nil {
			return nil, fault.From(fault.Unavailable, err, "the server's answer is not as expected").WithNext("gavel version")
		}
		switch j.State {
		case job.Running:
			say(j.ID, item)
		case job.Done:
			return item, nil
		default:
			return nil, fault.New(fault.Conflict, "%s was %s: %s", j.ID, j.State, j.Reason)
		}
		if err := t.Wait(ctx); err != nil {
			return nil, err
		}
		item = nil // decoded anew
		if err := t.Call(ctx, http.MethodGet, under+"/"+url.PathEscape(j.ID), nil, &item); err != nil {
			return nil, err
		}
	}
}
