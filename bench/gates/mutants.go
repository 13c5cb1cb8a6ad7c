package main

// Where checks stand.
const (
	ruleGo    = "platform/agent/rule.go"
	callsGo   = "platform/agent/workflow_calls.go"
	stretchGo = "platform/agent/activities_stretch_calls.go"
	actGo     = "platform/agent/activities_act.go"
	beginGo   = "platform/act/begin.go"
	decideGo  = "platform/review/decide.go"
	writeGo   = "platform/review/write.go"
	reviewSQL = "platform/review/migrations/00002_people.sql"
)

// mutants are the program without each of its checks in turn. Where the database
// repeats a check that Go makes, both are taken away: either alone is enough.
//
// Some checks can be removed and nothing happens that must not, because another
// stands behind them. They are not in the table:
//   - the comparison of what was shown, and who may decide, in Go alone: the
//     trigger decision_may refuses it;
//   - Begin letting a done act begin again: the act is told to have ended before
//     that is looked at, and constraints keep an end an end. The loop then waits
//     for good, and nothing is repeated;
//   - the digest that Begin compares: an act is carried out with the arguments of
//     its own row, whatever the signal said;
//   - Desk.await taking word of another call's decision, and Desk.ask taking any
//     word for an approval: without a row of its own there is no act to begin;
//   - Stretch not looking for a turn on record: step_pkey refuses a second one, and
//     the next try looks;
//   - a stretch seeing a call through about which a person is asked: without a row of its
//     own there is no act to begin. The run then goes on without the call and takes its
//     proposal back, before anybody could decide in the loop's own time; on the real
//     engine, and in the tests of package agent, it is noticed.
//
// Others the property does not reach, or too seldom to rely on, and the tests of
// their own packages do. The fence that Finish compares wants a holder who outlives
// its lease. Without the lease, two must meet between an effect and the question
// whether it happened: that took from 40 to 1,280 cases. One person approving twice
// under two ids is not among the things people try.
func mutants() []mutant {
	const unasked = ` \S+ \(, approved by \[\]\) happened 1 times`
	return []mutant{
		{"a tool's own gate", []edit{
			{ruleGo, `answer.Unattended && r.tool.Gate == tool.Off && `, `answer.Unattended && `},
		}, `(letter|note|wire)` + unasked},
		{"text from outside steers nothing outside", []edit{
			{ruleGo, `steered := r.Taint && r.tool.Effect == tool.Outside && !r.tool.Grounded`, `steered := false`},
		}, `(post|fax)` + unasked},
		{"an agent set to work inherits the taint", []edit{
			{callsGo, `r.purse.slice(*c.Budget), r.Taint`, `r.purse.slice(*c.Budget), false`},
			{stretchGo, `Taint: l.in.Taint, Start: start`, `Taint: false, Start: start`},
		}, `(post|fax)` + unasked},
		{"a decision is about what was shown", []edit{
			{decideGo, `case r.d.ShownSHA256 != p.ShownSHA256:`, `case false:`},
			{reviewSQL, `when new.shown_sha256 <> p.shown_sha256 then`, `when false then`},
		}, `a decision that was (stale|other) was accepted`},
		{"who may decide", []edit{
			{decideGo, `if err := s.authorise(ctx, r); err != nil {`,
				`if err := s.authorise(ctx, r); err != nil && r.actor.Kind != identity.Person {`},
			{reviewSQL, `when p.gate = 'approve' and two &&`, `when false and two &&`},
			{reviewSQL, `when p.gate = 'approve' and new.on_behalf = '' and not new.roles && p.deciders`, `when false`},
		}, `a decision that was requester was accepted`},
		{"the second approval", []edit{
			{writeGo, `if r.d.Verdict == Approve && len(r.voices)+1 < r.p.Required {`, `if false {`},
			{reviewSQL, `then old.required else 1 end`, `then 1 else 1 end`},
		}, `wire \S+ \(approve, approved by \[\w+\]\) happened 1 times`},
		{"a rejection is no approval", []edit{
			{writeGo, `Reject: Rejected}`, `Reject: Approved}`},
			{reviewSQL, `when 'approved' then 'approve' when`, `when 'approved' then verdict when`},
			{reviewSQL, `then old.required else 1 end`, `then 1 else 1 end`}, // one rejection is enough
		}, `\(reject, approved by \[\w*\]\) happened 1 times`},
		{"a signal only wakes", []edit{
			{callsGo, `err != nil || authorised {`, `err != nil || authorised || true {`},
		}, `\((approve|edit), approved by \[\w+( \w+)?\]\) happened 0 times|did not happen and nobody is asked about it`},
		{"an effect that may have happened is asked about", []edit{
			{actGo, `if e.claim.Standing == act.Unsure {`, `if false {`},
		}, `happened 2 times`},
		{"no answer is not a no", []edit{
			{actGo, `case err == nil && found == tool.No && !e.claim.Doubted:`, `case err == nil && found != tool.Yes:`},
		}, `(fax|wire) .* happened 2 times`},
		{"of two who begin at once one waits", []edit{
			{beginGo, `where org = $1 and key = $2 for update`, `where org = $1 and key = $2`},
		}, `happened 2 times`},
	}
}
