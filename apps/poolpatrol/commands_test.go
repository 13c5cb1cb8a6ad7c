package poolpatrol

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/poolpatrol/cli"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// A desk is somebody at a terminal: it speaks to the real API and writes down
// what a command prints, as JSON, and what it says beside that.
type desk struct {
	rig  *rig
	as   string
	uses []*cobra.Command

	printed []json.RawMessage
	said    []string
	moved   []string // progress
	onWait  func()
	answer  bool // to what it is asked
	asked   int
}

// terminal is the desk as commands see it.
func (d *desk) terminal() platform.Terminal {
	return platform.Terminal{Uses: d.Uses, Call: d.Call, List: d.List, One: d.One, Say: d.Say, Progress: d.Progress, Wait: d.Wait,
		Sure: func(string, string) (bool, error) {
			d.asked++
			return d.answer, nil
		}}
}

func (d *desk) Uses(cmd *cobra.Command, _ ...string) *cobra.Command {
	d.uses = append(d.uses, cmd)
	return cmd
}

func (d *desk) Call(_ context.Context, method, path string, in, out any) error {
	got := d.rig.call(d.as, method, path, in)
	if got.Status >= 300 {
		kind := map[int]fault.Kind{403: fault.Refused, 404: fault.NotFound, 409: fault.Conflict, 412: fault.Stale, 413: fault.TooLarge,
			422: fault.Invalid}[got.Status]
		return fault.New(kind, "%v", got.JSON["detail"]).WithNext("%v", got.JSON["next"])
	}
	return json.Unmarshal([]byte(got.Body), out)
}

func (d *desk) List(items []json.RawMessage, none string, columns ...platform.Column) error {
	if d.printed = items; len(items) == 0 {
		d.said = append(d.said, none)
	}
	return d.check(items, columns)
}

func (d *desk) One(item json.RawMessage, columns ...platform.Column) error {
	d.printed = []json.RawMessage{item}
	return d.check(d.printed, columns)
}

// check refuses a column that the API does not have: it would be empty for ever.
func (d *desk) check(items []json.RawMessage, columns []platform.Column) error {
	for _, item := range items {
		for _, c := range columns {
			var v any
			if err := json.Unmarshal(item, &v); err != nil {
				return err
			}
			for _, part := range strings.Split(c.Field, ".") {
				object, _ := v.(map[string]any)
				next, there := object[part]
				if !there {
					return fmt.Errorf("the column %s shows %s, which %.200s has not", c.Head, c.Field, item)
				}
				v = next
			}
		}
	}
	return nil
}

func (d *desk) Say(format string, args ...any) { d.said = append(d.said, fmt.Sprintf(format, args...)) }

func (d *desk) Progress(format string, args ...any) {
	d.moved = append(d.moved, fmt.Sprintf(format, args...))
}

func (d *desk) Wait(ctx context.Context) error {
	if d.onWait != nil {
		d.onWait()
	}
	return ctx.Err()
}

// run types a command.
func (d *desk) run(args ...string) error { return d.pipe("", args...) }

func (d *desk) pipe(input string, args ...string) error {
	d.printed, d.said, d.moved = nil, nil, nil
	root := cli.Commands(d.terminal())[0]
	root.SetArgs(args)
	root.SetIn(strings.NewReader(input))
	root.SetOut(new(bytes.Buffer))
	root.SetErr(new(bytes.Buffer))
	root.SilenceUsage, root.SilenceErrors = true, true
	return root.ExecuteContext(d.rig.t.Context())
}

// field is a field of the first thing that was printed.
func (d *desk) field(name string) any {
	var v map[string]any
	if len(d.printed) == 0 || json.Unmarshal(d.printed[0], &v) != nil {
		return nil
	}
	return v[name]
}

// TestAuditShowsHowFarItIs promises that the command starts a pass, shows its
// progress, prints its end, and that failing vans are no failure of the command.
func TestAuditShowsHowFarItIs(t *testing.T) {
	r, town := newRig(t), apiTown()
	r.fill("manager", town)
	d := &desk{rig: r, as: "manager"}
	if err := d.run("audit"); err != nil || d.field("state") != "running" {
		t.Fatalf("got %v, %s", err, d.printed)
	}
	r.finish(rigPeople["manager"].Org, d.field("id").(string))
	steps, looked := r.app.work.Steps(), 0
	d.onWait = func() {
		newest := r.want(200, "manager", "GET", passesAddress, nil).Items()[0].(map[string]any)
		in := store.PassInput{Org: rigPeople["manager"].Org, Pass: newest["id"].(string)}
		do := func() error { _, err := steps.Pin(t.Context(), in); return err }
		if looked++; looked > 1 {
			do = func() error { _, err := steps.Look(t.Context(), in); return err }
		}
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.run("audit", "--wait"); err != nil {
		t.Fatal(err)
	}
	if d.field("state") != "done" || d.field("failed") != float64(len(town.Wrong)) ||
		!slices.Contains(d.moved, "0 of 30 looked at, 0 fail") {
		t.Errorf("got %s after %q", d.printed, d.moved)
	}
	if err := d.run("pass", "list"); err != nil || len(d.printed) != 2 {
		t.Errorf("got %v, %d passes", err, len(d.printed))
	}
	if err := d.run("pass", "show", d.field("id").(string)); err != nil || d.field("state") != "done" {
		t.Errorf("got %v, %s", err, d.printed)
	}
	if err := d.run("pass", "show", "PASS-00000000"); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v, want not found", err)
	}
}

// TestAuditTellsWhyItWasRefused promises that records which are too old, at the
// start or when they are read, end the command with the reason.
func TestAuditTellsWhyItWasRefused(t *testing.T) {
	r := newRig(t)
	d := &desk{rig: r, as: "manager"}
	if err := d.run("audit", "--wait"); !fault.Is(err, fault.Conflict) || d.printed != nil {
		t.Errorf("without records: got %v, %s", err, d.printed)
	}
	r.fill("manager", apiTown())
	d.onWait = func() {
		newest := r.want(200, "manager", "GET", passesAddress, nil).Items()[0].(map[string]any)
		r.age(t, newest["id"].(string))
	}
	err := d.run("audit", "--wait")
	if text, next := fault.Words(err); !fault.Is(err, fault.Conflict) || !strings.Contains(text, "48 hours") ||
		!strings.Contains(next, "import") {
		t.Errorf("got %v, next %q, want the reason", err, next)
	}
}

// TestImportImportsWhatItPreviewed promises: --dry-run changes nothing, whoever
// says no is heeded, a yes does what was said, refused lines are said with their
// numbers, and a file cut short needs a word.
func TestImportImportsWhatItPreviewed(t *testing.T) {
	r := newRig(t)
	d := &desk{rig: r, as: "manager"}
	file := filepath.Join(t.TempDir(), "sites.csv")
	if err := os.WriteFile(file, []byte(someSites), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.run("import", "sites", file, "--yes", "--dry-run"); !fault.Is(err, fault.Invalid) {
		t.Errorf("both: got %v", err)
	}
	if err := d.pipe(someSites, "import", "sites", "-"); !fault.Is(err, fault.Invalid) {
		t.Errorf("a question that the file would answer: got %v", err)
	}
	if err := d.run("import", "sites", file); err != nil || d.asked != 1 || d.printed != nil ||
		!slices.Equal(d.said, []string{"sites: 1 added, 0 changed, 0 gone, 0 unchanged", "nothing was imported"}) {
		t.Errorf("no: got %v, said %q", err, d.said)
	}
	if err := d.run("import", "cats", file, "--yes"); !fault.Is(err, fault.Invalid) {
		t.Errorf("another kind: got %v", err)
	}
	if err := d.run("import", "sites", file+".not", "--yes"); !fault.Is(err, fault.Invalid) {
		t.Errorf("no file: got %v", err)
	}
	for range 2 {
		if err := d.run("import", "sites", file, "--dry-run"); err != nil || d.field("added") != 1.0 ||
			!strings.Contains(strings.Join(d.said, "\n"), "nothing was imported") {
			t.Fatalf("got %v, %s, %q", err, d.printed, d.said)
		}
	}
	d.answer = true
	if err := d.run("import", "sites", file); err != nil || d.field("added") != 1.0 || d.asked != 2 {
		t.Fatalf("got %v, %s", err, d.printed)
	}
	if err := d.pipe(someSites, "import", "sites", "-", "--yes"); err != nil || d.field("unchanged") != 1.0 {
		t.Errorf("from the standard input, again: got %v, %s", err, d.printed)
	}
	err := d.pipe(someSites+"no site,x,UTC,,\n", "import", "sites", "-", "--yes")
	if !fault.Is(err, fault.Invalid) || d.printed != nil || len(d.said) != 1 || !strings.HasPrefix(d.said[0], "line 3: ") {
		t.Errorf("a line that is refused: got %v, said %q", err, d.said)
	}
	r.hand("manager", intake.Shifts, someShifts)
	r.hand("manager", intake.Employees, someStaff)
	cut := strings.Join(strings.SplitAfter(someStaff, "\n")[:2], "")
	if err := d.pipe(cut, "import", "employees", "-", "--whole", "--yes"); !fault.Is(err, fault.Conflict) {
		t.Errorf("a file cut short: got %v", err)
	}
	if err := d.pipe(cut, "import", "employees", "-", "--whole", "--yes", "--even-if-many-go"); err != nil || d.field("gone") != 1.0 {
		t.Errorf("with a word: got %v, %s", err, d.printed)
	}
}

// TestCommandsShowWhatTheAPIHas promises that vans, riders, what was found and
// what is missing are printed, all pages of it, in columns that exist; and that
// an empty list is said to be one.
func TestCommandsShowWhatTheAPIHas(t *testing.T) {
	r := newRig(t)
	town := apiTown()
	town.Employees[3].Home.At = nil // a gap
	d := &desk{rig: r, as: "auditor"}
	for _, args := range [][]string{{"van", "list"}, {"pass", "list"}, {"export", "runs"}, {"export", "gaps"}} {
		if err := d.run(args...); err != nil || len(d.printed) != 0 || len(d.said) != 1 {
			t.Errorf("%v, empty: got %v, %d items, said %q", args, err, len(d.printed), d.said)
		}
	}
	r.fill("manager", town)
	r.audited("manager")
	for _, tt := range []struct {
		args string
		want int
	}{
		{"van list", 30}, {"van list --limit 3", 3}, {"van list --site NOWHERE", 0},
		{"van show VP-00001", 1}, {"van show VP-00001 --riders", 5},
		{"export runs", 30}, {"export gaps", 1},
		{"simulate location.threshold_miles=12", 1},
	} {
		if err := d.run(strings.Fields(tt.args)...); err != nil || len(d.printed) != tt.want {
			t.Errorf("%s: got %v, %d items, want %d", tt.args, err, len(d.printed), tt.want)
		}
	}
	if err := d.run("export", "runs", "--outcome", "failed"); err != nil || len(d.printed) == 0 {
		t.Fatalf("got %v, %d vans that fail", err, len(d.printed))
	}
	failed := len(d.printed)
	if err := d.run("audit", "--dry-run"); err != nil || len(d.printed) != failed || !strings.Contains(strings.Join(d.said, " "),
		"nothing was opened") {
		t.Errorf("audit --dry-run: got %v, %d vans, said %q; want the %d that the audit found", err, len(d.printed), d.said, failed)
	}
	if err := d.run("audit", "--dry-run", "--wait"); !fault.Is(err, fault.Invalid) {
		t.Errorf("audit --dry-run --wait: got %v, want a refusal", err)
	}
	if err := d.run("van", "list", "--limit", "3"); err != nil || !slices.Contains(d.said, "there are more; raise --limit") {
		t.Errorf("got %v, said %q", err, d.said)
	}
	for args, want := range map[string]fault.Kind{"van list --limit 0": fault.Invalid, "van show VP-99999": fault.NotFound,
		"export runs --outcome perhaps":       fault.Invalid,
		"simulate location.threshold_miles=0": fault.Invalid, "audit": fault.Refused} {
		if err := d.run(strings.Fields(args)...); !fault.Is(err, want) {
			t.Errorf("%s: got %v, want %s", args, err, want)
		}
	}
}

// TestEveryCommandSaysWhatItIsFor promises help for each, and that each which
// speaks to a server has said so.
func TestEveryCommandSaysWhatItIsFor(t *testing.T) {
	d := &desk{}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Short == "" || cmd.Example == "" || cmd.RunE == nil || cmd.Args == nil {
			t.Errorf("%s lacks a line, an example or its arguments", cmd.CommandPath())
		}
		if !cmd.HasSubCommands() && !slices.Contains(d.uses, cmd) {
			t.Errorf("%s has not said that it talks to a server", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(cli.Commands(d.terminal())[0])
	if len(d.uses) < 9 {
		t.Errorf("only %d commands were found", len(d.uses))
	}
}
