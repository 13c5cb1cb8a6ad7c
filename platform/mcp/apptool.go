package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
)

// An appTool is a tool of an application as clients see it.
type appTool struct {
	tool  tool.Tool
	shown *sdk.Tool
}

// longestName is what clients' own models take for the name of a function.
const longestName = 64

// toolName is what clients call a tool: an application's name has no underscore,
// so no two tools share one.
func toolName(t tool.Tool) string { return t.App + "_" + t.Name }

// onCase is the argument by which a caller says what case a call is about. It is
// ours, and taken off before the tool's own arguments are looked at.
const onCase = "on_case"

// describe makes what clients are shown of a tool.
func describe(t tool.Tool) (appTool, error) {
	name := toolName(t)
	if len(name) > longestName {
		return appTool{}, fault.New(fault.Invalid, "tool %s: its name is over %d characters for other programs", t.FullName(), longestName)
	}
	in, err := withCase(t)
	if err != nil {
		return appTool{}, err
	}
	out, err := envelope(t)
	if err != nil {
		return appTool{}, err
	}
	line := t.Line
	if t.Effect != tool.Read {
		line += " Calling it only proposes it: a person decides on Gavel's own page before anything is done."
	}
	return appTool{tool: t, shown: &sdk.Tool{Name: name, Title: t.FullName(), Description: line, InputSchema: in, OutputSchema: out,
		Annotations: hints(t)}}, nil
}

// hints say what a tool does to the world in the end, once people have approved
// it; that calling it does nothing of the kind stands in its description. What a
// write overwrites only its application knows, so it counts as destructive.
func hints(t tool.Tool) *sdk.ToolAnnotations {
	reads, outside := t.Effect == tool.Read, t.Effect == tool.Outside || t.OutsideText
	destroys := !reads
	return &sdk.ToolAnnotations{Title: t.FullName(), ReadOnlyHint: reads, IdempotentHint: reads, DestructiveHint: &destroys,
		OpenWorldHint: &outside}
}

// withCase is the schema of a tool's arguments and the case.
func withCase(t tool.Tool) (*jsonschema.Schema, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(t.Spec().Schema, &s); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t.FullName(), err)
	}
	if _, taken := s.Properties[onCase]; taken {
		return nil, fault.New(fault.Invalid, "tool %s: has an argument called %s, which other programs use for the case", t.FullName(),
			onCase)
	}
	words := "The case it is about: its id, case_…, or its ref."
	if t.Effect != tool.Read {
		words += " Left out, a case is opened for it."
	}
	longest := 60
	props := maps.Clone(s.Properties)
	if props == nil {
		props = map[string]*jsonschema.Schema{}
	}
	props[onCase] = &jsonschema.Schema{Type: "string", Description: words, MaxLength: &longest}
	s.Properties, s.PropertyOrder = props, append(s.PropertyOrder, onCase)
	return &s, nil
}

// callApp answers calls of an application's tool.
func (s *Server) callApp(a identity.Actor, t appTool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return s.take(ctx, a, t, req.Params, opensLinks(req)), nil
	}
}

// opensLinks reports whether a client can show a person an address while a call
// waits. Older clients would have to be asked over a connection that is not kept.
func opensLinks(req *sdk.CallToolRequest) bool {
	can := req.ClientCapabilities()
	return req.ProtocolVersion() >= "2026-07-28" && can != nil && can.Elicitation != nil && can.Elicitation.URL != nil
}

// take takes a call. One that brings a state back is never taken again: it is
// told what the record says of the proposal it made.
func (s *Server) take(ctx context.Context, a identity.Actor, t appTool, p *sdk.CallToolParamsRaw, canOpen bool) *sdk.CallToolResult {
	args, on, err := split(p.Arguments)
	if err != nil {
		return s.failed(ctx, t.shown.Name, err)
	}
	if p.RequestState != "" {
		return s.resume(ctx, a, t, args, p.RequestState)
	}
	taken, err := s.Calls.Take(ctx, a, agent.Call{App: t.tool.App, Tool: t.tool.Name, Args: args, Case: on, Via: via})
	switch {
	case err != nil:
		return s.failed(ctx, t.shown.Name, err)
	case taken.Asked == nil:
		return answered(outcome{Status: done, Result: taken.Result, Case: taken.Case, Outside: taken.Outside, Says: "This is the answer."})
	case taken.Asked.Waiting() && canOpen:
		return s.elicit(ctx, a, t, *taken.Asked)
	}
	return answered(s.outcomeOf(t.tool, *taken.Asked))
}

// split takes the case off the arguments. A name that stands there twice is
// refused, since it could not be said which of the two counts; deeper ones are
// the tool's own to refuse.
func split(raw json.RawMessage) (args json.RawMessage, on string, err error) {
	if !bytes.Contains(raw, []byte(onCase)) {
		return raw, "", nil
	}
	bad := fault.New(fault.Invalid, "args: want one JSON object, each name in it once, and %s a text", onCase)
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, "", bad
	}
	rest := map[string]json.RawMessage{}
	for dec.More() {
		name, err := dec.Token()
		text, isText := name.(string)
		var value json.RawMessage
		if err != nil || !isText || dec.Decode(&value) != nil {
			return nil, "", bad
		}
		if _, twice := rest[text]; twice {
			return nil, "", bad
		}
		rest[text] = value
	}
	if value, ok := rest[onCase]; ok {
		if json.Unmarshal(value, &on) != nil {
			return nil, "", bad
		}
		delete(rest, onCase)
	}
	args, err = json.Marshal(rest)
	return args, on, err
}
