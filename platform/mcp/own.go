package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
)

// An ownTool is one of the platform's: it looks and changes nothing.
type ownTool struct {
	act   string // what one must be allowed
	tool  tool.Tool
	shown *sdk.Tool
}

// mostOwn is how many tools of the platform's own there may be: a model reads
// the list before every answer.
const mostOwn = 20

// ownTools are all of them, with the act that each needs.
func (s *Server) ownTools() ([]ownTool, error) {
	all := []ownTool{
		look("case.read", "search_cases", "Find cases by words of their title, their ref, state or application, newest first.",
			s.searchCases),
		look("case.read", "get_case", "Read one case: how it stands, its newest notes and the proposals that wait in it.", s.getCase),
		look("mcp.use", "get_proposal", "Read how a proposal stands: who decides it, what was decided, and what became of it.",
			s.getProposal),
		look("inbox.read", "list_inbox", "List the proposals that wait for your decision, the most urgent first, with the page of each.",
			s.listInbox),
		look("run.read", "get_run", "Read how an agent's run stands: its state, what it has cost and what its newest steps did.", s.getRun),
	}
	if s.Facts != nil {
		all = append(all, look("case.read",
			"get_fact", "Read one number of a case with its unit, where it was read or how it was computed, and what it rests on.",
			s.getFact))
	}
	if s.Records != nil {
		all = append(all, look("audit.read",
			"verify_record", "Check one record of the audit log step by step: its content, its place in the log and the signature over it.",
			s.verifyRecord))
	}
	if len(all) > mostOwn {
		return nil, fault.New(fault.Internal, "%d tools of the platform's own; the most is %d", len(all), mostOwn)
	}
	tools := make([]tool.Tool, len(all))
	for i := range all {
		tools[i] = all[i].tool
	}
	_, err := tool.NewRegistry(tools...) // only to have the declarations checked
	return all, err
}

// look makes a tool of the platform's own. Its roles are all roles: whether one
// may is the act's to say, and it is asked for.
func look[In, Out any](act, name, line string, run func(context.Context, identity.Actor, In) (Out, error)) ownTool {
	everybody := identity.Roles()
	t := tool.Reads(tool.Tool{App: "gavel", Name: name, Line: line, Effect: tool.Read, Gate: tool.Off, Roles: everybody,
		Deciders:  everybody,
		MaxResult: 256 << 10}, func(ctx context.Context, e tool.Env, in In) (Out, error) { return run(ctx, e.Actor, in) })
	no := false
	return ownTool{act: act, tool: t, shown: &sdk.Tool{Name: name, Description: line, InputSchema: t.Spec().Schema,
		OutputSchema: t.Answer(),
		Annotations:  &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no}}}
}

// callOwn answers calls of one of the platform's own tools.
func (s *Server) callOwn(a identity.Actor, o ownTool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if err := s.Rules.May(a, o.act); err != nil {
			return s.failed(ctx, o.shown.Name, err), nil
		}
		args, err := o.tool.Check(req.Params.Arguments)
		if err != nil {
			return s.failed(ctx, o.shown.Name, err), nil
		}
		out, err := o.tool.Read(ctx, tool.Env{Org: a.Org, App: "gavel", Actor: a}, args)
		if err != nil {
			return s.failed(ctx, o.shown.Name, err), nil
		}
		return answered(out), nil
	}
}
