package rest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/list"
)

// A PassBody is a pass as the API shows it.
type PassBody struct {
	ID       string         `json:"id"`
	Kind     store.PassKind `json:"kind" enum:"monthly,daily,asked,re_audit" doc:"monthly: it was time. daily: it was time to look at the vans with an open case. asked: a person wanted it. re_audit: one van, because its case did."`
	State    job.State      `json:"state" enum:"running,done,refused" doc:"refused: the records were too old to judge anybody on."`
	Reason   string         `json:"reason" doc:"Why it was refused."`
	AskedBy  string         `json:"asked_by"`
	Snapshot string         `json:"snapshot" doc:"The records it reads; empty before they are pinned."`
	Policy   string         `json:"policy" doc:"Digest of the thresholds it goes by."`
	Terms    int64          `json:"terms_version" doc:"The version of the programme's thresholds and terms that they are of. Vans with an open case are judged by the one that it began with."`
	Planned  int            `json:"planned" doc:"Vans there are to look at."`
	Looked   int            `json:"looked" doc:"Vans looked at so far: verified, failed and errored together."`
	Verified int            `json:"verified" doc:"Vans with which nothing is wrong."`
	Failed   int            `json:"failed" doc:"Vans with which something is, or could not be seen."`
	Errored  int            `json:"errored" doc:"Vans of which there was nothing to judge."`
	BeganAt  time.Time      `json:"began_at"`
	EndedAt  *time.Time     `json:"ended_at" doc:"Null: it is running."`
	Links    api.Links      `json:"links"`
}

func (s *answers) passBody(p store.Pass) PassBody {
	return PassBody{ID: p.ID, Kind: p.Kind, State: p.State, Reason: p.Reason, AskedBy: p.AskedBy, Snapshot: p.Snapshot, Policy: p.Policy,
		Terms:   p.Terms,
		Planned: p.Planned, Looked: p.Looked(), Verified: p.Verified, Failed: p.Failed, Errored: p.Errored,
		BeganAt: p.BeganAt.UTC(), EndedAt: api.UTC(p.EndedAt), Links: s.page("passes/" + p.ID)}
}

type listPassesInput struct{ api.Paging }

func (s *answers) passes(ctx context.Context, who identity.Actor, _ *listPassesInput, after string, limit int) ([]PassBody, string, error) {
	all, next, err := s.store.Passes(ctx, who, after, limit)
	return list.Each(all, s.passBody), next, err
}

type startPassInput struct{ Body newPassBody }

// A newPassBody asks for a pass. Those that are made because it is time nobody
// asks for.
type newPassBody struct {
	Kind store.PassKind `json:"kind" enum:"asked"`
}

type startPassOutput struct {
	Location string `header:"Location"`
	Body     PassBody
}

func (s *answers) startPass(ctx context.Context, who identity.Actor, in *startPassInput) (*startPassOutput, error) {
	p, _, err := s.store.StartPass(ctx, who, in.Body.Kind, "")
	return &startPassOutput{"/v1/poolpatrol/passes/" + p.ID, s.passBody(p)}, err
}

// onePass reads the pass an address names.
func (s *answers) onePass(ctx context.Context, who identity.Actor, id string) (store.Pass, error) {
	if !store.PassJob.IsID(id) {
		return store.Pass{}, fault.New(fault.Invalid, "pass %.40q: use PASS- and eight of 0-9 and A-F", id).
			WithNext("see the list of passes")
	}
	return s.store.Pass(ctx, who, id)
}

type passOutput struct{ Body PassBody }

func (s *answers) pass(ctx context.Context, who identity.Actor, in *api.Named) (*passOutput, error) {
	p, err := s.onePass(ctx, who, in.ID)
	return &passOutput{s.passBody(p)}, err
}

// A runRow is the audit of one van as lists show it.
type runRow struct {
	ID           fleet.RunID     `json:"id"`
	Pass         string          `json:"pass_id"`
	Vanpool      fleet.VanpoolID `json:"vanpool_id"`
	Outcome      audit.Outcome   `json:"outcome" enum:"verified,failed,error" doc:"error: there was nothing to judge; reason says why."`
	FailedChecks []check.Name    `json:"failed_checks"`
	Findings     int             `json:"findings" doc:"Things that are wrong and not excused, without gaps in the records."`
	Confidence   int             `json:"confidence" doc:"Of the surest of them, 1 to 5; 0 where there are none."`
	Reason       string          `json:"reason"`
	Recheck      *string         `json:"recheck_on" doc:"Look again then, because somebody is away until it."`
	At           time.Time       `json:"at"`
	Links        api.Links       `json:"links"`
}

func (s *answers) runRow(r store.Run) runRow {
	out := runRow{ID: r.ID, Pass: r.Pass, Vanpool: r.Vanpool, Outcome: r.Outcome, FailedChecks: listed(r.Checks), Reason: r.Reason,
		Recheck: day(r.Recheck), At: r.At.UTC(), Links: s.page("runs/" + string(r.ID))}
	for _, f := range (audit.Run{Verdicts: r.Verdicts}).Findings() {
		out.Findings++
		out.Confidence = max(out.Confidence, int(f.Confidence))
	}
	return out
}

// listed is a list that is never null.
func listed[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

type listRunsInput struct {
	api.Named
	api.Paging
	Outcome audit.Outcome `query:"outcome" enum:"verified,failed,error"`
}

func (s *answers) runs(ctx context.Context, who identity.Actor, in *listRunsInput, after string, limit int) ([]runRow, string, error) {
	if !store.Ours(after) {
		return nil, "", store.NotOurs()
	}
	if _, err := s.onePass(ctx, who, in.ID); err != nil {
		return nil, "", err
	}
	all, next, err := s.store.Runs(ctx, who, store.RunQuery{Pass: in.ID, Outcome: in.Outcome, After: after, Limit: limit})
	return list.Each(all, s.runRow), next, err
}

// A runBody is the audit of one van with what every specialist found.
type runBody struct {
	runRow
	Verdicts []verdictBody `json:"verdicts"`
}

// A verdictBody is what one specialist found.
type verdictBody struct {
	Check       check.Name     `json:"check"`
	Rule        string         `json:"rule_version"`
	Policy      string         `json:"policy_version"`
	Verdict     check.Label    `json:"verdict" enum:"pass,fail"`
	Confidence  int            `json:"confidence" doc:"1 to 5. A fail of 2 or less is looked at by a person before anybody is written to."`
	Findings    []findingBody  `json:"findings"`
	For         []evidenceBody `json:"for" doc:"What speaks for the verdict."`
	Against     []evidenceBody `json:"against"`
	Unknown     []evidenceBody `json:"unknown" doc:"What could not be known."`
	WouldChange string         `json:"would_change" doc:"What would turn the verdict."`
	Recheck     *string        `json:"recheck_on"`
}

// A findingBody is one thing that is wrong with one rider or with the van.
type findingBody struct {
	Employee    fleet.EmployeeID `json:"employee_id" doc:"Empty: the van itself."`
	Kind        string           `json:"kind" doc:"Type of the evidence it rests on."`
	Confidence  int              `json:"confidence"`
	Route       check.Route      `json:"route" doc:"Whose move it is: rider, data (the records are incomplete) or empty, a person of the programme."`
	WouldChange string           `json:"would_change"`
	Excused     bool             `json:"excused" doc:"By an exception that is in force."`
}

// An evidenceBody is one thing a verdict rests on.
type evidenceBody struct {
	Type string  `json:"type"`
	Data api.Raw `json:"data"`
}

func verdictOf(v check.Verdict) verdictBody {
	out := verdictBody{Check: v.Check, Rule: v.Rule, Policy: v.Policy, Verdict: v.Label, Confidence: int(v.Confidence),
		Findings: []findingBody{},
		For:      evidenceOf(v.For), Against: evidenceOf(v.Against), Unknown: evidenceOf(v.Unknown), WouldChange: v.WouldChange,
		Recheck: day(v.Recheck)}
	for _, f := range v.Findings {
		out.Findings = append(out.Findings, findingBody{f.Employee, f.Kind, int(f.Confidence), f.Route, f.WouldChange, f.Excused != nil})
	}
	return out
}

func evidenceOf(all []check.Evidence) []evidenceBody {
	out := make([]evidenceBody, len(all))
	for i, e := range all {
		data, err := json.Marshal(e.Data)
		if err != nil {
			panic(err) // it was read from JSON
		}
		out[i] = evidenceBody{e.Type, data}
	}
	return out
}

type runOutput struct{ Body runBody }

func (s *answers) run(ctx context.Context, who identity.Actor, in *api.Named) (*runOutput, error) {
	r, err := s.store.Run(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	out := &runOutput{runBody{runRow: s.runRow(r), Verdicts: []verdictBody{}}}
	for _, v := range r.Verdicts {
		out.Body.Verdicts = append(out.Body.Verdicts, verdictOf(v))
	}
	return out, nil
}
