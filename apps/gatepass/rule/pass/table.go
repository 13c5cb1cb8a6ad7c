package pass

import (
	"slices"

	"github.com/gavelhq/gavel/apps/gatepass/rule/notice"
)

// An Event is something that can happen to a pass.
type Event string

// The events. To delete an approved pass is to revoke it: its QR is dead from then on.
const (
	Create         Event = "create"
	Approve        Event = "approve"
	Reject         Event = "reject"
	ScanExit       Event = "scan_exit"
	ScanReturn     Event = "scan_return"
	Delete         Event = "delete"
	Extend         Event = "extend"
	MakeReturnable Event = "make_returnable"
)

// Events lists what can happen to a pass that is there.
func Events() []Event {
	return []Event{Approve, Reject, ScanExit, ScanReturn, Delete, Extend, MakeReturnable}
}

// role is who may bring an event about, wherever the pass stands.
var role = map[Event]Role{
	Create: HR, Approve: Admin, Reject: Admin, Delete: Admin, Extend: Admin, MakeReturnable: Admin, ScanExit: Gate, ScanReturn: Gate,
}

// RoleFor is who may bring an event about; Nobody where there is no such event.
func RoleFor(e Event) Role { return role[e] }

// An Effect is what must be done together with an event, by who writes it down.
type Effect string

// The effects.
const (
	StartApprovalClock Effect = "start_approval_clock"
	StopApprovalClock  Effect = "stop_approval_clock"
	StartOverdueClock  Effect = "start_overdue_clock" // also where it runs already and its time has changed
	StopOverdueClock   Effect = "stop_overdue_clock"
	MintToken          Effect = "mint_token" // the pass's token version has grown: show the new QR
	KillToken          Effect = "kill_token" // it has grown, and there is no new QR
	TellGates          Effect = "tell_gates" // the list that gates keep has changed
)

// A Row is one line of the table: from a status, an event, what must hold, and what then is so.
type Row struct {
	From    Status
	Event   Event
	If      []Guard
	To      Status
	Deletes bool
	Then    []Effect
	Tells   notice.Type
	Also    []notice.Reader // beside whom such a notice is always for
}

// Table is the whole life of a pass. Whatever is not in it is refused as an invalid state; on a deleted pass nothing
// happens at all. It is the only place that says so.
func Table() []Row {
	return []Row{
		{From: None, Event: Create, If: []Guard{FieldsValid, NotWatched}, To: Pending,
			Then: []Effect{StartApprovalClock}, Tells: notice.Created},

		{From: Pending, Event: Approve, If: []Guard{NotOwn, StandsInRightly, WindowGiven, NotOver}, To: Approved,
			Then: []Effect{StopApprovalClock, MintToken, TellGates}, Tells: notice.Approved},
		{From: Pending, Event: Reject, If: []Guard{StandsInRightly, ReasonShort}, To: Rejected,
			Then: []Effect{StopApprovalClock}, Tells: notice.Rejected},
		{From: Pending, Event: Delete, If: []Guard{ReasonShort}, To: Pending, Deletes: true,
			Then: []Effect{StopApprovalClock}, Tells: notice.Deleted},

		{From: Approved, Event: ScanExit, If: []Guard{NotEarly, NotOver, AtSite, NotWatched, PhotoTaken}, To: Exited,
			Then: []Effect{StartOverdueClock, TellGates}, Tells: notice.Exited},
		{From: Approved, Event: Extend, If: []Guard{WindowGiven, Later}, To: Approved,
			Then: []Effect{TellGates}},
		{From: Approved, Event: Delete, If: []Guard{ReasonGiven}, To: Approved, Deletes: true,
			Then: []Effect{KillToken, TellGates}, Tells: notice.Deleted, Also: []notice.Reader{notice.Gate}},

		{From: Exited, Event: ScanReturn, If: []Guard{ToComeBack, AtSite, PhotoTaken, ItemsMatch}, To: Returned,
			Then: []Effect{StopOverdueClock, TellGates}, Tells: notice.Returned},
		{From: Exited, Event: Extend, If: []Guard{ToComeBack, WindowGiven, Later}, To: Exited,
			Then: []Effect{StartOverdueClock, TellGates}},
		{From: Exited, Event: MakeReturnable, If: []Guard{OutForGood, WindowGiven}, To: Exited,
			Then: []Effect{StartOverdueClock, TellGates}},
		{From: Exited, Event: Delete, If: []Guard{SecondAdmin, ReasonGiven}, To: Exited, Deletes: true,
			Then: []Effect{KillToken, StopOverdueClock, TellGates}, Tells: notice.Deleted, Also: []notice.Reader{notice.Gate}},

		{From: Rejected, Event: Delete, If: []Guard{ReasonShort}, To: Rejected, Deletes: true, Tells: notice.Deleted},
	}
}

// find is the row of an event from a status.
func find(from Status, e Event) (Row, bool) {
	for _, r := range Table() {
		if r.From == from && r.Event == e {
			return r, true
		}
	}
	return Row{}, false
}

// StatesFor is where an event can happen, for who asks why it cannot now.
func StatesFor(e Event) []Status {
	var from []Status
	for _, r := range Table() {
		if r.Event == e && r.From != None && !slices.Contains(from, r.From) {
			from = append(from, r.From)
		}
	}
	return from
}
