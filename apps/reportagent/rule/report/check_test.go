package report_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

// TestAnEditedReportIsCheckedAgain promises that a report as it was written passes, that a person may word it otherwise, and that
// a number, a name or a direction that its facts do not carry is found.
func TestAnEditedReportIsCheckedAgain(t *testing.T) {
	cat := discover(t, small())
	made := generate(t, request(t, []byte(smallOutline), cat, nil))
	for _, tt := range []struct {
		name, from, to string
		rule           verify.Rule
	}{
		{"as it was", "In Deep", "In Deep", ""},
		{"other words", "In Deep, the total falls by 134.5~PJ", "Under Deep, the total drops by 134.5 PJ", ""},
		{"common blanks", "134.5~PJ", "134.5 PJ", ""},
		{"a sentence of one's own without numbers", "In Deep, the total", "Energy is used with more care. In Deep, the total", ""},
		{"a number altered", "134.5~PJ", "134.6 PJ", verify.V2},
		{"another number of the section", "falls by 134.5~PJ between", "falls by 50.0 PJ between", verify.V5},
		{"the other scenario", "In Deep, the total falls by 134.5~PJ", "In Mild, the total falls by 134.5~PJ", verify.V5},
		{"the other way", "In Deep, the total falls", "In Deep, the total rises", verify.V3},
		{"another unit", "134.5~PJ", "134.5 TWh", verify.V2},
		{"one number more", "In Deep, the total", "Some 40 power stations close. In Deep, the total", verify.V2},
		{"advice", "In Deep, the total", "The company should buy wind. In Deep, the total", verify.V10},
	} {
		got, err := report.Check(edited(t, made.Document, tt.from, tt.to), &made.Ledger, cat)
		if err != nil {
			t.Fatal(err)
		}
		if got.OK() != (tt.rule == "") || got.Numbers < 10 {
			t.Errorf("%s: got %v, %d numbers, %v", tt.name, got.OK(), got.Numbers, got.Findings)
			continue
		}
		if (len(got.Edited) == 0) != (tt.from == tt.to) {
			t.Errorf("%s: edited are %v", tt.name, got.Edited)
		}
		found := ""
		for _, f := range got.Findings {
			found += string(f.Rule) + " "
			if f.Line < 3 || f.Words == "" {
				t.Errorf("%s: %v", tt.name, f)
			}
		}
		if tt.rule != "" && !strings.Contains(found, string(tt.rule)) {
			t.Errorf("%s: got %s, want %s", tt.name, found, tt.rule)
		}
	}
}

// TestAReportOverOtherDataDoesNotPass promises that a report is checked against the data, not only against its own ledger.
func TestAReportOverOtherDataDoesNotPass(t *testing.T) {
	made := generate(t, request(t, []byte(smallOutline), discover(t, small()), nil))
	got, err := report.Check(made.Document, &made.Ledger, discover(t, changed(t, small(), "energy/use_by_fuel.csv", "10.0", "11.0")))
	if err != nil {
		t.Fatal(err)
	}
	if got.OK() || got.Catalogue || len(got.Changes.Numbers) == 0 || len(got.Changes.False) == 0 {
		t.Errorf("got %+v", got.Changes)
	}
}

// TestTheWholeRunPassesItsOwnCheck promises that no true draft of the run is blocked as it stands in the file.
func TestTheWholeRunPassesItsOwnCheck(t *testing.T) {
	run, made := whole(t)
	got, err := report.Check(made.Document, &made.Ledger, discover(t, run.Files()))
	if err != nil {
		t.Fatal(err)
	}
	if !got.OK() || got.Sections != 40 || got.Numbers < 1000 || len(got.Edited) > 0 || !got.Catalogue {
		t.Errorf("%d sections, %d numbers: %v", got.Sections, got.Numbers, got.Findings)
	}
}
