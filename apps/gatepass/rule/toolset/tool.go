// Package toolset is what an agent may do for each role, and what a call of it must say. Its names, addresses and roles are the first
// design's; what differs is said in docs/design/gatepass.md. It is the one table that the registry, the prompt and the refusals come from.
//
// Read Table, then Check: a call is made when it says everything that it must, and every value has the form that it should have. What is
// missing is asked of the person and never filled in, whoever would know it better.
package toolset

import (
	"slices"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/fault"
)

// An Effect is what a tool does to the world.
type Effect string

// The effects.
const (
	Reads    Effect = "none"
	Writes   Effect = "write"
	Destroys Effect = "destructive"
)

// A Form is what a value looks like.
type Form string

// The forms.
const (
	Text       Form = "text"
	Yes        Form = "boolean" // true or false; there is no third
	PassNumber Form = "pass_number"
	PassRef    Form = "pass_id" // an id or a number
	Status     Form = "status"
	Attachment Form = "attachment_id" // a file that the person handed in, never a path
	ID         Form = "id"
)

// A Param is one value that a tool is called with.
type Param struct {
	Name     string // the first design's, and the API's
	Form     Form
	Required bool
	Injected bool // filled from who is signed in; the model does not see it
}

// A Tool is one thing that an agent may do.
type Tool struct {
	Name    string
	Method  string
	Path    string
	Roles   []pass.Role
	Effect  Effect
	Card    bool // a person presses the button, on what the database says then
	Params  []Param
	Several bool // it answers with a list
}

var (
	passNumber = Param{Name: "pass_number", Form: PassNumber, Required: true}
	passID     = Param{Name: "pass_id", Form: PassRef, Required: true}
	status     = Param{Name: "status", Form: Status}
	name       = Param{Name: "name", Form: Text, Required: true, Injected: true}
	reason     = Param{Name: "reason", Form: Text}
	photo      = Param{Name: "photo", Form: Attachment, Required: true}
)

// Table is every tool, in the order of the first design.
func Table() []Tool {
	hr, admin, gate := []pass.Role{pass.HR}, []pass.Role{pass.Admin}, []pass.Role{pass.Gate}
	return []Tool{
		{Name: "create_gate_pass", Method: "POST", Path: "/hr/gatepass/create", Roles: hr, Effect: Writes, Params: []Param{
			{Name: "person_name", Form: Text, Required: true}, {Name: "description", Form: Text, Required: true},
			{Name: "is_returnable", Form: Yes, Required: true}}},
		{Name: "list_gate_passes", Method: "GET", Path: "/hr/gatepass/list", Roles: hr, Effect: Reads, Params: []Param{status},
			Several: true},
		{Name: "get_gate_pass_details", Method: "GET", Path: "/hr/gatepass/{pass_id}", Roles: hr, Effect: Reads, Params: []Param{passID}},
		{Name: "print_gate_pass", Method: "GET", Path: "/hr/gatepass/{pass_number}/print", Roles: hr, Effect: Reads,
			Params: []Param{passNumber}},

		{Name: "list_pending_gate_passes", Method: "GET", Path: "/admin/gatepass/pending", Roles: admin, Effect: Reads, Several: true},
		{Name: "get_gate_pass_by_number", Method: "GET", Path: "/admin/gatepass/{pass_number}", Roles: admin, Effect: Reads,
			Params: []Param{passNumber}},
		{Name: "approve_gate_pass", Method: "POST", Path: "/admin/gatepass/{pass_number}/approve", Roles: admin, Effect: Writes, Card: true,
			Params: []Param{passNumber, name}},
		{Name: "reject_gate_pass", Method: "POST", Path: "/admin/gatepass/{pass_number}/reject", Roles: admin, Effect: Writes, Card: true,
			Params: []Param{passNumber, name, reason}},
		{Name: "delete_gate_pass", Method: "POST", Path: "/admin/gatepass/{pass_number}/delete", Roles: admin, Effect: Destroys, Card: true,
			Params: []Param{passNumber, name, reason}},
		{Name: "list_all_gate_passes_admin", Method: "GET", Path: "/admin/gatepass/list", Roles: admin, Effect: Reads,
			Params:  []Param{status},
			Several: true},
		{Name: "print_gate_pass_admin", Method: "GET", Path: "/admin/gatepass/{pass_number}/print", Roles: admin, Effect: Reads,
			Params: []Param{passNumber}},

		{Name: "scan_exit", Method: "POST", Path: "/gate/scan-exit", Roles: gate, Effect: Writes, Params: []Param{passNumber, photo}},
		{Name: "scan_return", Method: "POST", Path: "/gate/scan-return", Roles: gate, Effect: Writes, Params: []Param{passNumber, photo}},
		{Name: "get_gate_pass_by_number_gate", Method: "GET", Path: "/gate/gatepass/number/{pass_number}", Roles: gate, Effect: Reads,
			Params: []Param{passNumber}},
		{Name: "get_gate_pass_by_id_gate", Method: "GET", Path: "/gate/gatepass/id/{pass_id}", Roles: gate, Effect: Reads,
			Params: []Param{passID}},
		{Name: "get_gate_pass_photos", Method: "GET", Path: "/gate/photos/{pass_number}", Roles: gate, Effect: Reads,
			Params: []Param{passNumber}},

		{Name: "get_admin_notifications", Method: "GET", Path: "/notifications/admin", Roles: admin, Effect: Reads, Several: true},
		{Name: "get_hr_notifications", Method: "GET", Path: "/notifications/hr", Roles: hr, Effect: Reads, Several: true},
		{Name: "mark_notification_read", Method: "POST", Path: "/notifications/{notification_id}/read", Roles: []pass.Role{pass.Admin,
			pass.HR},
			Effect: Writes, Params: []Param{{Name: "notification_id", Form: ID, Required: true}}},
		{Name: "get_qr_code", Method: "GET", Path: "/qr/{pass_number}", Roles: pass.Roles(), Effect: Reads, Params: []Param{passNumber}},
	}
}

// For is the tools of a role.
func For(r pass.Role) []Tool {
	return slices.DeleteFunc(Table(), func(t Tool) bool { return !slices.Contains(t.Roles, r) })
}

// Find is a tool that a role may use. Who asks for another's is refused before anything is sent; that there is such a tool is no secret.
func Find(called string, r pass.Role) (Tool, error) {
	all := Table()
	i := slices.IndexFunc(all, func(t Tool) bool { return t.Name == called })
	if i < 0 {
		return Tool{}, fault.New(fault.NotFound, "there is no tool %.60q", called)
	}
	if !slices.Contains(all[i].Roles, r) {
		return Tool{}, fault.New(fault.Refused, "%s is not for the role %s", called, r).On("tool", string(pass.RoleForbidden), called)
	}
	return all[i], nil
}

// MostAlone is how many passes may be made of one message without a card.
const MostAlone = 5

// NeedsCard reports whether a person must press a button first: always for what decides or destroys, and for making passes where
// they are many of one message.
func (t Tool) NeedsCard(nth int) bool {
	return t.Card || t.Name == "create_gate_pass" && nth > MostAlone
}
