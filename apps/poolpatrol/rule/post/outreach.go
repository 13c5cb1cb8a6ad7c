package post

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// An OutreachResult is what came of one turn of writing to somebody: the first letter, or a
// reply of theirs that was read. A letter that went out by itself has a message; where none
// did a person has the matter, and the reply counts as an escalation.
type OutreachResult struct {
	Employee fleet.EmployeeID `json:"employee_id"`
	Thread   string           `json:"email_thread_id" doc:"As THREAD-A3F8B291: one for each person on a case."`
	Message  *string          `json:"message_id" doc:"As MSG-12345678; null where nothing was sent."`
	Bucket   *Bucket          `json:"bucket" doc:"acknowledgment, question, update or escalation; null where nobody had replied."`
	Person   bool             `json:"hitl_required" doc:"A person answers: the bucket is escalation."`
	Sent     bool             `json:"sent"`
	At       time.Time        `json:"at"`
}

// ThreadOf is what a thread is called: of one person on one case.
func ThreadOf(id fleet.CaseID, who fleet.EmployeeID) string {
	sum := sha256.Sum256([]byte(string(id) + "/" + string(who)))
	return fmt.Sprintf("THREAD-%X", sum[:4])
}

// A Written is a letter to somebody on a case.
type Written struct {
	Employee fleet.EmployeeID
	Kind     Kind
	Message  string // its mark, as MSG-12345678
	At       time.Time
}

// A Heard is a reply of theirs that was read.
type Heard struct {
	Employee fleet.EmployeeID
	Bucket   Bucket
	At       time.Time
}

// Outreach is what came of each turn of writing to the people on a case, in the order in
// which letters and replies are given: the oldest first.
func Outreach(id fleet.CaseID, letters []Written, replies []Heard) []OutreachResult {
	all := []OutreachResult{}
	for _, l := range letters {
		if l.Kind == First {
			all = append(all, result(id, l.Employee, l.At, nil, l.Message))
		}
	}
	for i, r := range replies {
		until := time.Time{}
		for _, next := range replies[i+1:] {
			if next.Employee == r.Employee {
				until = next.At
				break
			}
		}
		bucket, message := r.Bucket, ""
		for _, l := range letters {
			answers := l.Employee == r.Employee && !l.At.Before(r.At) && (until.IsZero() || l.At.Before(until))
			if answers && message == "" && (l.Kind == Rechecking || l.Kind == Portal || l.Kind == Answer) {
				message = l.Message
			}
		}
		if bucket == Escalation || message == "" {
			bucket, message = Escalation, ""
		}
		all = append(all, result(id, r.Employee, r.At, &bucket, message))
	}
	return all
}

func result(id fleet.CaseID, who fleet.EmployeeID, at time.Time, b *Bucket, message string) OutreachResult {
	r := OutreachResult{Employee: who, Thread: ThreadOf(id, who), Bucket: b, At: at, Sent: message != "",
		Person: b != nil && *b == Escalation}
	if r.Sent {
		r.Message = &message
	}
	return r
}
