package lifecycle

import (
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/identity"
)

// An EventKind is something that happened to a case.
type EventKind string

// The events.
const (
	Audited     EventKind = "audited"      // a bulk pass looked at the van: Findings, Failed
	Sent        EventKind = "sent"         // the provider accepted a mail to Employee: Letter
	MailBounced EventKind = "bounced"      // a mail to Employee came back
	MailStopped EventKind = "mail_stopped" // a mail to Employee was held back by the loop guard
	Arrived     EventKind = "arrived"      // a human mail of Employee arrived and has not been read
	Replied     EventKind = "replied"      // a reply of Employee was read: Bucket
	Dismissed   EventKind = "dismissed"    // a person said of a mail that arrived that it is none
	Ticked      EventKind = "ticked"       // time passed
	ReAudited   EventKind = "re_audited"   // the re-audit ended: Findings, Full, Failed
	Changed     EventKind = "data_changed" // the records changed: Checks they bear on, if known
	WentAway    EventKind = "went_away"    // leave or days off of Employee began
	CameBack    EventKind = "came_back"    // and ended
	RiderGone   EventKind = "rider_left"   // Employee left the van by themselves
	VanClosed   EventKind = "van_closed"   // the van was taken out of service
	Doubted     EventKind = "doubted"      // who explained the findings is less sure of them than the rules were
	Decided     EventKind = "decided"      // a person decided: Decision
)

// An Event is something that happened. At is when; the rest depends on the kind.
type Event struct {
	Kind     EventKind        `json:"kind"`
	At       time.Time        `json:"at"`
	Employee fleet.EmployeeID `json:"employee_id,omitempty"`
	Letter   post.Kind        `json:"letter,omitempty"`
	Bucket   post.Bucket      `json:"bucket,omitempty"`
	Findings []check.Finding  `json:"findings,omitempty"` // live ones, of the whole van
	Checks   []check.Name     `json:"checks,omitempty"`
	Full     bool             `json:"full,omitempty"`   // a re-audit looked at every check
	Failed   bool             `json:"failed,omitempty"` // it could not be done
	Decision *Decision        `json:"decision,omitempty"`
}

// A Choice is what a person decided.
type Choice string

// The choices: in review, and on a request to cancel.
const (
	SendDraft     Choice = "send_draft"     // approved as it stands or edited: goes to Employee
	RejectDraft   Choice = "reject_draft"   // the reviewer writes another, or closes
	GrantUntil    Choice = "exception"      // accepted until a day
	WasRight      Choice = "false_positive" // nothing was wrong
	LookAgain     Choice = "re_audit"
	AskToCancel   Choice = "proceed"
	WasReached    Choice = "reached" // Employee was told in another way than by mail
	ApproveCancel Choice = "approve"
	RejectCancel  Choice = "reject" // with Next
)

// A Decision is one person's, on what they were shown.
type Decision struct {
	Choice   Choice           `json:"choice"`
	By       Decider          `json:"by"`
	Employee fleet.EmployeeID `json:"employee_id,omitempty"`
	Reason   string           `json:"reason,omitempty"`
	Until    fleet.Date       `json:"until,omitzero"`
	Next     Choice           `json:"next,omitempty"` // of a rejection: WasRight, SendDraft, LookAgain, or nothing: a person says later

	// Seen is how many human mails the case had when it was shown. A decision made
	// without the latest is no decision.
	Seen int `json:"seen"`

	// Verified and Findings are the look at the data right before a cancellation is
	// carried out.
	Verified time.Time       `json:"verified_at,omitzero"`
	Findings []check.Finding `json:"findings,omitempty"`
}

// A Decider is the person who decides, with the people they may not decide
// about: themselves, who they report to, and who reports to them.
type Decider struct {
	identity.Actor

	Ties []fleet.EmployeeID `json:"ties,omitempty"`
}

// An ActionKind is something to be done.
type ActionKind string

// The actions.
const (
	UpsertCase     ActionKind = "upsert_case"
	SendMail       ActionKind = "send_mail"       // Letter to Employee
	SaveDraft      ActionKind = "save_draft"      // an answer to Employee, for a person to approve
	AskPerson      ActionKind = "ask_person"      // a card: Why
	AskCancel      ActionKind = "ask_cancel"      // a request to cancel Employee's membership
	WithdrawAsks   ActionKind = "withdraw_asks"   // cards and requests are no longer valid
	StartReAudit   ActionKind = "start_re_audit"  // Checks, all of them where there are none
	RemoveRider    ActionKind = "remove_rider"    // take Employee off the roster
	StoreException ActionKind = "store_exception" // Exception
	CloseCase      ActionKind = "close_case"
	Recheck        ActionKind = "recheck" // look at the van in the next bulk pass
)

// An Action is something to be done because of a step. Doing it twice under one
// key does it once.
type Action struct {
	Kind      ActionKind       `json:"kind"`
	Key       string           `json:"key"`
	Employee  fleet.EmployeeID `json:"employee_id,omitempty"`
	Letter    post.Kind        `json:"letter,omitempty"`
	Why       Why              `json:"why,omitempty"`
	Checks    []check.Name     `json:"checks,omitempty"`
	Exception *check.Exception `json:"exception,omitempty"`
}

// Tools are the names under which agents know the action, none where it is not
// theirs to do.
func (a Action) Tools() []string {
	switch a.Kind {
	case UpsertCase:
		return []string{"upsert_case"}
	case SendMail, SaveDraft:
		return []string{"run_outreach"}
	case StartReAudit:
		return []string{"run_location_specialist", "run_shift_specialist"}
	case AskCancel:
		return []string{"cancel_membership"}
	case CloseCase:
		return []string{"close_case"}
	}
	return nil
}
