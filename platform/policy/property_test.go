package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/policy"
)

// A line is a policy whose outcome for the question of shift is known.
type line struct {
	permit           bool
	call, unattended bool   // which of the two questions it speaks about
	outcome          string // holds, fails to hold, or breaks
}

var conditions = map[string][]string{
	"true": {`true`, `context.tool == "poolpatrol.get_shift"`, `context.args.day >= 4`, `principal in Role::"analyst"`,
		`resource.owner == "asha"`},
	"false": {`false`, `context.taint`, `context.effect == "outside"`, `context.args has nothing`, `principal in Role::"hr"`},
	"error": {`context.args.nothing`, `context.args.van < 4`, `resource.nothing == 1`, `context.args.day + 9223372036854775807 > 0`},
}

func (l line) text(id int, condition string) string {
	var actions []string
	if l.call {
		actions = append(actions, `Action::"call"`)
	}
	if l.unattended {
		actions = append(actions, `Action::"call_unattended"`)
	}
	effect := "forbid"
	if l.permit {
		effect = "permit"
	}
	return fmt.Sprintf("@id(\"p%d\") %s (principal, action in [%s], resource) when { %s };\n", id, effect, strings.Join(actions, ", "),
		condition)
}

// says is the answer to one question by the definition: an error or a forbid is
// a no, and without a permit there is no yes.
func says(lines []line, about func(line) bool) bool {
	yes := false
	for _, l := range lines {
		switch {
		case !about(l) || l.outcome == "false":
		case l.outcome == "error" || !l.permit:
			return false
		default:
			yes = true
		}
	}
	return yes
}

// TestEverySetAnswersByTheDefinition promises, for any policies in any order:
// default deny, a forbid wins, an error never permits, and nothing is unattended
// that may not be called.
func TestEverySetAnswersByTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) line {
			which := rapid.IntRange(1, 3).Draw(t, "which")
			return line{rapid.Bool().Draw(t, "permit"), which&1 != 0, which&2 != 0,
				rapid.SampledFrom([]string{"true", "true", "false", "error"}).Draw(t, "outcome")}
		}), 0, 6).Draw(t, "lines")
		texts := make([]string, len(lines))
		for i, l := range lines {
			texts[i] = l.text(i, rapid.SampledFrom(conditions[l.outcome]).Draw(t, "condition"))
		}
		s, err := policy.Parse(policy.File{Name: "p.cedar", Text: []byte(strings.Join(texts, ""))})
		if err != nil {
			t.Fatal(err)
		}
		call := says(lines, func(l line) bool { return l.call })
		unattended := call && says(lines, func(l line) bool { return l.unattended })
		got := s.Ask(shift())
		if got.Call != call || got.Unattended != unattended {
			t.Fatalf("got %+v, want call %v and unattended %v of\n%s", got, call, unattended, texts)
		}
		if len(got.Because) == 0 {
			t.Fatal("an answer without a reason")
		}
		mixed, err := policy.Parse(policy.File{Name: "p.cedar", Text: []byte(strings.Join(rapid.Permutation(texts).Draw(t, "order"), ""))})
		if err != nil {
			t.Fatal(err)
		}
		again := mixed.Ask(shift())
		if again.Digest = got.Digest; fmt.Sprint(again) != fmt.Sprint(got) {
			t.Fatalf("another order answers %+v, want %+v", again, got)
		}
	})
}

// TestWhatIsTakenAwayOnlyNarrows promises that a set without one of its permits
// never allows more.
func TestWhatIsTakenAwayOnlyNarrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var texts []string
		for i := range rapid.IntRange(1, 5).Draw(t, "n") {
			which := rapid.IntRange(1, 3).Draw(t, "which")
			l := line{true, which&1 != 0, which&2 != 0, rapid.SampledFrom([]string{"true", "false"}).Draw(t, "outcome")}
			texts = append(texts, l.text(i, conditions[l.outcome][0]))
		}
		ask := func(texts []string) policy.Answer {
			s, err := policy.Parse(policy.File{Name: "p.cedar", Text: []byte(strings.Join(texts, ""))})
			if err != nil {
				t.Fatal(err)
			}
			return s.Ask(shift())
		}
		gone := rapid.IntRange(0, len(texts)-1).Draw(t, "gone")
		all, less := ask(texts), ask(slices.Delete(slices.Clone(texts), gone, gone+1))
		if less.Call && !all.Call || less.Unattended && !all.Unattended {
			t.Fatalf("without p%d got %+v, want no more than %+v", gone, less, all)
		}
	})
}
