package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestTheModelHasARouteForEveryAgent promises that every route that agents ask for leads
// to the scripted model, and that a script with a mistake is refused at once.
func TestTheModelHasARouteForEveryAgent(t *testing.T) {
	files := fstest.MapFS{"script.yaml": {Data: []byte("agents:\n  clerk:\n    - text: hello\n")}}
	apps := []platform.App{
		{Name: "one", Agents: []agent.Spec{{Name: "clerk", Route: "small"}}, Demo: &platform.Demo{Files: files}},
		{Name: "two", Agents: []agent.Spec{{Name: "judge", Route: "large"}}},
	}
	m, err := newModel(apps, filepath.Join(t.TempDir(), "models.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.close() })
	text, err := os.ReadFile(m.routes)
	if err != nil || !strings.Contains(string(text), "small: {provider: scripted, base_url: 'http://127.0.0.1:") ||
		!strings.Contains(string(text), "large: {") {
		t.Errorf("the routes are %s, %v", text, err)
	}
	apps[0].Demo.Files = fstest.MapFS{"script.yaml": {Data: []byte("agents:\n  clerk:\n    - says: hello\n")}}
	if _, err := newModel(apps, filepath.Join(t.TempDir(), "models.yaml")); err == nil || !strings.Contains(err.Error(), "one's script") {
		t.Errorf("a script with a mistake: %v", err)
	}
}

// TestAFolderOfSomethingElseIsLeftAlone promises that --keep takes over no folder with
// somebody's files in it, nor lets others look into it, nor one whose notes it cannot read;
// and that a clock once chosen stays.
func TestAFolderOfSomethingElseIsLeftAlone(t *testing.T) {
	mine := filepath.Join(t.TempDir(), "mine")
	if err := os.Mkdir(mine, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(mine, "letter"), []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := (&Show{cfg: Config{Dir: mine, Speed: 600}, dir: mine}).open()
	info, _ := os.Stat(mine)
	inside, _ := os.ReadDir(mine)
	if !fault.Is(err, fault.Conflict) || info.Mode().Perm() != 0o700 || len(inside) != 1 {
		t.Errorf("%v: the folder is %s and holds %v", err, info.Mode(), inside)
	}
	dir := t.TempDir()
	first := &Show{cfg: Config{Dir: dir, Speed: 600}, dir: dir}
	if err := first.open(); err != nil {
		t.Fatal(err)
	}
	again := &Show{cfg: Config{Dir: dir, Speed: 60}, dir: dir}
	if err := again.open(); err != nil || again.notes.Clock != first.notes.Clock {
		t.Errorf("%v: the clock was %s and is %s", err, first.notes.Clock, again.notes.Clock)
	}
	if err := os.WriteFile(first.notesFile(), []byte("my shopping list"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := again.open(); err == nil {
		t.Error("somebody's file was taken for notes")
	}
}
