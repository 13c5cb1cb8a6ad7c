package reportagent_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/reportagent/cli"
	"github.com/gavelhq/gavel/apps/reportagent/outside/duck"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/identity"
)

// errProblems is how a command ends that found something wrong.
var errProblems = errors.New("problems were found")

// A number is what became of one that was done again.
type number struct{ Outcome, How, Stored, Again, Why string }

// reperforms does the numbers of a pack again, as an auditor does with the command: program answers questions about raw tables, "" for
// nobody.
func reperforms(t *testing.T, program string, pack []byte) (all []number, said string, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "evidence.zip")
	if err := os.WriteFile(file, pack, 0o600); err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	same := func(cmd *cobra.Command, _ *string, _ string) *cobra.Command { return cmd }
	say := func(format string, _ ...any) { words.WriteString(format + "\n") }
	term := platform.Terminal{Say: say, Progress: say, Problems: errProblems, Writes: same,
		List: func(items []json.RawMessage, _ string, _ ...platform.Column) error {
			for _, one := range items {
				var n number
				if err := json.Unmarshal(one, &n); err != nil {
					return err
				}
				all = append(all, n)
			}
			return nil
		}}
	asks := func() (cli.Asker, error) {
		client, err := duck.Here(program)
		if program == "" || client == nil {
			return nil, err
		}
		return client, err
	}
	cmd := cli.Commands(asks)(term)[0]
	cmd.SetArgs([]string{"reperform", file})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.Execute()
	return all, words.String(), err
}

// evidence takes the evidence of a report on its page.
func (r rig) evidence(t *testing.T, id string) []byte {
	t.Helper()
	got := r.Get(t, identity.Auditor, "/reportagent/reports/"+id+"/evidence")
	if got.Status != 200 || got.Header.Get("Content-Type") != "application/zip" {
		t.Fatalf("got %d %s: %.300s", got.Status, got.Header.Get("Content-Type"), got.Main())
	}
	return []byte(got.Body)
}

// altered is a pack in which a text stands for another one in a file.
func altered(t *testing.T, pack []byte, name, from, to string) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		var b bytes.Buffer
		body, err := f.Open()
		if err == nil {
			_, err = b.ReadFrom(body)
		}
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = b.Bytes()
	}
	if !bytes.Contains(files[name], []byte(from)) {
		t.Fatalf("%s has no %s", name, from)
	}
	files[name] = bytes.ReplaceAll(files[name], []byte(from), []byte(to))
	return zipped(t, files)
}

// TestTheEvidenceOfAReportIsDoneAgain promises that what an auditor takes from the page of a report passes by itself, number by
// number; that an altered cell is found; and that a report which does not hold, or rests on an older run, is not handed out.
func TestTheEvidenceOfAReportIsDoneAgain(t *testing.T) {
	r := newRig(t, false)
	r.Work(t, r.App.Work)
	at := r.onPages(t)
	id := at[len("/reportagent/reports/"):]
	r.Get(t, identity.Auditor, at).Lacks(t, "Evidence for an auditor")
	r.draftOnPages(t, at, url.Values{"after": {"none"}})
	r.Get(t, identity.Auditor, at).Holds(t, 200, "Evidence for an auditor")
	r.Get(t, identity.HR, at+"/evidence").Holds(t, 403)
	pack := r.evidence(t, id)
	all, said, err := reperforms(t, "", pack)
	if err != nil || len(all) < 20 {
		t.Fatalf("%d numbers, %v: %s", len(all), err, said)
	}
	for _, n := range all {
		if n.Outcome != "pass" {
			t.Errorf("got %+v", n)
		}
	}
	if _, said, err := reperforms(t, "", altered(t, pack, "data/energy/use_by_fuel.csv", "80.0,10.0", "80.0,11.0")); err == nil {
		t.Errorf("an altered cell passes: %s", said)
	}
	text := r.section(t, id, "transport").Text
	r.Post(t, identity.Analyst, at+"/sections/transport/text", url.Values{"was": {r.was(t, at+"/sections/transport")},
		"text": {text + "\n\nCars rise by 999 million."}}).Holds(t, 303)
	r.Get(t, identity.Auditor, at+"/evidence").Holds(t, 409, "No evidence was packed", "Put right what the check finds")
}
