package bundle_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// TestAnApplicationsOwnQuestionIsGenuine promises that what an application asks people of itself, with no agent's call behind it, leaves as
// genuine while it is open and when it is decided, and that nobody puts another question in its place.
func TestAnApplicationsOwnQuestionIsGenuine(t *testing.T) {
	s := bundletest.New(t)
	id := s.Case(t, 1)
	args, shown := []byte(`{"pass":"GP-2026-0001"}`), []byte(`{"args":{"pass":"GP-2026-0001"},"line":"Approve the pass"}`)
	p := review.Proposal{Org: bundletest.Analyst.Org, Case: string(id), Kind: "call", App: "general", Key: "general/own",
		Gate: review.ByAnother, Args: args, ArgsSHA256: act.Digest(args), Shown: shown, ShownSHA256: act.Digest(shown),
		RequestedBy: bundletest.Analyst.ID, OnBehalfOf: bundletest.Analyst.ID, Makers: []string{bundletest.Analyst.ID},
		Deciders: []identity.Role{identity.Officer}, CreatedAt: time.Now()}
	err := s.DB.App.InOrg(t.Context(), p.Org, func(tx pgx.Tx) error { return review.Ask(t.Context(), tx, bundletest.Analyst, &p) })
	if err != nil {
		t.Fatal(err)
	}
	verify := func(data []byte) *bundle.Report {
		return bundletest.Verify(data, bundle.Options{Sections: bundletest.Known(), Keys: []audit.Verifier{s.Public}})
	}
	open := s.Export(t, id)
	if rep := verify(open); rep.Verdict() != bundle.Genuine {
		t.Errorf("while it is open: %s: %v", rep.Verdict(), rep.Findings())
	}
	forged := []byte(`{"pass":"GP-2026-0666"}`)
	put := bundletest.Insider("put another question in its place", proposalsPath, bundletest.TakeApart(t, open), s.Secret,
		func(t testing.TB, f *bundletest.Forgery) {
			f.Edit(t, proposalsPath, `"P-1"`, func(l map[string]any) {
				l["args"], l["args_sha256"] = string(forged), act.Digest(forged)
				l["shown"] = `{"args":` + string(forged) + `}`
				l["shown_sha256"] = act.Digest([]byte(l["shown"].(string)))
			})
		})
	bundletest.Tamper(t, []bundletest.Tampering{put}, verify)
	d := review.Decision{ID: "dec-own-1", Proposal: p.ID, ShownSHA256: p.ShownSHA256, Verdict: review.Approve, Reason: "Seen."}
	if _, err := s.Reviews.Decide(t.Context(), bundletest.Officer, d); err != nil {
		t.Fatal(err)
	}
	if rep := verify(s.Export(t, id)); rep.Verdict() != bundle.Genuine {
		t.Errorf("when it is decided: %s: %v", rep.Verdict(), rep.Findings())
	}
}
