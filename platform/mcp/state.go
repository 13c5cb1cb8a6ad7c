package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A state is what a client carries from one try of a call to the next: which
// proposal the call has made, of whom, and what was shown. It comes back from a
// stranger. It is sealed, it is checked against the record, and nothing follows
// from it but what the record says: it saves asking twice, and gives nobody
// anything.
type state struct {
	Org      identity.Org `json:"o"`
	Actor    string       `json:"a"`
	Tool     string       `json:"t"`
	Proposal string       `json:"p"`
	Shown    string       `json:"s"` // SHA-256 of the document that people decide on
	Until    int64        `json:"u"` // in Unix seconds
}

// purpose is what states are sealed for.
const purpose = "mcp-request-state"

// stateLasts is how long a client may carry one, in real time: enough for a
// person to find a page, and no longer than a session with a model.
const stateLasts = time.Hour

// maxState bounds what is opened, in bytes.
const maxState = 2 << 10

// elicit asks the client to open the proposal's page for a person. What the
// client answers means that somebody agreed to open an address, and is not read.
func (s *Server) elicit(ctx context.Context, a identity.Actor, t appTool, asked agent.Asked) *sdk.CallToolResult {
	text, err := json.Marshal(state{Org: a.Org, Actor: a.ID, Tool: t.shown.Name, Proposal: asked.Proposal, Shown: asked.ShownSHA256,
		Until: s.Now().Add(stateLasts).Unix()})
	if err != nil {
		return s.failed(ctx, t.shown.Name, err)
	}
	sealed, err := s.States.SealText(purpose, string(text))
	if err != nil {
		return s.failed(ctx, t.shown.Name, err)
	}
	return &sdk.CallToolResult{RequestState: sealed, InputRequests: sdk.InputRequestMap{"decision": &sdk.ElicitParams{
		Mode: "url", URL: s.link(asked.Proposal), ElicitationID: asked.Proposal,
		Message: asked.Proposal + " waits for " + deciders(asked) +
			". What is decided on this page counts; opening it, or agreeing to, decides nothing.",
	}}}
}

// resume answers a call that comes back with a state: from the record, and never
// by asking for another address.
func (s *Server) resume(ctx context.Context, a identity.Actor, t appTool, args json.RawMessage, sealed string) *sdk.CallToolResult {
	asked, err := s.stateOf(ctx, a, t, args, sealed)
	if err != nil {
		if fault.Is(err, fault.Refused) {
			if no := s.Calls.Refuse(ctx, a, t.shown.Name, via); no != nil {
				err = no
			}
		}
		return s.failed(ctx, t.shown.Name, err)
	}
	return answered(s.outcomeOf(t.tool, asked))
}

// stateOf is the proposal that a state speaks of, if all of it is true: sealed
// here, for this actor, this tool and these arguments, not too long ago, and
// about what the proposal shows now.
func (s *Server) stateOf(ctx context.Context, a identity.Actor, t appTool, args json.RawMessage, sealed string) (agent.Asked, error) {
	no := fault.New(fault.Refused, "the state of this request is not one that was given to you for it").
		WithNext("call the tool again without it")
	if len(sealed) > maxState {
		return agent.Asked{}, no
	}
	text, err := s.States.OpenText(purpose, sealed)
	if err != nil {
		return agent.Asked{}, no
	}
	var st state
	if json.Unmarshal([]byte(text), &st) != nil || st.Org != a.Org || st.Actor != a.ID || st.Tool != t.shown.Name {
		return agent.Asked{}, no
	}
	if s.Now().After(time.Unix(st.Until, 0)) {
		return agent.Asked{}, fault.New(fault.Conflict, "this request is more than %s old", stateLasts).
			WithNext("ask get_proposal for %s", st.Proposal)
	}
	asked, err := s.Calls.Asked(ctx, a, st.Proposal)
	if err != nil {
		return agent.Asked{}, err
	}
	same, err := t.tool.Check(args)
	if err != nil {
		return agent.Asked{}, err
	}
	gone := asked.Args == nil // erased since
	if asked.RequestedBy != a.ID || asked.ShownSHA256 != st.Shown || !gone && !bytes.Equal(asked.Args, same) {
		return agent.Asked{}, no
	}
	return asked, nil
}
