package audit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/doctor"
)

// The lines of the doctor.
const (
	isSigned    = "newest checkpoint is signed by its key"
	isPublished = "what is published agrees"
	isTakenIn   = "records are taken in"
)

// look asks the doctor about the log, a while from now.
func (r *rig) look(t *testing.T, c audit.CheckConfig, later time.Duration) map[string]doctor.Finding {
	t.Helper()
	c.SystemURL = r.db.SystemURL
	c.Ago = func(real time.Duration) time.Time { return time.Now().Add(later - real) }
	found := map[string]doctor.Finding{}
	for _, f := range doctor.Run(t.Context(), audit.Checks(c), time.Minute) {
		found[f.Name] = f
	}
	return found
}

func TestTheDoctorFindsAKeptLogWell(t *testing.T) {
	r, s := newRig(t), newShelf(t)
	for name, f := range r.look(t, audit.CheckConfig{Key: r.public, Shelf: s}, 0) {
		if f.Status != doctor.OK {
			t.Errorf("a log without entries: %s: got %+v", name, f)
		}
	}
	for i := range 3 {
		r.append(t, record(i))
		r.drain(t)
		publish(t, r.publisher(t, s, ""))
	}
	r.append(t, record(4)) // which waits for a moment, as every record does
	for _, c := range []audit.CheckConfig{{}, {Key: r.public}, {Key: r.public, Shelf: s}} {
		for name, f := range r.look(t, c, 0) {
			if f.Status != doctor.OK || f.Fix != "" {
				t.Errorf("%s: got %+v", name, f)
			}
		}
	}
}

// TestTheDoctorFindsWhatIsWrongWithTheLog promises that each fault at the end of
// the log is named on its own line, with what cures it.
func TestTheDoctorFindsWhatIsWrongWithTheLog(t *testing.T) {
	_, another, err := audit.NewKey(origin)
	if err != nil {
		t.Fatal(err)
	}
	_, foreign, err := audit.NewKey("elsewhere.test/log")
	if err != nil {
		t.Fatal(err)
	}
	const runbook = "docs/runbook/log-damaged.md"
	for _, tt := range []struct {
		name        string
		seed        func(t *testing.T, r *rig, s shelf)
		key         audit.Verifier // empty for the log's
		later       time.Duration
		line        string
		status      doctor.Status
		detail, fix string
	}{
		{"a checkpoint that is none", func(t *testing.T, r *rig, _ shelf) {
			r.admin(t, `update gavel_sys.log_checkpoint set note = 'none'`)
		}, "", 0, isSigned, doctor.Fail, "it was changed", runbook},
		{"a checkpoint with another root", func(t *testing.T, r *rig, _ shelf) {
			r.admin(t, `update gavel_sys.log_checkpoint set note = overlay(note placing repeat('A', 42)
				from position(E'\n' || size || E'\n' in note) + length(size::text) + 2)`)
		}, "", 0, isSigned, doctor.Fail, "not signed by the key in force", runbook},
		{"a key of another log", nil, foreign, 0, isSigned, doctor.Fail, "is for elsewhere.test/log", "GAVEL_LOG_KEY"},
		{"a key that nobody took into use", nil, another, 0, isSigned, doctor.Warn, "another key", "GAVEL_LOG_KEY"},
		{"a log that was cut", func(t *testing.T, r *rig, _ shelf) {
			r.admin(t, `delete from gavel_sys.log_published where n = 3; delete from gavel_sys.log_checkpoint
				where size > (select max(size) from gavel_sys.log_published)`)
		}, "", 0, isPublished, doctor.Fail, "it was cut, or restored from an older copy", runbook},
		{"a copy that was changed", func(t *testing.T, _ *rig, s shelf) {
			s.change(t, "log/latest", func(string) string { return "none" })
		}, "", 0, isPublished, doctor.Fail, "it was changed", runbook},
		{"a copy that was taken away", func(t *testing.T, _ *rig, s shelf) {
			s.remove(t, "log/latest")
		}, "", 0, isPublished, doctor.Fail, "not there any more", runbook},
		{"nobody who takes records in", func(t *testing.T, r *rig, _ shelf) {
			r.append(t, record(9))
		}, "", 2 * time.Minute, isTakenIn, doctor.Warn, "1 waiting", "gavel serve"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, s := newRig(t), newShelf(t)
			for i := range 3 {
				r.append(t, record(i))
				r.drain(t)
				publish(t, r.publisher(t, s, ""))
			}
			if tt.seed != nil {
				tt.seed(t, r, s)
			}
			c := audit.CheckConfig{Key: tt.key, Shelf: s}
			if tt.key == "" {
				c.Key = r.public
			}
			got := r.look(t, c, tt.later)[tt.line]
			if got.Status != tt.status || !strings.Contains(got.Detail, tt.detail) || !strings.Contains(got.Fix, tt.fix) {
				t.Errorf("got %+v, want %s with %q and %q", got, tt.status, tt.detail, tt.fix)
			}
		})
	}
}
