// Package pass is what a gate pass is and what may happen to it: one table, in table.go, of which event leads from
// where to where, who may bring it about and what must hold. Everything that asks "may this be done?" asks the
// table: the API, the gate, the agent's words about what is possible instead.
//
//	            approve              scan_exit             scan_return
//	pending ──────────────▶ approved ──────────▶ exited ──────────────▶ returned
//	   │ reject                 │ delete = revoke   │ ▲ scan_return, and items are still open
//	   ▼                        ▼                   └─┘
//	rejected              approved, deleted
//
// A deleted pass is one that nobody finds again: its status stays what it was. Expired and overdue are what the
// clock makes of a pass, not states of it. Read Rules.Apply first.
package pass

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
)

// A Status is where a pass stands.
type Status string

// The statuses. None is before a pass is made.
const (
	None     Status = ""
	Pending  Status = "pending"
	Approved Status = "approved"
	Rejected Status = "rejected"
	Exited   Status = "exited"
	Returned Status = "returned"
)

// Statuses lists them in the order of a pass's life.
func Statuses() []Status { return []Status{Pending, Approved, Rejected, Exited, Returned} }

// Legacy is the status in the words of older clients, which tell by it whether somebody is expected back.
func (p Pass) Legacy() string {
	switch {
	case p.Status == Exited && p.IsReturnable:
		return "pending_return"
	case p.Status == Exited:
		return "completed"
	}
	return string(p.Status)
}

// A Type is what a pass is for.
type Type string

// The types.
const (
	EmployeeOut Type = "employee_out"
	Visitor     Type = "visitor"
	Contractor  Type = "contractor"
	Material    Type = "material"
	Vehicle     Type = "vehicle"
)

// Types lists them; the first is meant where none is said.
func Types() []Type { return []Type{EmployeeOut, Visitor, Contractor, Material, Vehicle} }

// A Via is by which door an event came.
type Via string

// The doors.
const (
	Console Via = "console"
	Agent   Via = "agent"
	AtGate  Via = "gate"
	System  Via = "system"
)

// A Pass is one gate pass.
type Pass struct {
	ID           string
	Number       number.Number
	Code         number.Code
	PersonName   string
	Description  string
	Type         Type
	SiteID       string
	EmployeeRef  string
	HostRef      string
	VehiclePlate string
	Items        []item.Item
	IsReturnable bool
	PersonBack   bool // somebody was scanned back in, though things of the pass may still be out

	Status  Status
	Version int // of the record: every change is one more
	Token   int // of the QR: what was printed with a smaller one is dead; zero before the first

	ValidFrom, ValidUntil, ExpectedReturnAt time.Time

	CreatedAt  time.Time
	CreatedBy  Actor
	ApprovedAt time.Time
	ApprovedBy string
	RejectedAt time.Time
	RejectedBy string
	Reason     string // why it was rejected
	ExitTime   time.Time
	ReturnTime time.Time
	ExitPhoto  string
	BackPhoto  string

	DeletedAt     time.Time
	DeletedBy     string
	DeletedReason string

	History []Entry
}

// An Entry is one line of a pass's history. Lines are added and never changed.
type Entry struct {
	Status Status
	Event  Event
	At     time.Time
	By     string // the actor's name
	ByID   string
	For    string // whom they stood in for
	Via    Via
	Reason string
}

// Deleted reports whether nobody is to find the pass again.
func (p Pass) Deleted() bool { return !p.DeletedAt.IsZero() }

// Ended reports whether nothing more can happen to a pass: it is at its end, or out for good.
func (p Pass) Ended() bool {
	return p.Deleted() || p.Status == Rejected || p.Status == Returned || p.Status == Exited && !p.IsReturnable
}

// Outside reports whether the person of the pass is out, as far as the pass knows. To delete a pass brings nobody in.
func (p Pass) Outside() bool { return p.Status == Exited && !p.PersonBack }

// DueBack is when somebody who is out must be back: as they said, or by the end of the pass.
func (p Pass) DueBack() time.Time {
	if p.ExpectedReturnAt.IsZero() {
		return p.ValidUntil
	}
	return p.ExpectedReturnAt
}

// Overdue reports whether somebody or something should have been back by now.
func (p Pass) Overdue(now time.Time) bool {
	return p.Status == Exited && p.IsReturnable && !p.Deleted() && now.After(p.DueBack())
}

// Expired reports whether nobody can leave on a pass any more because its time is over.
func (p Pass) Expired(now time.Time) bool {
	return (p.Status == Pending || p.Status == Approved) && !p.Deleted() && now.After(p.ValidUntil)
}

// HasQR reports whether there is a code to show: from approval on, unless it was taken back.
func (p Pass) HasQR() bool {
	return !p.Deleted() && (p.Status == Approved || p.Status == Exited || p.Status == Returned)
}

// clone copies what an event may change, so that the pass handed in stays as it was.
func (p Pass) clone() Pass {
	p.History = slices.Clone(p.History)
	p.Items = slices.Clone(p.Items)
	return p
}
