package rest

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/identity"
)

type rehearseInput struct{}

// A rehearsalBody is what an audit of every van would find now.
type rehearsalBody struct {
	At        time.Time      `json:"at" doc:"The moment everybody was judged at."`
	RecordsAt time.Time      `json:"records_at" doc:"How old the records are."`
	Policy    string         `json:"policy" doc:"Digest of the thresholds."`
	Terms     int64          `json:"terms_version" doc:"Their version."`
	Planned   int            `json:"planned" doc:"Vans looked at."`
	Verified  int            `json:"verified" doc:"Vans with which nothing is wrong."`
	Failed    int            `json:"failed" doc:"Vans with which something is, or could not be seen."`
	Errored   int            `json:"errored" doc:"Vans of which there was nothing to judge."`
	Vanpools  []rehearsedVan `json:"vanpools" doc:"Those that fail or could not be judged, in order of id; the first thousand."`
}

// A rehearsedVan is a van that would not pass.
type rehearsedVan struct {
	Vanpool      fleet.VanpoolID `json:"vanpool_id"`
	Outcome      audit.Outcome   `json:"outcome" enum:"failed,error"`
	FailedChecks []check.Name    `json:"failed_checks"`
	Findings     []flag          `json:"findings" doc:"Things that are wrong and not excused, without gaps in the records."`
	Reason       string          `json:"reason" doc:"Why it could not be judged."`
}

type rehearsalOutput struct{ Body rehearsalBody }

// mostRehearsed is how many vans one answer lists; all are counted.
const mostRehearsed = 1000

func (s *answers) rehearse(ctx context.Context, who identity.Actor, _ *rehearseInput) (*rehearsalOutput, error) {
	r, err := s.store.Rehearse(ctx, who)
	if err != nil {
		return nil, err
	}
	b := rehearsalBody{At: r.At, RecordsAt: r.RecordsAt, Policy: r.Policy, Terms: r.Terms, Planned: r.Planned(), Verified: r.Verified,
		Failed: len(r.Failed), Errored: len(r.Errored), Vanpools: []rehearsedVan{}}
	for _, run := range r.NotPassing(mostRehearsed) {
		van := rehearsedVan{Vanpool: run.Vanpool, Outcome: run.Outcome, FailedChecks: []check.Name{}, Findings: []flag{},
			Reason: store.ReasonOf(run)}
		for _, v := range run.Verdicts {
			if v.Label != check.Pass {
				van.FailedChecks = append(van.FailedChecks, v.Check)
			}
		}
		for _, f := range run.Findings() {
			van.Findings = append(van.Findings, flag{Vanpool: run.Vanpool, Employee: f.Employee, Check: f.Check})
		}
		b.Vanpools = append(b.Vanpools, van)
	}
	return &rehearsalOutput{b}, nil
}
