package casework

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework/mind"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// explainAudit is to have an audit's findings put into words, by its key.
const explainAudit lifecycle.ActionKind = "explain_audit"

// explain leaves an audit that does not pass to be explained, where a specialist
// could.
func (s *step) explain(ctx context.Context, run string, verdicts []check.Verdict) error {
	if s.work.thinkerOf(explainAudit) == "" || len(mind.ToldOf(s.life, verdicts...)) > mostSealed {
		return nil
	}
	for _, v := range verdicts {
		if _, ok := mind.Specialists()[v.Check]; ok && v.Label == check.Fail {
			return s.leave(ctx, lifecycle.Action{Kind: explainAudit, Key: mind.ExplainTask + run})
		}
	}
	return nil
}

// A reasoning is what an agent said of a check, or of them all, as far as it
// counts.
type reasoning struct {
	about     check.Name // or summary
	who, run  string
	computed  check.Confidence
	report    check.Report
	overrides []check.Override
}

// summary is what the Case Manager's word is about.
const summary check.Name = "summary"

// explainedBy puts the specialists' reasonings on the case. Verdict, evidence and
// what follows from them are the code's, whatever was said; who is less sure than
// the code brings a person in, and nobody can be surer.
func (a *Work) explainedBy(ctx context.Context, in casefile.Input, what lifecycle.Action, run, said string) error {
	audit := strings.TrimPrefix(what.Key, mind.ExplainTask)
	top, err := a.runs.Get(ctx, in.Org, run)
	if fault.Is(err, fault.NotFound) {
		return nil // it never began
	}
	if err != nil {
		return err
	}
	below, err := a.runs.Family(ctx, in.Org, top)
	if err != nil {
		return err
	}
	answers := map[string]string{}
	for _, r := range below {
		if r.State != agent.Done {
			continue
		}
		if answers[r.ID], err = a.runs.Answer(ctx, in.Org, r.ID); err != nil && !errors.Is(err, seal.ErrErased) {
			return err
		}
	}
	return a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		s, err := a.hold(ctx, tx, in.Case, a.now())
		if err != nil || s.life.State.Ended() {
			return err
		}
		verdicts, err := store.VerdictsIn(ctx, tx, audit)
		if err != nil {
			return err
		}
		all := append(heeded(s.life, verdicts, below, answers), s.summedUp(audit, run, said, verdicts)...)
		doubt := false
		for _, r := range all {
			if err := s.reasoned(ctx, audit, r); err != nil {
				return err
			}
			doubt = doubt || r.computed > check.Unsure && r.report.Confidence <= check.Unsure
		}
		if !doubt {
			return nil
		}
		return s.take(ctx, happening{"doubted:" + audit, lifecycle.Event{Kind: lifecycle.Doubted, At: s.at}})
	})
}

// heeded are the newest reasonings on each check that has an agent.
func heeded(life lifecycle.Case, verdicts []check.Verdict, runs []agent.Run, answers map[string]string) (all []reasoning) {
	for _, v := range verdicts {
		who, ok := mind.Specialists()[v.Check]
		if !ok || v.Label != check.Fail {
			continue
		}
		for i := len(runs) - 1; i >= 0; i-- {
			var said check.Report
			if runs[i].Agent != who || answers[runs[i].ID] == "" || json.Unmarshal([]byte(answers[runs[i].ID]), &said) != nil {
				continue
			}
			report, over := check.Heed(v, said)
			if namesOthers(report.Reasoning, life) { // the history of a case is about who is on it
				report.Reasoning = v.Report().Reasoning
			}
			all = append(all, reasoning{v.Check, who, runs[i].ID, v.Confidence, report, over})
			break
		}
	}
	return all
}

var someEmployee = regexp.MustCompile(`EMP-\d+`)

// namesOthers reports whether a text names somebody who is not on the case.
func namesOthers(text string, life lifecycle.Case) bool {
	return slices.ContainsFunc(someEmployee.FindAllString(text, -1), func(id string) bool {
		_, there := life.Subject(fleet.EmployeeID(id))
		return !there
	})
}

// reasoned writes one down, and in the case's history.
func (s *step) reasoned(ctx context.Context, audit string, r reasoning) error {
	over, err := json.Marshal(append([]check.Override{}, r.overrides...))
	if err != nil {
		return err
	}
	const note = `insert into poolpatrol.heeding (org, case_id, audit_run, check_name, run_id, computed, confidence, overrides, at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`
	tag, err := s.tx.Exec(ctx, note, s.file.Org, s.file.ID, audit, r.about, r.run, r.computed, r.report.Confidence, over, s.at)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	text := fmt.Sprintf("%s, confidence %d of 5: %s", r.about, r.report.Confidence, r.report.Reasoning)
	if n := len(r.overrides); n > 0 {
		points := "one point"
		if n > 1 {
			points = fmt.Sprintf("%d points", n)
		}
		text += " (In " + points + " the agent was not followed.)"
	}
	e := casefile.Entry{Kind: "pool_reasoned", At: s.at, ActorKind: identity.Agent, ActorID: "agent:" + programme.Name + "/" + r.who,
		ActorName: r.who, Text: text}
	changed, done, err := casefile.Apply(ctx, s.tx, s.file.ID, casefile.Change{Key: "pp:reasoned:" + audit + ":" + string(r.about),
		Status:     s.file.Status,
		WaitingFor: s.file.WaitingFor, State: s.file.State, Subjects: mind.SubjectsOf(s.life), Entry: e})
	if done {
		s.file = changed
	}
	return err
}

// summedUp is what the Case Manager made of it; none where it said nothing of use.
// The outcome is the code's: a case that is open is pending, and a manager who says
// otherwise is not followed.
func (s *step) summedUp(audit, run, said string, verdicts []check.Verdict) []reasoning {
	var word struct {
		Outcome   string `json:"outcome"`
		Reasoning string `json:"reasoning"`
	}
	if said == "" || json.Unmarshal([]byte(said), &word) != nil {
		return nil
	}
	shown := []string{string(s.life.ID), string(s.life.Vanpool), audit}
	var worst check.Verdict
	for _, v := range verdicts {
		text, err := json.Marshal(v.Report())
		if err != nil {
			return nil
		}
		shown = append(shown, string(text))
		if v.Label == check.Fail && (worst.Check == "" || v.Confidence < worst.Confidence) {
			worst = v
		}
	}
	report, over := check.Heed(worst, check.Report{Verdict: worst.Label, Confidence: worst.Confidence, Reasoning: word.Reasoning,
		Evidence: worst.Evidence()}, shown...)
	if word.Outcome != "pending" {
		over = append(over, check.Override{Kind: check.OverVerdict})
	}
	return []reasoning{{summary, mind.AgentManager, run, worst.Confidence, report, over}}
}
