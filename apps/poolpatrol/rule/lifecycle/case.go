// Package lifecycle decides what happens to a case next. It is one function,
// Step: a case and an event in, the case as it is afterwards and what must be
// done out. It reads no clock and does nothing itself, so every path through a
// case can be tried in a test, and what was decided can be decided again.
//
//	audit fails ──▶ open ──mail accepted──▶ pending_reply ──reply, or silence──▶ re_audit ──passes──▶ resolved
//	   │             │                         ▲    │                            │    │
//	   │not sure     │bounce                   │    │escalation, bounce          │    │still fails
//	   ▼             ▼                         │    ▼                            │    ▼
//	hitl_review ◀────────────────────────────────────  a person  ◀──reply──  pre_cancel ──approved──▶ cancelled
//
// Read Case and Event first, then step.go, which says who handles what; each
// handler stands in the file named for its matter. What it promises:
//
//   - nobody is taken out of a van without a person's approval for exactly them,
//     nor over an unread reply, a mail that did not arrive, or leave;
//   - nobody is taken out unheard, unless they have left the employer;
//   - nobody is written to who is not on the case;
//   - a case on which people decide comes to its end.
package lifecycle

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// A State is where a case stands.
type State string

// The states. A van without a case has none of them.
const (
	Open         State = "open"          // found, and the first mails are on their way
	PendingReply State = "pending_reply" // written to; the clock runs
	ReAudit      State = "re_audit"      // being looked at again
	Review       State = "hitl_review"   // a person of the programme decides
	PreCancel    State = "pre_cancel"    // a person is asked to cancel memberships
	Resolved     State = "resolved"
	Cancelled    State = "cancelled"
)

// States lists them in the order of a case's life.
func States() []State {
	return []State{Open, PendingReply, ReAudit, Review, PreCancel, Resolved, Cancelled}
}

// Ended reports whether nothing more will happen.
func (s State) Ended() bool { return s == Resolved || s == Cancelled }

// A Trigger is why a van is audited again.
type Trigger string

// The triggers.
const (
	ByAck     Trigger = "ack"
	ByUpdate  Trigger = "update"
	ByTimeout Trigger = "timeout"
	ByPerson  Trigger = "person"
)

// A Why is what brought a case before a person.
type Why string

// The reasons.
const (
	Triage        Why = "triage"        // the code is not sure, or there is nobody to write to
	Undeliverable Why = "undeliverable" // a mail came back
	MailHeld      Why = "mail_held"     // too many automatic mails
	Escalated     Why = "escalation"    // a reply a person must answer
	ManyQuestions Why = "questions"     // asked more often than is answered automatically
	UnreadReply   Why = "unread_reply"  // a reply came while something else was under way
	DataChanged   Why = "data_changed"  // the records changed while a cancellation waited
	OnLeave       Why = "on_leave"      // leave began while a cancellation waited
	Unheard       Why = "unheard"       // not everybody who fails has been written to
	TooOld        Why = "cap"           // open for longer than a case may be
	Expired       Why = "expired"       // nobody answered the request to cancel
	Declined      Why = "declined"      // somebody said no to it, and not what instead
	NoMoreAudits  Why = "limit"         // looked at again as often as is allowed
)

// A SubReason says how a case ended.
type SubReason string

// The endings.
const (
	DataFixed           SubReason = "data_fixed"
	SilentFix           SubReason = "silent_fix"
	FalsePositive       SubReason = "false_positive"
	ExceptionGranted    SubReason = "exception_granted"
	MembershipCancelled SubReason = "membership_cancelled"
	RiderLeft           SubReason = "rider_left"
	VanpoolClosed       SubReason = "vanpool_closed"
)

// A Case is one van's case. It holds ids and times and no personal data.
type Case struct {
	ID       fleet.CaseID    `json:"case_id"`
	Vanpool  fleet.VanpoolID `json:"vanpool_id"`
	Previous fleet.CaseID    `json:"previous_case_id,omitempty"`
	State    State           `json:"state"`
	Subjects []Subject       `json:"subjects"`

	// Van holds findings on the van itself. A person deals with them.
	Van []check.Finding `json:"van_findings,omitempty"`

	Steps    int       `json:"steps"` // changes so far; with the case's id, the key of every effect
	Opened   time.Time `json:"opened_at"`
	Now      time.Time `json:"now"` // the latest moment any event told of
	CapAt    time.Time `json:"cap_at"`
	ReAudits int       `json:"re_audit_count"`
	Answers  int       `json:"answers"` // questions answered automatically
	Inbound  int       `json:"inbound"` // human mails received
	Unread   int       `json:"unread"`  // of them, not yet read by code or person

	Deadline time.Time     `json:"deadline_at,omitzero"` // for a reply; zero while the clock stands
	Left     time.Duration `json:"left,omitzero"`        // of the deadline, while somebody is away

	Due        time.Time    `json:"due_at,omitzero"` // a re-audit is to begin then
	DueTrigger Trigger      `json:"due_trigger,omitempty"`
	DueChecks  []check.Name `json:"due_checks,omitempty"`

	Trigger Trigger   `json:"trigger,omitempty"` // of the re-audit under way
	Before  State     `json:"before,omitempty"`  // where it began, to go back to if it cannot be done
	AskedAt time.Time `json:"asked_at,omitzero"` // when the cancellations were asked for
	Why     Why       `json:"why,omitempty"`     // in review: what brought it there

	SubReason SubReason `json:"sub_reason,omitempty"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	WasRight  []string  `json:"was_right,omitempty"` // keys of findings a person said were none
}

// A Standing is where one subject of a case stands.
type Standing string

// The standings.
const (
	SubjectOpen      Standing = "open"
	SubjectCleared   Standing = "cleared"
	CancelPending    Standing = "cancel_pending"
	SubjectCancelled Standing = "cancelled"
)

// A MailState is what became of the last mail that asked somebody something.
type MailState string

// The mail states.
const (
	NoMail   MailState = ""
	Queued   MailState = "queued"
	Accepted MailState = "accepted" // the provider took it
	Bounced  MailState = "bounced"  // it came back, or could not be sent
	Kept     MailState = "kept"     // the loop guard kept it; what was accepted before it stays accepted
)

// A Subject is one rider a case is about.
type Subject struct {
	Employee fleet.EmployeeID `json:"employee_id"`
	Findings []check.Finding  `json:"findings"` // as of the last look
	Standing Standing         `json:"state"`
	Mail     MailState        `json:"mail,omitempty"`
	Asked    []check.Name     `json:"asked,omitempty"` // what the mail that is under way is about
	Told     []check.Name     `json:"told,omitempty"`  // what they have been written to about
	Away     bool             `json:"away,omitempty"`  // on leave or days off now
}

// FailedChecks are the names of what fails, each once, in order.
func (s Subject) FailedChecks() []check.Name {
	var out []check.Name
	for _, f := range s.Findings {
		out = append(out, f.Check)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mailable are the checks somebody may be written to about.
func (s Subject) mailable() []check.Name {
	var out []check.Name
	for _, f := range s.Findings {
		if f.Mailable() && !slices.Contains(out, f.Check) {
			out = append(out, f.Check)
		}
	}
	slices.Sort(out)
	return out
}

// Open reports whether the case still turns on this subject.
func (s Subject) Open() bool { return s.Standing == SubjectOpen || s.Standing == CancelPending }

// reached reports whether a letter has come to them, as far as is known.
func (s Subject) reached() bool { return s.Mail == Accepted || s.Mail == Kept }

// heard reports whether somebody may be judged on these findings: they were
// told, or there is nobody to tell.
func (s Subject) heard(findings []check.Finding) bool {
	for _, f := range findings {
		if f.Employee != s.Employee || f.Excused != nil || f.Route == check.ToData {
			continue
		}
		if f.Gone || s.reached() && slices.Contains(s.Told, f.Check) {
			return true
		}
	}
	return false
}

// cancellable reports whether a person may be asked to cancel the membership.
func (s Subject) cancellable() bool {
	return s.Open() && !s.Away && s.heard(s.Findings)
}

// Subject finds a subject by id.
func (c Case) Subject(id fleet.EmployeeID) (Subject, bool) {
	if i := c.index(id); i >= 0 {
		return c.Subjects[i], true
	}
	return Subject{}, false
}

func (c Case) index(id fleet.EmployeeID) int {
	return slices.IndexFunc(c.Subjects, func(s Subject) bool { return s.Employee == id })
}

// FailedChecks are the names of what fails for anybody still open, and for the
// van.
func (c Case) FailedChecks() []check.Name {
	var out []check.Name
	for _, f := range c.Van {
		out = append(out, f.Check)
	}
	for _, s := range c.Subjects {
		if s.Open() {
			out = append(out, s.FailedChecks()...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// clone copies what a step may change, so that the case handed in stays as it
// was. Lists inside a subject are replaced and never written into.
func (c Case) clone() Case {
	c.Subjects = slices.Clone(c.Subjects)
	return c
}
