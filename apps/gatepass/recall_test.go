package gatepass_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// TestAPassInUseIsDeletedByTwo promises that a pass on which somebody is out is deleted only where a second administrator agrees, on the
// pass as it was when they were asked; that who asked does not agree with themselves; and that nobody asks about a pass that is not in use.
func TestAPassInUseIsDeletedByTwo(t *testing.T) {
	r := newRig(t, durable.Clock{})
	recall := func(as, number string, status int, code string) string {
		t.Helper()
		a := r.act(t, as, number, "recall", `{"reason":"The pass was lost."}`)
		wants(t, a, status, code)
		proposal, _ := a.JSON["proposal"].(string)
		return proposal
	}
	decides := func(as, proposal string, verdict review.Verdict) error {
		t.Helper()
		p, err := r.Deps.Reviews.Get(t.Context(), people()[as], proposal)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Deps.Reviews.Decide(t.Context(), people()[as], review.Decision{ID: as + "-" + proposal + string(verdict),
			Proposal: proposal, ShownSHA256: p.ShownSHA256, Verdict: verdict, Reason: "Agreed."})
		return err
	}
	number := r.approved(t)
	recall("admin", number, 403, "invalid_state") // nobody is out on it: one of them is enough
	wants(t, r.scan(t, "gate", "scan-exit", number, face(t, 8, 8)), 200, "")
	wants(t, r.act(t, "admin", number, "delete", `{"reason":"Lost.","force":true}`), 403, "pass_in_use")
	recall("hr", number, 403, "role_forbidden")
	proposal := recall("admin", number, 200, "")
	if again := recall("admin", number, 200, ""); again != proposal {
		t.Errorf("asked again it is %s, and was %s", again, proposal)
	}
	if err := decides("admin", proposal, review.Approve); err == nil {
		t.Error("who asked agreed with themselves")
	}
	if err := decides("admin2", proposal, review.Approve); err != nil {
		t.Fatal(err)
	}
	wants(t, r.Call(t, "admin", http.MethodGet, rest.Base+"/admin/gatepass/"+number, nil), 404, "not_found")
	if n := r.Number(t, `select count(*)::int from gatepass.pass where number = $1 and deleted_at is not null and status = 'exited'
		and deleted_by = 'admin2'`, number); n != 1 {
		t.Error("the pass is not deleted, or by somebody else")
	}
	back := r.approved(t)
	wants(t, r.scan(t, "gate", "scan-exit", back, face(t, 8, 8)), 200, "")
	r.Post(t, identity.PassAdmin, "/gatepass/passes/"+back+"/recall", url.Values{"reason": {""}}).
		Holds(t, http.StatusUnprocessableEntity, "Not asked")
	late := recall("admin", back, 200, "")
	wants(t, r.scan(t, "gate", "scan-return", back, face(t, 8, 8)), 200, "")
	if err := decides("admin2", late, review.Approve); err == nil {
		t.Error("a pass was deleted whose holder is back")
	}
}
