package program

import (
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/model/scripted"
)

// TestTheDemonstrationHasWordsForEveryAgent promises that no agent of an application in
// the demonstration is left without an answer, and that every answer says that it is a
// script's.
func TestTheDemonstrationHasWordsForEveryAgent(t *testing.T) {
	for _, a := range builtIn() {
		if a.Demo == nil || a.Demo.Files == nil {
			continue
		}
		file, err := a.Demo.Files.Open("script.yaml")
		if err != nil {
			t.Fatal(err)
		}
		script, err := scripted.Read(file)
		if err != nil {
			t.Fatal(a.Name, err)
		}
		for _, agent := range a.Agents {
			if len(script.Agents[agent.Name]) == 0 {
				t.Errorf("%s's script has no words for %s", a.Name, agent.Name)
			}
		}
		for name, rules := range script.Agents {
			for _, r := range rules {
				words, _ := r.JSON.(map[string]any)
				for _, key := range []string{"reasoning", "body"} {
					if text, ok := words[key].(string); ok && !strings.HasPrefix(text, "Scripted model, no AI") {
						t.Errorf("%s says %q", name, text)
					}
				}
			}
		}
	}
}

// TestTheDemonstrationSaysWhatToTry promises words for each thing to try, for the role
// that does it.
func TestTheDemonstrationSaysWhatToTry(t *testing.T) {
	got := (&cli{apps: builtIn()}).trials()
	want := []string{
		"as programme manager: Decide about a rider who does not fit the van",
		"as officer: Decide with a second officer whether a report is filed",
		"as pass admin: Approve a gate pass, or refuse it",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
