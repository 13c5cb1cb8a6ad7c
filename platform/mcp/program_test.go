package mcp_test

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// TestAProgramDecidesNothingWithAPersonsSignIn: a sign-in that can decide is not
// taken here at all, and the one that is taken decides nothing.
func TestAProgramDecidesNothingWithAPersonsSignIn(t *testing.T) {
	r := newRig(t)
	c := r.open("Smoke over Jind")
	for name, want := range map[string]int{"asha at a terminal": http.StatusForbidden, "asha in a browser": http.StatusForbidden,
		"asha's editor": http.StatusOK} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url,
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range map[string]string{"Authorization": "Bearer " + name, "Content-Type": "application/json",
			"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25"} {
			req.Header.Set(k, v)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != want {
			t.Errorf("%s got %d, want %d", name, res.StatusCode, want)
		}
		_ = res.Body.Close()
	}
	editor := r.connect("asha's editor", nil, "")
	asked := call(t, editor, r.app+"_letter", map[string]any{"word": "a", "on_case": c.Ref})
	if asked.field("status") != "pending_approval" {
		t.Fatalf("got %s", asked.text)
	}
	a, err := r.Calls.Asked(t.Context(), people["olga"], asked.field("proposal"))
	if err != nil {
		t.Fatal(err)
	}
	program := people["olga"]
	program.Way = identity.ByTools
	_, err = r.Reviews.Decide(t.Context(), program, review.Decision{ID: "dec-" + rand.Text(), Proposal: a.Proposal,
		ShownSHA256: a.ShownSHA256, Verdict: review.Approve})
	if !fault.Is(err, fault.Refused) {
		t.Errorf("an officer's program decides: %v, want it refused", err)
	}
	r.decide("olga", a.Proposal, review.Approve)
}
