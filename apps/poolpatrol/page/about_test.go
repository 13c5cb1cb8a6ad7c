package page

import (
	"encoding/json"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/review"
)

// TestEvidenceIsAboutWhomAProposalNames promises that evidence about another rider of the van
// is not counted for or against somebody.
func TestEvidenceIsAboutWhomAProposalNames(t *testing.T) {
	for _, tt := range []struct {
		args, title string
		want        bool
	}{
		{`{"employee_id":"EMP-2030"}`, "EMP-2030: distance check", true},
		{`{"employee_id":"EMP-2030"}`, "EMP-2031: distance check", false},
		{`{"employee_id":"EMP-203"}`, "EMP-2030: distance check", false},
		{`{"employee_id":"EMP-2030"}`, "VP-206: vanpool pickup", true},
		{`{"employee_id":"EMP-2030"}`, "A letter", true},
		{`{"why":"unsure"}`, "EMP-2031: distance check", true},
		{``, "EMP-2031: distance check", true},
	} {
		if got := aboutRider(review.Proposal{Args: json.RawMessage(tt.args)}, evidence.Piece{Title: tt.title}); got != tt.want {
			t.Errorf("%s of %s: %t", tt.title, tt.args, got)
		}
	}
}

// TestAVerdictIsToldWithItsOwnEvidence promises that evidence about riders who pass stands
// apart, none is lost, and a verdict that finds nothing about anybody keeps all.
func TestAVerdictIsToldWithItsOwnEvidence(t *testing.T) {
	of := func(who string) check.Evidence {
		return check.NewEvidence("distance_check", "employee_id", who)
	}
	van := check.Evidence{Type: "vanpool_pickup"}
	v := check.Verdict{Findings: []check.Finding{{Employee: "EMP-2030"}}, For: []check.Evidence{van, of("EMP-2030")},
		Against: []check.Evidence{of("EMP-2026"), of("EMP-2026"), of("EMP-2027")}}
	mine, others := parted(v)
	if len(mine.For) != 2 || len(mine.Against) != 0 || len(others) != 3 || ridersIn(others) != 2 {
		t.Errorf("%+v and %d others", mine, len(others))
	}
	v.Findings = []check.Finding{{}}
	if mine, others := parted(v); len(mine.Against) != 3 || len(others) != 0 {
		t.Errorf("%+v and %d others", mine, len(others))
	}
}
