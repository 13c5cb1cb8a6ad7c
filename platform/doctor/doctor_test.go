package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gavelhq/gavel/platform/doctor"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func says(group, name string, r doctor.Result) doctor.Check {
	return doctor.Check{Group: group, Name: name, Run: func(context.Context) doctor.Result { return r }}
}

func TestFindingsKeepTheOrderOfTheChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var checks []doctor.Check
		for i := range 40 {
			checks = append(checks, doctor.Check{Group: "g", Name: fmt.Sprint(i), Run: func(context.Context) doctor.Result {
				time.Sleep(time.Duration(40-i) * time.Millisecond / 4) // the first are the slowest
				return doctor.Result{Status: doctor.OK}
			}})
		}
		for i, f := range doctor.Run(t.Context(), checks, time.Minute) {
			if got, want := f.Name, fmt.Sprint(i); got != want {
				t.Fatalf("finding %d: got %s, want %s", i, got, want)
			}
		}
	})
}

func TestChecksRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inside, most atomic.Int32
		meet := make(chan struct{})
		var checks []doctor.Check
		for range 4 {
			checks = append(checks, doctor.Check{Run: func(ctx context.Context) doctor.Result {
				if n := inside.Add(1); n == 4 {
					most.Store(n)
					close(meet) // all four are here at once
				}
				select {
				case <-meet:
					return doctor.Result{Status: doctor.OK}
				case <-ctx.Done():
					return doctor.Result{Status: doctor.Fail}
				}
			}})
		}
		if got := doctor.Worst(doctor.Run(t.Context(), checks, 30*time.Second)); got != doctor.OK || most.Load() != 4 {
			t.Errorf("four checks that wait for one another: got %s with %d together", got, most.Load())
		}
	})
}

func TestABrokenCheckFailsAloneAndHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := make(chan struct{})
		defer close(forever)
		checks := []doctor.Check{
			{Name: "ignores its context", Run: func(context.Context) doctor.Result { <-forever; return doctor.Result{} }},
			{Name: "panics", Run: func(context.Context) doctor.Result { panic("nil map") }},
			{Name: "forgets its status", Run: func(context.Context) doctor.Result { return doctor.Result{} }},
			{Name: "tells what it waited for", Run: func(ctx context.Context) doctor.Result {
				<-ctx.Done()
				return doctor.Result{Status: doctor.Fail, Detail: "the mail server does not greet"}
			}},
			says("", "is well", doctor.Result{Status: doctor.OK, Detail: "fine"}),
		}
		findings := doctor.Run(t.Context(), checks, 3*time.Second)
		for i, want := range []struct {
			status doctor.Status
			detail string
		}{
			{doctor.Fail, "no answer within 3s"},
			{doctor.Fail, "the check itself broke: nil map"},
			{doctor.Fail, `the check gave no known status ("")`},
			{doctor.Fail, "the mail server does not greet"},
			{doctor.OK, "fine"},
		} {
			if got := findings[i]; got.Status != want.status || got.Detail != want.detail {
				t.Errorf("%s: got %s %q, want %s %q", got.Name, got.Status, got.Detail, want.status, want.detail)
			}
		}
	})
}

func TestWorstIsTheWorst(t *testing.T) {
	of := func(all ...doctor.Status) (f []doctor.Finding) {
		for _, s := range all {
			f = append(f, doctor.Finding{Result: doctor.Result{Status: s}})
		}
		return f
	}
	for _, tt := range []struct {
		in   []doctor.Finding
		want doctor.Status
	}{
		{nil, doctor.OK},
		{of(doctor.OK, doctor.OK), doctor.OK},
		{of(doctor.OK, doctor.Warn, doctor.OK), doctor.Warn},
		{of(doctor.Fail, doctor.Warn), doctor.Fail},
		{of(doctor.Warn, doctor.Fail, doctor.OK), doctor.Fail},
	} {
		if got := doctor.Worst(tt.in); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestWhatIsPrintedIsGroupedAndNamesTheFix(t *testing.T) {
	findings := doctor.Run(t.Context(), []doctor.Check{
		says("PostgreSQL", "answers as gavel_app", doctor.Result{Status: doctor.OK, Detail: "PostgreSQL 15.18"}),
		says("PostgreSQL", "schema is migrated", doctor.Result{Status: doctor.Fail, Detail: "2 migrations pending: 00007_acts, 00008_notes",
			Fix: "gavel migrate"}),
		says("PostgreSQL", "no row is lost", doctor.Result{Status: doctor.NotChecked, Detail: "not checked: no address"}),
		says("Mail", "greets", doctor.Result{Status: doctor.NotSetUp, Detail: "not configured"}),
		says("Machine", "disk space", doctor.Result{Status: doctor.Warn, Detail: "1.9 GiB free of 40 GiB at /data",
			Fix: "free some space"}),
		says("Machine", "hostile", doctor.Result{Status: doctor.OK, Detail: "a\x1b[2Jb\nc" + strings.Repeat("x", 1000)}),
	}, time.Minute)
	var out bytes.Buffer
	if err := doctor.Write(&out, findings); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/findings.golden"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestWhatWasNotLookedAtIsNoHealth promises that a check which looked at nothing is told
// apart, for people and for programs, and is no illness either.
func TestWhatWasNotLookedAtIsNoHealth(t *testing.T) {
	findings := doctor.Run(t.Context(), []doctor.Check{
		says("a", "b", doctor.Result{Status: doctor.OK}), says("a", "c", doctor.Result{Status: doctor.NotChecked}),
		says("a", "d", doctor.Result{Status: doctor.NotSetUp}), says("a", "e", doctor.Result{Status: doctor.NotSetUp}),
	}, time.Minute)
	if got, want := doctor.Count(findings), "1 ok, 0 warn, 0 fail, 1 not checked, 2 not set up"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	text, err := json.Marshal(findings[1])
	if want := `{"group":"a","name":"c","status":"ok","detail":"","skipped":"not checked"}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v; want %s", text, err, want)
	}
	if got := doctor.Worst(findings); got != doctor.OK {
		t.Errorf("the worst is %s", got)
	}
}

func TestFindingsEncodeFlat(t *testing.T) {
	got, err := json.Marshal(doctor.Finding{Group: "Mail", Name: "greets", Result: doctor.Result{Status: doctor.OK, Detail: "220"}})
	if want := `{"group":"Mail","name":"greets","status":"ok","detail":"220"}`; err != nil || string(got) != want {
		t.Errorf("got %s %v, want %s", got, err, want)
	}
}
