package program_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
)

// A finding is one line of `gavel doctor -o json`.
type finding struct{ Group, Name, Status, Detail, Fix string }

// gavel runs the town's own program with the settings of its command line.
func (w *town) gavel(t *testing.T, args ...string) (code int, out, talk string) {
	t.Helper()
	return w.gavelWith(t, nil, args...)
}

// gavelWith is gavel with more in its environment, which wins.
func (w *town) gavelWith(t *testing.T, more []string, args ...string) (code int, out, talk string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(w.Dir(), "bin", "gavel"), args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	for name, value := range w.Settings() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, more...)
	var words strings.Builder
	cmd.Stderr = &words
	data, err := cmd.Output()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return ended.ExitCode(), string(data), words.String()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, string(data), words.String()
}

// examine runs the doctor and returns what is not ok of Gavel and its parts. What it
// says about the machine is left out: a full disk is not the town's.
func (w *town) examine(t *testing.T) (code int, unwell []finding) {
	t.Helper()
	code, out, talk := w.gavel(t, "doctor", "-o", "json")
	var all []finding
	if err := json.Unmarshal([]byte(out), &all); err != nil || talk != "" {
		t.Fatalf("doctor ended with %d, %q and %q: %v", code, out, talk, err)
	}
	for _, f := range all {
		if f.Status != "ok" && f.Group != "Machine" {
			unwell = append(unwell, f)
		}
	}
	return code, unwell
}

// examineUntil runs the doctor until it finds what it should:
// what came back a moment ago may still be finding its way on a busy machine.
func (w *town) examineUntil(t *testing.T, should func(code int, unwell []finding) bool) (code int, unwell []finding) {
	t.Helper()
	if !wait.Holds(1, func() bool { code, unwell = w.examine(t); return should(code, unwell) }) {
		t.Error("the doctor does not find what it should")
	}
	return code, unwell
}

func TestDoctorNamesEachStoppedPartAndItsFix(t *testing.T) {
	// All from the start: a blob store that changes under a server has lost what was published.
	w := newTown(t, devstack.S3, devstack.Mail, devstack.OIDC)
	if code, unwell := w.examineUntil(t, func(code int, unwell []finding) bool { return code == 0 && len(unwell) == 0 }); code != 0 ||
		len(unwell) > 0 {
		t.Fatalf("with everything up: got code %d and %+v", code, unwell)
	}
	for _, tt := range []struct {
		part        devstack.Part
		group, name string
	}{
		{devstack.Mail, "Mail", "server greets"},
		{devstack.OIDC, "Sign-in", "issuer's discovery document"},
		{devstack.S3, "Blob store", "answers and writes conditionally"},
		{devstack.Worker, "Engine", "a worker polls queue general"},
		{devstack.Serve, "Server", "is ready"},
		{devstack.Temporal, "Engine", "Temporal answers"},
		{devstack.Postgres, "PostgreSQL", "answers as gavel_app"},
	} {
		t.Run(string(tt.part), func(t *testing.T) {
			if err := w.Stop(t.Context(), tt.part); err != nil {
				t.Fatal(err)
			}
			want := "go run ./devstack/cmd/devstack up " + string(tt.part)
			alone := tt.part != devstack.Postgres && tt.part != devstack.Temporal // on which others stand
			code, unwell := w.examineUntil(t, func(code int, unwell []finding) bool {
				named, others := false, 0
				for _, f := range unwell {
					named = named || f.Group == tt.group && f.Name == tt.name && f.Status == "fail" && f.Fix == want
					notChecked := strings.HasPrefix(f.Fix, "first cure: ")     // what lies in the blob store cannot be compared
					if !notChecked && (f.Group != tt.group || f.Fix != want) { // a worker serves several queues, and each says so
						others++
					}
				}
				return code == 1 && named && (!alone || others == 0)
			})
			if t.Failed() {
				t.Errorf("got code %d and %+v, want %s: %s to fail with the fix %q, and nothing else where nothing stands on it", code,
					unwell, tt.group, tt.name, want)
			}
			if err := w.again(tt.part); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The first lines a newcomer types: open a case, see its page's address, read
// it, close it.
func TestFirstRunFromTheTerminal(t *testing.T) {
	w := newTown(t)
	code, out, talk := w.gavel(t, "case", "open", "--title", "Smoke over Jind", "--due", "48h")
	if code != 0 || !strings.Contains(out, "\nPAGE  "+w.base+"/cases/case_") {
		t.Fatalf("open: got %d, %q, %q", code, out, talk)
	}
	id := strings.TrimSpace(strings.TrimPrefix(strings.SplitN(out, "\n", 2)[0], "ID"))
	if _, err := w.await(id, "waiting"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"case", "note", id, "seen by satellite"}, {"case", "close", id, "--reason", "no fire"}} {
		if code, out, talk := w.gavel(t, args...); code != 0 || !strings.Contains(out, id) {
			t.Fatalf("%v: got %d, %q, %q", args, code, out, talk)
		}
	}
	if _, err := w.await(id, "closed"); err != nil {
		t.Fatal(err)
	}
	if code, _, talk := w.gavel(t, "case", "close", id, "--reason", "again"); code != 6 ||
		!strings.Contains(talk, "next: gavel case show "+id) {
		t.Errorf("closing twice: got %d, %q", code, talk)
	}
	if code, out, _ := w.gavel(t, "migrate", "status", "--json"); code != 0 || out != "[]\n" {
		t.Errorf("migrate status: got %d, %q", code, out)
	}
}
