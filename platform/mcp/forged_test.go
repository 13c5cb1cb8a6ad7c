package mcp_test

import (
	"context"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/review"
)

// eager is a client that says yes to whatever it is asked, and notes it.
func eager(asked *[]*sdk.ElicitParams, by *sdk.MultiRoundTripOptions) *sdk.ClientOptions {
	return &sdk.ClientOptions{MultiRoundTrip: by,
		Capabilities: &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{},
			URL: &sdk.URLElicitationCapabilities{}}},
		ElicitationHandler: func(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			*asked = append(*asked, req.Params)
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"approve": true, "decision": "approve"}}, nil
		}}
}

// byHand is for clients that write every round themselves.
var byHand = &sdk.MultiRoundTripOptions{Disabled: true}

// round sends one round of a call.
func round(t *testing.T, s *sdk.ClientSession, name string, args any, state string) said {
	t.Helper()
	res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args, RequestState: state,
		InputResponses: sdk.InputResponseMap{"decision": &sdk.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}}})
	if err != nil {
		t.Fatal(err)
	}
	return saidOf(t, res)
}

// TestAClientThatAcceptsEverythingGetsNoAct is statement 6 of the console: the
// library's own client, which answers "accept" by itself and retries at once, has
// a proposal and nothing else, however often it tries.
func TestAClientThatAcceptsEverythingGetsNoAct(t *testing.T) {
	r := newRig(t)
	r.work()
	c := r.open("one")
	var asked []*sdk.ElicitParams
	s := r.connect("asha", eager(&asked, nil), "")
	args := map[string]any{"word": "a", "on_case": c.Ref}
	for range 5 {
		for _, name := range []string{"letter", "post", "enrol", "fax"} {
			got := call(t, s, r.app+"_"+name, args)
			if got.IsError || got.field("status") != "pending_approval" {
				t.Errorf("%s: %s, want it to wait", name, got.text)
			}
		}
	}
	if len(asked) != 20 {
		t.Errorf("the client was asked %d times, want 20", len(asked))
	}
	for _, p := range asked {
		if p.Mode != "url" || !strings.HasPrefix(p.URL, "https://gavel.example/proposals/P-") || p.RequestedSchema != nil {
			t.Errorf("the client was asked %+v, want the address of a page and no form", p)
		}
	}
	time.Sleep(500 * time.Millisecond) // for what must not come; a busy machine can only be too slow to show it
	r.quiet("twenty times accept")
	if n := r.count(`select count(*) from gavel.proposal where state = 'open'`); n != 4 {
		t.Errorf("%d proposals wait, want 4", n)
	}
	if n := r.count(`select count(*) from gavel.decision`); n != 0 {
		t.Errorf("%d decisions, want none", n)
	}
}

// TestAForgedOrReplayedStateGetsNoAct is the rest of statement 6: a state that
// was made up, changed, taken from somebody else, from another call or another
// tool, or kept too long, opens nothing; and an honest one only tells.
func TestAForgedOrReplayedStateGetsNoAct(t *testing.T) {
	r := newRig(t)
	r.work()
	c := r.open("one")
	var asked []*sdk.ElicitParams
	ours, theirs := r.connect("asha", eager(&asked, byHand), ""), r.connect("mohan", eager(&asked, byHand), "")
	name, args := r.app+"_letter", map[string]any{"word": "a", "on_case": c.Ref}
	first := call(t, ours, name, args)
	if !first.NeedsInput() || first.RequestState == "" || len(first.InputRequests) != 1 {
		t.Fatalf("the first round answers %s, want an address to open", first.text)
	}
	state := first.RequestState
	foreign, err := durable.ParseKeys(durable.NewKey("test"))
	if err != nil {
		t.Fatal(err)
	}
	plain := `{"o":"north","a":"asha","t":"` + name + `","p":"P-1","s":"","u":99999999999}`
	made, _ := foreign.SealText("mcp-request-state", plain)
	otherPurpose, _ := durabletest.Keys(t).SealText("cursor", plain)
	otherShown, _ := durabletest.Keys(t).SealText("mcp-request-state", plain)
	for _, tt := range []struct {
		what  string
		s     *sdk.ClientSession
		name  string
		args  map[string]any
		state string
	}{
		{"a state in plain", ours, name, args, plain},
		{"one of another installation", ours, name, args, made},
		{"one for another purpose", ours, name, args, otherPurpose},
		{"one about something else that was shown", ours, name, args, otherShown},
		{"one with a letter changed", ours, name, args, state[:len(state)-9] + "AAAA" + state[len(state)-5:]},
		{"a long one", ours, name, args, strings.Repeat("A", 100<<10)},
		{"somebody else's", theirs, name, args, state},
		{"one of another tool", ours, r.app + "_post", args, state},
		{"one of other arguments", ours, name, map[string]any{"word": "b", "on_case": c.Ref}, state},
	} {
		refusals := r.count(`select count(*) from gavel.record where kind = 'refusal'`)
		got := round(t, tt.s, tt.name, tt.args, tt.state)
		if !got.IsError || !strings.HasPrefix(got.text, "refused: the state of this request") {
			t.Errorf("%s: %s, want it refused", tt.what, got.text)
		}
		if n := r.count(`select count(*) from gavel.record where kind = 'refusal'`); n != refusals+1 {
			t.Errorf("%s was refused, and it is on record %d times", tt.what, n-refusals)
		}
	}
	for range 10 { // honest, and replayed
		if got := round(t, ours, name, args, state); got.field("status") != "pending_approval" || got.NeedsInput() {
			t.Errorf("the state brought back: %s, want it to wait and nothing to be asked", got.text)
		}
	}
	time.Sleep(500 * time.Millisecond) // for what must not come; a busy machine can only be too slow to show it
	r.quiet("forged states")
	if n := r.count(`select count(*) from gavel.proposal`); n != 1 {
		t.Errorf("%d proposals, want the first alone", n)
	}

	r.decide("olga", first.InputRequests["decision"].(*sdk.ElicitParams).ElicitationID, review.Approve)
	var got said
	wait.Until(t, "what was approved is carried out", func() bool {
		got = round(t, ours, name, args, state)
		return got.field("status") != "approved"
	})
	if got.field("status") != "done" || !strings.Contains(got.text, "sent a") {
		t.Errorf("after the decision on the page: %s, want it done", got.text)
	}
	for range 10 {
		round(t, ours, name, args, state)
	}
	time.Sleep(300 * time.Millisecond) // for what must not come, as above
	if log := r.other.Log(); len(log) != 1 {
		t.Errorf("the other side had %v, want one letter", log)
	}
	r.ahead = 2 * time.Hour
	if got := round(t, ours, name, args, state); !got.IsError ||
		!strings.HasPrefix(got.text, "conflict: this request is more than 1h0m0s old; ask get_proposal for P-1") {
		t.Errorf("two hours later: %s, want to be sent to get_proposal", got.text)
	}
}

// TestARejectionIsTold promises that a client which comes back learns that a
// person said no, and that asking once more is refused.
func TestARejectionIsTold(t *testing.T) {
	r := newRig(t)
	c := r.open("one")
	var asked []*sdk.ElicitParams
	s := r.connect("asha", eager(&asked, byHand), "")
	name, args := r.app+"_letter", map[string]any{"word": "a", "on_case": c.Ref}
	first := call(t, s, name, args)
	r.decide("olga", "P-1", review.Reject)
	if got := round(t, s, name, args, first.RequestState); got.field("status") != "rejected" || got.field("reason") != "because" {
		t.Errorf("after a rejection: %s", got.text)
	}
	if got := call(t, s, name, args); !got.IsError || !strings.HasPrefix(got.text, "refused: exactly this was asked for before") {
		t.Errorf("asked once more: %s", got.text)
	}
	r.quiet("a rejection")
}

// TestAClientThatCannotOpenLinksIsTold promises pending_approval and the address
// to clients without elicitation, with forms only, or of an older protocol.
func TestAClientThatCannotOpenLinksIsTold(t *testing.T) {
	r := newRig(t)
	c := r.open("one")
	var asked []*sdk.ElicitParams
	forms := eager(&asked, nil)
	forms.Capabilities = &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}}
	for what, s := range map[string]*sdk.ClientSession{
		"without elicitation": r.connect("asha", nil, ""),
		"with forms only":     r.connect("asha", forms, ""),
		"of last year":        r.connect("asha", eager(&asked, nil), "2025-11-25"),
	} {
		got := call(t, s, r.app+"_letter", map[string]any{"word": "a", "on_case": c.Ref})
		if got.IsError || got.field("status") != "pending_approval" || got.field("link") == "" {
			t.Errorf("a client %s: %s", what, got.text)
		}
	}
	if len(asked) != 0 {
		t.Errorf("clients that cannot open links were asked to: %+v", asked)
	}
}
