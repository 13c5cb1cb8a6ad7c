package parking_test

import (
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/parking"
	"github.com/gavelhq/gavel/platform/fault"
)

const header = "permit_id,employee_id,kind,from,until\n"

// TestOnlyALastingPermitBesideTheSeatIsFound promises which permits go with a
// seat and which do not.
func TestOnlyALastingPermitBesideTheSeatIsFound(t *testing.T) {
	for _, tt := range []struct {
		name, rows string
		since      fleet.Date
		found      string
	}{
		{"none", "", madeup.Began(), ""},
		{"monthly", "P-1,EMP-0001,monthly,2025-09-01,\n", madeup.Began(), "P-1"},
		{"of two the older", "P-2,EMP-0001,annual,2026-01-01,2026-12-31\nP-1,EMP-0001,monthly,2025-09-01,\n", madeup.Began(), "P-1"},
		{"ends today", "P-1,EMP-0001,monthly,2025-09-01,2026-03-02\n", madeup.Began(), "P-1"},
		{"ended yesterday", "P-1,EMP-0001,monthly,2025-09-01,2026-03-01\n", madeup.Began(), ""},
		{"begins tomorrow", "P-1,EMP-0001,monthly,2026-03-03,\n", madeup.Began(), ""},
		{"a day ticket", "P-1,EMP-0001,daily,2026-03-02,2026-03-02\n", madeup.Began(), ""},
		{"for a disability", "P-1,EMP-0001,accessible,2025-09-01,\n", madeup.Began(), ""},
		{"joined the van last week", "P-1,EMP-0001,monthly,2025-09-01,\n", fleet.NewDate(2026, 2, 24), ""},
		{"somebody else's", "P-1,EMP-0002,monthly,2025-09-01,\n", madeup.Began(), ""},
	} {
		f, err := parking.ParseCSV([]byte(header + tt.rows))
		if err != nil {
			t.Fatal(err)
		}
		who := madeup.Worker(1, "SHIFT_DAY")
		r := madeup.Records(madeup.Van(who), []fleet.Employee{who})
		r.Vanpools[0].Riders[0].Since = tt.since
		book, err := fleet.NewBook(r)
		if err != nil {
			t.Fatal(err)
		}
		g, err := book.Group("VP-101", madeup.Now())
		if err != nil {
			t.Fatal(err)
		}
		v := check.Run(parking.New(parking.Standard(), f), g, check.Exceptions{})
		mark := ""
		if len(v.Findings) > 0 {
			mark = v.Findings[0].Mark
		}
		if mark != tt.found || (v.Label == check.Fail) != (tt.found != "") {
			t.Errorf("%s: got %s %q, want %q", tt.name, v.Label, mark, tt.found)
		}
	}
}

// TestABadLineRefusesTheFeedAndIsNamed promises that a feed is taken whole or
// not at all.
func TestABadLineRefusesTheFeedAndIsNamed(t *testing.T) {
	good := "P-1,EMP-0001,monthly,2025-09-01,\n"
	for bad, want := range map[string]string{
		"P-2,1006,monthly,2025-09-01,\n":               `line 3: employee "1006": use EMP- and four digits or more`,
		"P-2,EMP-0001,weekly,2025-09-01,\n":            `line 3: kind "weekly": use daily, monthly, annual or accessible`,
		"P-2,EMP-0001,monthly,01/09/2025,\n":           `line 3: date "01/09/2025": use the form 2026-03-08, from 1990 to 2199`,
		"P-2,EMP-0001,monthly,2025-09-01,2025-08-01\n": "line 3: permit P-2 ends before it begins",
		",EMP-0001,monthly,2025-09-01,\n":              "line 3: a permit has an id",
	} {
		_, err := parking.ParseCSV([]byte(header + good + bad))
		if text, _ := fault.Words(err); text != want || !fault.Is(err, fault.Invalid) {
			t.Errorf("got %q, want %q", text, want)
		}
	}
}

// FuzzParseCSV promises that no file makes the reader fail otherwise than with
// an error.
func FuzzParseCSV(f *testing.F) {
	f.Add([]byte(header + "P-1,EMP-0001,monthly,2025-09-01,\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		feed, err := parking.ParseCSV(file)
		for who, all := range feed {
			if err != nil || who == "" || len(all) == 0 {
				t.Errorf("%q: %d permits, %v", who, len(all), err)
			}
		}
	})
}
