package page

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/casework/filing"
	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/devstack/commission/commissiontest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// A registry is a stage whose clerk asks people and files with a commission, and a case with
// a draft before them.
type registry struct {
	*stage

	reviews *review.Store
	in      casefile.Input
	file    casefile.Case
}

func (s *stage) registry(t *testing.T) registry {
	t.Helper()
	s.App.Tools = s.clerk.Tools()
	d := s.Ask(t).Deps
	r := registry{stage: s, reviews: d.Reviews}
	_, address := commissiontest.Start(t)
	s.clerk.Open(filing.Config{Cases: d.Cases, Reviews: d.Reviews, Calls: d.Calls, Log: d.Logger,
		Commission: outside.OpenCommission(map[string]string{outside.SettingCommission: address})})
	s.Look(t, s.surveyor.Steps(), laketest.Surge(t))
	r.in = casefile.Input{Org: postgrestest.North, Case: casefile.CaseID(s.Texts(t, `select id from airshed.case`)[0])}
	r.advance(t)
	r.file = r.now(t)
	return r
}

// now is the case as it is now.
func (r registry) now(t *testing.T) casefile.Case {
	t.Helper()
	one, err := r.Deps.Cases.Lookup(t.Context(), r.in.Org, r.Texts(t, `select ref from gavel.case where id = $1`, r.in.Case)[0])
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// advance does what comes next in the case.
func (r registry) advance(t *testing.T) {
	t.Helper()
	if _, err := r.clerk.Steps().Advance(t.Context(), r.in, time.Now()); err != nil {
		t.Fatal(err)
	}
}
