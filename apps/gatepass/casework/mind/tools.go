package mind

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/toolset"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
)

// lineOf is what each tool does, for the model and whoever reviews what it did.
var lineOf = map[string]string{
	"create_gate_pass":             "Create a gate pass for a person: name, purpose, and whether they come back. Ask for what was not said.",
	"list_gate_passes":             "List gate passes, all or those in one status: pending, approved, rejected, exited or returned.",
	"get_gate_pass_details":        "Show one gate pass, by its id or its number.",
	"print_gate_pass":              "Make the printable form of a gate pass, by its number. The person gets the file; you do not see it.",
	"list_pending_gate_passes":     "List the gate passes that wait for approval, the oldest first.",
	"get_gate_pass_by_number":      "Show one gate pass, by its number.",
	"approve_gate_pass":            "Ask the person to approve a pending gate pass, by its number. They see a card and press its button.",
	"reject_gate_pass":             "Ask the person to reject a pending gate pass, by its number. They see a card and press its button.",
	"delete_gate_pass":             "Ask the person to delete or revoke a gate pass, by its number. They see a card and press its button.",
	"list_all_gate_passes_admin":   "List gate passes, all or those in one status: pending, approved, rejected, exited or returned.",
	"print_gate_pass_admin":        "Make the printable form of a gate pass, by its number. The person gets the file; you do not see it.",
	"scan_exit":                    "Record that somebody leaves: the pass's number, and a photo that was handed in, by its id.",
	"scan_return":                  "Record that somebody is back: the pass's number, and a photo that was handed in, by its id.",
	"get_gate_pass_by_number_gate": "Show a gate pass at the gate, by its number, and whether its holder may pass.",
	"get_gate_pass_by_id_gate":     "Show a gate pass at the gate, by its id, and whether its holder may pass.",
	"get_gate_pass_photos":         "List the photos of a gate pass, by its number. The person sees them; you do not.",
	"get_admin_notifications":      "List the notices for who approves passes, the newest first.",
	"get_hr_notifications":         "List the notices for who makes passes, the newest first.",
	"mark_notification_read":       "Note that the person has read a notice, by its id.",
	"get_qr_code":                  "Make the QR code of an approved gate pass, by its number. The person gets the picture; you do not see it.",
}

// Tools are those of the first design, each for its roles.
func (m *Mind) Tools() []tool.Tool {
	var all []tool.Tool
	for _, t := range toolset.Table() {
		all = append(all, m.declare(t))
	}
	return all
}

// declare is a tool as the platform has it, by what a call of it says.
func (m *Mind) declare(t toolset.Tool) tool.Tool {
	switch {
	case t.Card:
		return m.card(t)
	case t.Name == makes:
		return sends[createArgs](m, t)
	case len(t.Params) == 2:
		return sends[scanArgs](m, t)
	case t.Effect == toolset.Writes:
		return sends[noticeArgs](m, t)
	case len(t.Params) == 0:
		return reads[nothing](m, t)
	case t.Params[0].Form == toolset.Status:
		return reads[listArgs](m, t)
	case t.Params[0].Form == toolset.PassRef:
		return reads[refArgs](m, t)
	}
	return reads[passArgs](m, t)
}

// declared is what all of them have. Names, purposes and items are other people's words, wherever a tool answers with them.
func declared(t toolset.Tool, effect tool.Effect) tool.Tool {
	return tool.Tool{App: store.Name, Name: t.Name, Line: lineOf[t.Name], Effect: effect, Gate: tool.Off, Roles: rolesOf(t),
		OutsideText: true, Deciders: []identity.Role{identity.PassAdmin}, MaxResult: 128 << 10}
}

// rolesOf are the institution's roles that a tool is for.
func rolesOf(t toolset.Tool) []identity.Role {
	return slices.DeleteFunc(identity.Roles(), func(r identity.Role) bool { return !slices.Contains(t.Roles, pass.RoleOf(r)) })
}

func callOf(e tool.Env, name string, args map[string]any) Call {
	return Call{Org: e.Org, Case: e.Case, Run: e.Run, ID: e.Call, Tool: name, Args: args, Key: e.Key, Leave: e.Proposal}
}

// reads is a tool that looks something up. What went wrong is its result: the model is to explain it.
func reads[In any](m *Mind, t toolset.Tool) tool.Tool {
	return tool.Reads(declared(t, tool.Read), func(ctx context.Context, e tool.Env, in In) (Told, error) {
		c := callOf(e, t.Name, asMap(in))
		c.Key, c.Leave = "", ""
		return m.hands.Do(ctx, c)
	})
}

// sends is a tool that changes something over the API. It has the act's own key there, so that sending it again is asking what
// became of it. Rule/admit lets nothing of it out but what the person said, so that it is grounded; what it does not look at, the
// person confirms.
func sends[In any](m *Mind, t toolset.Tool) tool.Tool {
	d := declared(t, tool.Outside)
	if d.Grounded = t.Params[0].Form != toolset.ID; !d.Grounded {
		d.Gate, d.Deciders, d.ExpireAfter = tool.Confirm, nil, cardLasts
	}
	run := func(ctx context.Context, e tool.Env, in In) (Told, error) {
		c := callOf(e, t.Name, asMap(in))
		c.Leave = "" // nobody was asked about it: it is held against the conversation
		return m.effect(ctx, c)
	}
	ask := func(ctx context.Context, e tool.Env, in In) (tool.Found, Told, error) {
		told, err := run(ctx, e, in)
		if tool.IsNotSent(err) {
			return tool.No, told, nil
		}
		return tool.Yes, told, err
	}
	return tool.Finds(tool.Sends(d, run, ask),
		func(ctx context.Context, tx pgx.Tx, e tool.Env, in In) (finding.Finding, error) {
			_, err := talkOf(ctx, tx, e)
			return asks(t, e, asMap(in)), err
		})
}

// talkOf is the conversation that a call is wanted in. A program of somebody's own may name its case, and has none.
func talkOf(ctx context.Context, tx pgx.Tx, e tool.Env) (store.Talk, error) {
	t, err := store.TalkOfCase(ctx, tx, e.Case)
	if err == nil && t.Run != e.Run {
		err = fault.New(fault.Refused, "this is no call of that conversation")
	}
	return t, err
}

// effect is a call that changes something, done or not. What certainly was not done is a failure in the words of the first design.
func (m *Mind) effect(ctx context.Context, c Call) (Told, error) {
	told, err := m.hands.Do(ctx, c)
	if err != nil {
		return told, err
	}
	if told.Error == nil {
		return told, nil
	}
	text, err := json.Marshal(told.Error)
	if err != nil {
		return told, err
	}
	kind := fault.Conflict
	if told.StatusCode == 0 && told.Error.ErrorType == "network" || told.Error.ErrorType == "server" {
		return told, fault.New(fault.Unavailable, "%s", text) // it may have been done
	}
	if told.Error.ErrorType == "busy" {
		kind = fault.Unavailable
	}
	return told, tool.NotSent(fault.New(kind, "%s", text))
}

// asks is what somebody reads first who is asked about a call that is usually made unasked.
func asks(t toolset.Tool, e tool.Env, args map[string]any) finding.Finding {
	about := t.Name
	for _, name := range []string{"pass_number", "person_name", "notification_id"} {
		if text, _ := args[name].(string); text != "" {
			about = clean(text)
			break
		}
	}
	none := finding.NotApplicable(finding.Words{En: "Nothing is measured.", Hi: "कुछ मापा नहीं जाता।"})
	return finding.Finding{
		Subject: finding.Subject{Kind: "tool", Name: finding.Short(about), Link: "/cases/" + e.Case},
		Brief:   finding.Words{En: "asks to change a gate pass", Hi: "गेट पास बदलना चाहता है"},
		Says:    finding.Words{En: "You asked for it in a conversation.", Hi: "आपने बातचीत में यह कहा था।"},
		Value:   none, Limit: none, Sure: none,
		Change: finding.Words{En: "A policy that allows it unattended.", Hi: "ऐसी नीति जो इसे बिना पूछे होने दे।"},
		Plain:  finding.Words{En: "A change to a gate pass waits for a person.", Hi: "गेट पास में एक बदलाव व्यक्ति की प्रतीक्षा में है।"},
	}
}
