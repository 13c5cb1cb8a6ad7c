package job_test

import (
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestWhoMayBeginAJobMayCallItOff promises that policy is asked, by the acts of the kind, of
// who looks at a job and who calls it off; that nobody reaches into another organisation; and
// that calling it off twice is doing so once.
func TestWhoMayBeginAJobMayCallItOff(t *testing.T) {
	rules, err := policy.Load(nil, map[string]policy.Source{"yard": {
		Acts: []policy.Act{{Name: "yard.sweep.run", Words: "have the yard swept"}, {Name: "yard.sweep.read", Words: "see it swept",
			Reads: true}},
		Files: fstest.MapFS{"acts/sweep.cedar": {Data: []byte(`
			@id("sweep") permit (principal, action == Action::"do", resource) when { context.act == "yard.sweep.run" && context.roles.contains("officer") };
			@id("see") permit (principal, action == Action::"do", resource) when { context.act == "yard.sweep.read" && context.roles.contains("auditor") };`)}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	kind := sweep
	kind.Act, kind.Read = "yard.sweep.run", "yard.sweep.read"
	d := newDB(t)
	desk := job.NewDesk(d.App, durable.Clock{}, rules, kind)
	officer, auditor, theirs := asha, ravi, south
	officer.Roles, auditor.Roles, theirs.Roles = []identity.Role{identity.Officer}, []identity.Role{identity.Auditor},
		[]identity.Role{identity.Officer}
	b := start(t, d.App, order(officer, "k", "yard", noon))
	for _, tt := range []struct {
		what string
		do   func() error
		want fault.Kind
	}{
		{"an officer looks", func() error { _, _, err := desk.Get(t.Context(), officer, b.ID); return err }, fault.Refused},
		{"an auditor calls it off", func() error { _, _, err := desk.Cancel(t.Context(), auditor, b.ID); return err }, fault.Refused},
		{"another organisation", func() error { _, _, err := desk.Cancel(t.Context(), theirs, b.ID); return err }, fault.NotFound},
		{"no such job", func() error { _, _, err := desk.Cancel(t.Context(), officer, "SWEEP-00000000"); return err }, fault.NotFound},
		{"no such kind", func() error { _, _, err := desk.Cancel(t.Context(), officer, "MOP-00000000"); return err }, fault.NotFound},
	} {
		if err := tt.do(); !fault.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.what, err)
		}
	}
	for range 2 {
		if _, j, err := desk.Cancel(t.Context(), officer, b.ID); err != nil || j.CancelledBy != officer.ID || j.State != job.Running {
			t.Errorf("got %+v, %v", j, err)
		}
	}
	if did, _ := told(t, d.App, b.ID); did != "started called_off" {
		t.Errorf("the log says %q", did)
	}
	in(t, d.App, postgrestest.North, func(tx pgx.Tx) error {
		return job.Finish(t.Context(), tx, sweep, postgrestest.North, b.ID, job.End{State: job.Cancelled, Reason: "x", At: noon})
	})
	if k, j, err := desk.Get(t.Context(), auditor, b.ID); err != nil || k.Name != "sweep" || j.State != job.Cancelled {
		t.Errorf("got %+v, %+v, %v", k, j, err)
	}
	if _, _, err := desk.Cancel(t.Context(), officer, b.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("when it has ended: %v", err)
	}
}
