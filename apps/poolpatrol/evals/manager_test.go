package evals_test

import (
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/evals"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
)

// A plot is one row of the programme's table of cases, as a story with its end.
type plot struct {
	row    string
	found  []check.Finding
	events []evals.Happening
	end    evals.End
}

const ana, ben = fleet.EmployeeID("EMP-1001"), fleet.EmployeeID("EMP-1002")

var begins = time.Date(2026, 4, 6, 9, 0, 0, 0, time.UTC)

func hours(n int) time.Time { return begins.Add(time.Duration(n) * time.Hour) }

func bad(who fleet.EmployeeID, name check.Name, sure check.Confidence) check.Finding {
	return check.Finding{Employee: who, Check: name, Kind: string(name) + "_mismatch", Confidence: sure, Route: check.ToRider,
		Mark: "made up"}
}

// managerPlots are the twenty-four rows. Ends were worked out by hand from the
// table: state, tools and letters of the last step.
func managerPlots() []plot {
	return append(openingPlots(), append(replyPlots(), append(reAuditPlots(), personPlots()...)...)...)
}

var (
	one      = []check.Finding{bad(ana, "shift", 5)}
	sent     = evals.Happening{Event: lifecycle.Sent, Employee: ana}
	silence  = evals.Happening{Event: lifecycle.Ticked, Hours: 168}
	stays    = evals.Happening{Event: lifecycle.ReAudited, Findings: one}
	dispute  = evals.Happening{Event: lifecycle.Replied, Employee: ana, Bucket: post.Escalation}
	allGood  = evals.Happening{Event: lifecycle.Replied, Employee: ana, Bucket: post.Acknowledgment}
	preQuiet = []evals.Happening{sent, silence, stays}
)

func then(before []evals.Happening, more ...evals.Happening) []evals.Happening {
	return append(append([]evals.Happening{}, before...), more...)
}

func openingPlots() []plot {
	return []plot{
		{row: "audit, all pass: no case", end: evals.End{Tools: []string{}}},
		{row: "audit, any fail, confidence 3 or more: open", found: []check.Finding{bad(ana, "shift", 5), bad(ana, "location", 4)},
			end: evals.End{State: lifecycle.Open, Tools: []string{"run_outreach", "upsert_case"}, Letters: []post.Kind{post.First}}},
		{row: "audit, only confidence 2 or less: a person looks, no mail", found: []check.Finding{bad(ana, "location", 2)},
			end: evals.End{State: lifecycle.Review, Why: lifecycle.Triage, Tools: []string{"upsert_case"}}},
		{row: "audit, empty roster or no such van: error, no case",
			found: []check.Finding{{Check: "shift", Kind: check.EmptyRoster, Confidence: 1, Route: check.ToData}},
			end:   evals.End{Tools: []string{}}},
		{row: "open, mail accepted: the clock begins", found: one, events: []evals.Happening{{Event: lifecycle.Sent, Employee: ana,
			Hours: 1}},
			end: evals.End{State: lifecycle.PendingReply, Tools: []string{}, Deadline: hours(1 + 168)}},
		{row: "open or waiting, bounce: a person looks, no clock",
			found: one, events: []evals.Happening{sent, {Event: lifecycle.MailBounced, Employee: ana, Hours: 2}},
			end: evals.End{State: lifecycle.Review, Why: lifecycle.Undeliverable, Tools: []string{}}},
	}
}

func replyPlots() []plot {
	specialists := []string{"run_location_specialist", "run_outreach", "run_shift_specialist"}
	return []plot{
		{row: "waiting, acknowledgment: looked at again", found: one, events: []evals.Happening{sent, allGood},
			end: evals.End{State: lifecycle.ReAudit, Tools: specialists, Letters: []post.Kind{post.Rechecking}}},
		{row: "waiting, update: the records have 72 hours", found: one,
			events: []evals.Happening{sent, {Event: lifecycle.Replied, Employee: ana, Bucket: post.Update, Hours: 5}},
			end: evals.End{State: lifecycle.PendingReply,
				Tools: []string{"run_outreach"}, Letters: []post.Kind{post.Portal}, Due: hours(5 + 72)}},
		{row: "waiting, question: answered, time begins again", found: one,
			events: []evals.Happening{sent, {Event: lifecycle.Replied, Employee: ana, Bucket: post.Question, Hours: 24},
				{Event: lifecycle.Sent, Employee: ana, Hours: 1}},
			end: evals.End{State: lifecycle.PendingReply, Tools: []string{}, Deadline: hours(25 + 168)}},
		{row: "waiting, escalation: a draft for a person", found: one, events: []evals.Happening{sent, dispute},
			end: evals.End{State: lifecycle.Review, Why: lifecycle.Escalated, Tools: []string{"run_outreach"}}},
		{row: "waiting, silence: looked at again", found: one, events: []evals.Happening{sent, silence},
			end: evals.End{State: lifecycle.ReAudit, Tools: []string{"run_location_specialist", "run_shift_specialist"}}},
	}
}

func reAuditPlots() []plot {
	pass := evals.Happening{Event: lifecycle.ReAudited}
	return []plot{
		{row: "re-audit passes: resolved", found: one, events: []evals.Happening{sent, allGood, pass},
			end: evals.End{State: lifecycle.Resolved, SubReason: lifecycle.DataFixed,
				Tools: []string{"close_case", "run_outreach"}, Letters: []post.Kind{post.Closing}, ReAudits: 1}},
		{row: "re-audit after silence fails: asked to cancel", found: one, events: preQuiet,
			end: evals.End{State: lifecycle.PreCancel, Tools: []string{"cancel_membership"}, ReAudits: 1}},
		{row: "re-audit after a reply fails: written to again", found: one, events: []evals.Happening{sent, allGood, stays},
			end: evals.End{State: lifecycle.PendingReply, Tools: []string{"run_outreach"}, Letters: []post.Kind{post.Again}, ReAudits: 1}},
		{row: "third re-audit fails: asked to cancel",
			found: one, events: []evals.Happening{sent, allGood, stays, sent, allGood, stays, sent, allGood, stays},
			end: evals.End{State: lifecycle.PreCancel, Tools: []string{"cancel_membership"}, ReAudits: 3}},
		{row: "re-audit cannot be done: back, not counted",
			found: one, events: []evals.Happening{sent, allGood, {Event: lifecycle.ReAudited, Failed: true}},
			end: evals.End{State: lifecycle.PendingReply, Tools: []string{}, Due: hours(1)}},
	}
}

func personPlots() []plot {
	decide := func(c lifecycle.Choice) evals.Happening {
		return evals.Happening{Event: lifecycle.Decided, Choice: c, Employee: ana, Hours: 1}
	}
	keep := decide(lifecycle.RejectCancel)
	keep.Next = lifecycle.WasRight
	exception := evals.Happening{Event: lifecycle.Decided, Choice: lifecycle.GrantUntil, Until: fleet.NewDate(2026, 12, 31)}
	cancel := decide(lifecycle.ApproveCancel)
	cancel.Findings = one
	return []plot{
		{row: "in review, draft approved: sent", found: one, events: []evals.Happening{sent, dispute, decide(lifecycle.SendDraft)},
			end: evals.End{State: lifecycle.PendingReply, Tools: []string{"run_outreach"}, Letters: []post.Kind{post.Draft}}},
		{row: "in review, exception until a day: resolved", found: one, events: []evals.Happening{sent, dispute, exception},
			end: evals.End{State: lifecycle.Resolved, SubReason: lifecycle.ExceptionGranted,
				Tools: []string{"close_case", "run_outreach"}, Letters: []post.Kind{post.Closing}}},
		{row: "in review, proceed: asked to cancel",
			found: one, events: []evals.Happening{sent, dispute, {Event: lifecycle.Decided, Choice: lifecycle.AskToCancel}},
			end: evals.End{State: lifecycle.PreCancel, Tools: []string{"cancel_membership"}}},
		{row: "asked to cancel, approved: cancelled", found: one, events: then(preQuiet, cancel),
			end: evals.End{State: lifecycle.Cancelled, SubReason: lifecycle.MembershipCancelled,
				Tools:   []string{"cancel_membership", "close_case", "run_outreach"},
				Letters: []post.Kind{post.Removed}, Removed: []fleet.EmployeeID{ana}, ReAudits: 1}},
		{row: "asked to cancel, rejected as a false alarm: resolved", found: one, events: then(preQuiet, keep),
			end: evals.End{State: lifecycle.Resolved, SubReason: lifecycle.FalsePositive,
				Tools: []string{"close_case", "run_outreach"}, Letters: []post.Kind{post.Closing}, ReAudits: 1}},
		{row: "asked to cancel, a reply arrives: a person looks",
			found: one, events: then(preQuiet, evals.Happening{Event: lifecycle.Arrived, Employee: ana}),
			end: evals.End{State: lifecycle.Review, Why: lifecycle.UnreadReply, Tools: []string{}, ReAudits: 1}},
		{row: "any open state, the rider leaves: resolved",
			found: one, events: []evals.Happening{sent, {Event: lifecycle.RiderGone, Employee: ana}},
			end: evals.End{State: lifecycle.Resolved, SubReason: lifecycle.RiderLeft,
				Tools: []string{"close_case", "run_outreach"}, Letters: []post.Kind{post.Closing}}},
		{row: "ended, a later finding: a new case that names the old", found: one,
			events: then(preQuiet, cancel, evals.Happening{Event: lifecycle.Audited, Hours: 720,
				Findings: []check.Finding{bad(ben, "location", 4)}}),
			end: evals.End{State: lifecycle.Open,
				Tools: []string{"run_outreach", "upsert_case"}, Letters: []post.Kind{post.First}, Previous: "CASE-00000001"}},
	}
}
