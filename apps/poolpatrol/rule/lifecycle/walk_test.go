package lifecycle_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/identity"
)

var walks = flag.Int("walks", 500, "random lives of a van")

// TestRandomLivesKeepThePromises walks through random lives of a van: audits,
// mails, bounces, replies, silence, leave, changed records, decisions honest and
// not, and crashes between any two events. After every event it checks the
// promises of the package against what it has seen itself; then it lets the case
// come to its end, with people who decide, and counts the steps. It goes on until
// it has met everything.
func TestRandomLivesKeepThePromises(t *testing.T) {
	set := func(name, value string) (before string) {
		f := flag.Lookup(name)
		before = f.Value.String()
		if err := f.Value.Set(value); err != nil {
			t.Fatal(err)
		}
		return before
	}
	before, seed := set("rapid.checks", strconv.Itoa(*walks)), flag.Lookup("rapid.seed").Value.String()
	defer func() { set("rapid.checks", before); set("rapid.seed", seed) }()
	seen := map[string]int{}
	for round := range uint64(100) {
		if fixed, _ := strconv.ParseUint(seed, 10, 64); fixed != 0 { // the same lives again would meet nothing new
			set("rapid.seed", strconv.FormatUint(fixed+round, 10))
		}
		rapid.Check(t, func(t *rapid.T) {
			w := &walk{T: t, now: begun, rules: lifecycle.Standard(), seen: seen}
			events := rapid.IntRange(5, 40).Draw(t, "events")
			for range events {
				w.live()
			}
			w.comeToAnEnd()
			seen["walks"]++
			seen["events"] += events
		})
		if len(unmet(seen)) == 0 {
			break
		}
	}
	if missing := unmet(seen); len(missing) > 0 {
		t.Errorf("no walk ever met %q: the walks prove less than they claim", missing)
	}
	fmt.Printf("met %v\n", seen)
	if !t.Failed() {
		fmt.Printf("poolwalk: %d lives over the rules, %d events: 0 broken promises\n", seen["walks"], seen["events"])
	}
}

// unmet is what the walks must meet and have not.
func unmet(seen map[string]int) (missing []string) {
	for _, must := range []string{"resolved", "cancelled", "remove_rider", "ask_cancel", "ask_person:undeliverable",
		"ask_person:unread_reply",
		"ask_person:on_leave", "ask_person:cap", "ask_person:escalation", "ask_person:unheard", "ask_person:expired",
		"ask_person:data_changed",
		"silent_fix", "data_fixed", "false_positive", "exception_granted", "rider_left", "vanpool_closed", "refused", "crash",
		"second case", "ask_person:mail_held", "answered after a bounce"} {
		if seen[must] == 0 {
			missing = append(missing, must)
		}
	}
	return missing
}

var staff = []fleet.EmployeeID{ana, ben, gone}

// A walk is one random life, with its own memory of what happened.
type walk struct {
	*rapid.T

	now   time.Time
	rules lifecycle.Rules
	c     *lifecycle.Case // the open case, if there is one
	past  []lifecycle.Case
	seen  map[string]int
	keys  map[string]bool

	queued, told, dead, away, asked map[fleet.EmployeeID]bool
	unread                          int
	auditing                        bool
}

func (w *walk) oneOf(label string, n int) int { return rapid.IntRange(0, n-1).Draw(w.T, label) }

func (w *walk) someone() fleet.EmployeeID { return staff[w.oneOf("who", len(staff))] }

// live lets one thing happen.
func (w *walk) live() {
	w.now = w.now.Add(time.Duration(w.oneOf("hours", 30)) * time.Hour)
	if w.oneOf("crash", 8) == 0 {
		w.crash()
	}
	if w.c == nil {
		w.audit()
		return
	}
	if w.oneOf("expected", 2) == 0 {
		w.goOn()
		return
	}
	e := lifecycle.Event{At: w.now, Employee: w.someone(), Letter: post.First}
	switch w.oneOf("event", 17) {
	case 0:
		e.Kind, e.Findings, e.Failed = lifecycle.Audited, w.findings(), w.oneOf("audit error", 5) == 0
	case 1, 2, 3:
		e.Kind = lifecycle.Sent
	case 4:
		e.Kind = []lifecycle.EventKind{lifecycle.MailBounced, lifecycle.MailStopped}[w.oneOf("stopped", 2)]
	case 5:
		e.Kind = lifecycle.Arrived
	case 6, 7:
		e.Kind, e.Bucket = lifecycle.Replied, post.Buckets()[w.oneOf("bucket", 4)]
	case 8, 9, 10:
		e.Kind = lifecycle.Ticked
		if wake := w.c.Wake(w.rules); !wake.IsZero() && w.oneOf("wait", 3) > 0 && wake.After(w.now) {
			w.now, e.At = wake, wake
		}
	case 11, 12:
		e.Kind, e.Findings = lifecycle.ReAudited, w.findings()
		e.Full, e.Failed = w.oneOf("full", 3) > 0, w.oneOf("error", 6) == 0
	case 13:
		e.Kind = []lifecycle.EventKind{lifecycle.WentAway, lifecycle.CameBack}[w.oneOf("back", 2)]
	case 14:
		e.Kind = []lifecycle.EventKind{lifecycle.Changed, lifecycle.Changed, lifecycle.RiderGone, lifecycle.VanClosed}[w.oneOf("change", 4)]
	default:
		e.Kind, e.Decision = lifecycle.Decided, w.decision()
	}
	w.step(e)
}

// goOn lets happen what the case waits for, so that lives get far enough for
// things to go wrong late.
func (w *walk) goOn() {
	e := lifecycle.Event{At: w.now, Kind: lifecycle.Ticked, Letter: post.First}
	switch w.c.State {
	case lifecycle.ReAudit:
		e.Kind, e.Full, e.Findings = lifecycle.ReAudited, true, w.findings()
		for _, s := range w.c.Subjects {
			e.Findings = append(e.Findings, s.Findings...)
		}
	case lifecycle.Review, lifecycle.PreCancel:
		e.Kind, e.Decision = lifecycle.Decided, w.decision()
	default:
		for _, s := range w.c.Subjects {
			if s.Mail == lifecycle.Queued {
				e.Kind, e.Employee = lifecycle.Sent, s.Employee
			}
		}
		if e.Kind == lifecycle.Ticked {
			w.now = w.c.Wake(w.rules)
			e.At = w.now
		}
	}
	w.step(e)
}

func (w *walk) findings() []check.Finding {
	var out []check.Finding
	for _, who := range staff {
		for _, name := range []check.Name{"shift", "location"} {
			if w.oneOf("fails", 3) == 0 {
				out = append(out, finding(who, name, check.Confidence(1+w.oneOf("sure", 5))))
			}
		}
	}
	if w.oneOf("van", 12) == 0 {
		out = append(out, check.Finding{Check: "occupancy", Kind: "low_occupancy", Confidence: 5})
	}
	return out
}

// decision is a random decision, honest or not.
func (w *walk) decision() *lifecycle.Decision {
	choices := []lifecycle.Choice{lifecycle.SendDraft, lifecycle.RejectDraft, lifecycle.GrantUntil, lifecycle.WasRight, lifecycle.LookAgain,
		lifecycle.AskToCancel, lifecycle.AskToCancel, lifecycle.WasReached, lifecycle.ApproveCancel, lifecycle.ApproveCancel,
		lifecycle.ApproveCancel, lifecycle.RejectCancel}
	d := &lifecycle.Decision{
		Choice: choices[w.oneOf("choice", len(choices))], By: manager(), Reason: "walked", Until: fleet.DateAt(w.now, time.UTC) + 30,
		Next: []lifecycle.Choice{lifecycle.WasRight, lifecycle.SendDraft, lifecycle.LookAgain}[w.oneOf("next", 3)],
		Seen: w.c.Inbound, Verified: w.now.Add(-time.Duration(w.oneOf("verified", 30)) * time.Hour), Findings: w.findings(),
	}
	if d.Choice == lifecycle.ApproveCancel || d.Choice == lifecycle.RejectCancel || w.oneOf("named", 2) == 0 {
		d.Employee = w.someone()
	}
	switch w.oneOf("dishonest", 12) {
	case 0:
		d.By.Kind = identity.Agent
	case 1:
		d.By.Roles = nil
	case 2:
		d.By.Ties = staff
	case 3:
		d.Seen--
	}
	return d
}

// crash forgets everything that is not in the stored case.
func (w *walk) crash() {
	w.seen["crash"]++
	if w.c == nil {
		return
	}
	kept, err := json.Marshal(w.c)
	if err != nil {
		w.Fatal(err)
	}
	var c lifecycle.Case
	if err := json.Unmarshal(kept, &c); err != nil {
		w.Fatal(err)
	}
	if again, _ := json.Marshal(c); string(again) != string(kept) {
		w.Fatalf("a case does not survive storing:\n%s\n%s", kept, again)
	}
	w.c = &c
}

func (w *walk) audit() {
	f := lifecycle.Found{ID: fleet.CaseID(fmt.Sprintf("CASE-%08X", len(w.past)+1)), Vanpool: "VP-101", Findings: w.findings(), At: w.now,
		Earlier: w.past}
	c, todo, opened := lifecycle.Begin(f, w.rules)
	if !opened {
		return
	}
	if len(w.past) > 0 {
		w.seen["second case"]++
	}
	w.c, w.keys, w.unread, w.auditing = &c, map[string]bool{}, 0, false
	w.queued, w.told, w.dead, w.away, w.asked = map[fleet.EmployeeID]bool{}, map[fleet.EmployeeID]bool{}, map[fleet.EmployeeID]bool{},
		map[fleet.EmployeeID]bool{}, map[fleet.EmployeeID]bool{}
	w.look(lifecycle.Event{}, todo)
}

func (w *walk) step(e lifecycle.Event) {
	before, _ := json.Marshal(w.c)
	c, todo, err := lifecycle.Step(*w.c, e, w.rules)
	again, todo2, err2 := lifecycle.Step(*w.c, e, w.rules)
	if after, _ := json.Marshal(w.c); string(after) != string(before) {
		w.Fatalf("a step changed the case it was given")
	}
	if !reflect.DeepEqual(c, again) || !reflect.DeepEqual(todo, todo2) || (err == nil) != (err2 == nil) {
		w.Fatalf("the same step gave two answers")
	}
	if err != nil {
		w.seen["refused"]++
		if len(todo) > 0 || !reflect.DeepEqual(c, *w.c) {
			w.Fatalf("a refused event changed the case")
		}
		return
	}
	w.remember(e)
	w.c = &c
	w.look(e, todo)
}

// remember keeps the walk's own account of what happened in the world.
func (w *walk) remember(e lifecycle.Event) {
	s, on := w.c.Subject(e.Employee)
	switch e.Kind {
	case lifecycle.Sent:
		if on && w.queued[e.Employee] {
			w.queued[e.Employee], w.told[e.Employee], w.dead[e.Employee] = false, true, false
		}
	case lifecycle.MailBounced:
		if on && s.Open() {
			w.dead[e.Employee], w.queued[e.Employee] = true, false
		}
	case lifecycle.MailStopped: // what was kept back unsays nothing of what came before it
		if on && s.Open() {
			w.queued[e.Employee] = false
		}
	case lifecycle.WentAway, lifecycle.CameBack:
		if on {
			w.away[e.Employee] = e.Kind == lifecycle.WentAway
		}
	case lifecycle.Arrived:
		w.unread++
	case lifecycle.Decided:
		w.unread = 0
		if e.Decision.Choice == lifecycle.WasReached {
			w.told[e.Decision.Employee], w.dead[e.Decision.Employee], w.queued[e.Decision.Employee] = true, false, false
		}
	case lifecycle.Replied:
		if w.dead[e.Employee] && w.told[e.Employee] { // who answers has our letters
			w.dead[e.Employee] = false
			w.seen["answered after a bounce"]++
		}
		if w.c.State == lifecycle.Open || w.c.State == lifecycle.PendingReply {
			w.unread = max(0, w.unread-1)
		} else if w.unread == 0 {
			w.unread++
		}
	case lifecycle.ReAudited:
		w.auditing = false
	}
}
