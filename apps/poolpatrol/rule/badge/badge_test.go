package badge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/badge"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
)

var today = fleet.NewDate(2026, 3, 2)

// readings is a feed in which a colleague comes every day, so that the feed is
// known to work, and EMP-0001 on some of the last working days.
func readings(days int) string {
	var b strings.Builder
	b.WriteString("Date,employee_id,site_id,door\n")
	for d := today - 28; d < today; d++ {
		fmt.Fprintf(&b, "%s,EMP-0002,PLANT-1,north\n", d)
		if d.Weekday() < 5 && days > 0 {
			days--
			fmt.Fprintf(&b, "%s,EMP-0001,PLANT-1,north\n%s,EMP-0001,PLANT-1,south\n", d, d)
		}
	}
	return b.String()
}

// TestSeldomOnSiteIsCountedAgainstOnesOwnWorkingDays promises that days are
// counted once, that days off are not held against anybody, and that nobody is
// judged on a feed that is not there.
func TestSeldomOnSiteIsCountedAgainstOnesOwnWorkingDays(t *testing.T) {
	for _, tt := range []struct {
		name       string
		feed       string
		change     func(e *fleet.Employee)
		label      check.Label
		confidence check.Confidence
		kind       string
	}{
		{"twelve of twenty days", readings(12), nil, check.Pass, 4, ""},
		{"eleven of twenty days", readings(11), nil, check.Fail, 3, badge.SeldomSeen},
		{"never", readings(0), nil, check.Fail, 4, badge.SeldomSeen},
		{"half of it days off", readings(6), func(e *fleet.Employee) { e.Away = []fleet.Span{{From: today - 14, Until: today}} },
			check.Pass, 4, ""},
		{"nearly all of it days off", readings(0), func(e *fleet.Employee) { e.Away = []fleet.Span{{From: today - 24, Until: today}} },
			check.Pass, 2, ""},
		{"on leave", readings(0), func(e *fleet.Employee) { e.Standing = fleet.OnLeave }, check.Pass, 4, ""},
		{"no feed for the site", "employee_id,site_id,date\nEMP-0002,PLANT-9,2026-02-20\n", nil, check.Fail, 1, check.DataMissing},
		{"an old feed", "employee_id,site_id,date\nEMP-0002,PLANT-1,2025-02-20\n", nil, check.Fail, 1, check.DataMissing},
	} {
		who := madeup.Worker(1, "SHIFT_DAY")
		if tt.change != nil {
			tt.change(&who)
		}
		riders := []fleet.Employee{who, madeup.Worker(2, "SHIFT_DAY")}
		f, err := badge.ParseCSV([]byte(tt.feed))
		if err != nil {
			t.Fatal(err)
		}
		book, err := fleet.NewBook(madeup.Records(madeup.Van(riders...), riders))
		if err != nil {
			t.Fatal(err)
		}
		g, err := book.Group("VP-101", madeup.Now())
		if err != nil {
			t.Fatal(err)
		}
		v := check.Run(badge.New(badge.Standard(), f), g, check.Exceptions{})
		kind := ""
		if len(v.Findings) > 0 {
			kind = v.Findings[0].Kind
		}
		if v.Label != tt.label || v.Confidence != tt.confidence || kind != tt.kind || len(v.Findings) > 1 {
			t.Errorf("%s: got %s %d %q, want %s %d %q", tt.name, v.Label, v.Confidence, kind, tt.label, tt.confidence, tt.kind)
		}
	}
}

// FuzzParseCSV promises that no file makes the reader fail otherwise than with
// an error.
func FuzzParseCSV(f *testing.F) {
	f.Add([]byte(readings(2)))
	f.Add([]byte("employee_id,site_id,date\nEMP-1,X,2026-13-40\n"))
	f.Add([]byte("\xef\xbb\xbfdate,site_id,employee_id\n\"2026-01-01\",A,EMP-1234"))
	f.Fuzz(func(t *testing.T, file []byte) {
		feed, err := badge.ParseCSV(file)
		if err == nil {
			badge.New(badge.Standard(), feed)
		}
	})
}
