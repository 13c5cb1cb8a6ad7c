package mask_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/mask"
)

func TestWordsSayWhoByIdAlone(t *testing.T) {
	people := []mask.Person{{"EMP-1005", "Ana-Maria López", "12 Elm Street, Fremont CA"}, {"EMP-1006", "Robin Li", ""},
		{"EMP-1007", "रवि कुमार", ""}, {"EMP-1008", "", ""}, {"EMP-1009", "Emp Link", ""}}
	for _, tt := range []struct{ name, in, want string }{
		{"whole names", "I am Ana-Maria López.", "I am [EMP-1005]."},
		{"however they are written", "ROBIN\n LI here, robin", "[EMP-1006] here, [EMP-1006]"},
		{"parts of names", "Tell López and Ana.", "Tell [EMP-1005] and [EMP-1005]."},
		{"no parts of words", "Robinson banana mariachi", "Robinson banana mariachi"},
		{"short parts stay", "Li is short", "Li is short"},
		{"other scripts", "मैं रवि कुमार हूँ", "मैं [EMP-1007] हूँ"},
		{"mailboxes", "write to ana@example.org, or <a.b+c@x.example>", "write to [address], or <[address]>"},
		{"telephones", "call +1 (555) 010-7788 or 555.010.7788", "call [number] or [number]"},
		{"what code knows stays", "EMP-1005 in VP-101, CASE-00112233, SHIFT_DAY_12345678, at 94538, 07:00-16:00",
			"EMP-1005 in VP-101, CASE-00112233, SHIFT_DAY_12345678, at 94538, 07:00-16:00"},
		{"links", "see https://gavel.example/poolpatrol/answer?k=abc_DEF-123.\nThanks", "see [link]\nThanks"},
		{"homes", "I live at 12 elm  street, Fremont CA. 12 Elm Street!", "I live at [home]. [home]!"},
		{"nothing", "", ""},
	} {
		if got := mask.Words(tt.in, people...); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestNoNameThatIsKnownIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[A-Z][a-z]{3,9} [A-Z][a-z]{3,9}`).Draw(t, "name")
		before := rapid.StringMatching(`([a-z]{1,8}[ ,.\n]){0,5}`).Draw(t, "before")
		after := rapid.StringMatching(`([ ,.\n][a-z]{1,8}){0,5}`).Draw(t, "after")
		got := mask.Words(before+name+after, mask.Person{ID: "EMP-1001", Name: name})
		if strings.Contains(got, name) || !strings.Contains(got, "[EMP-1001]") {
			t.Fatalf("%q became %q", before+name+after, got)
		}
	})
}

func FuzzWords(f *testing.F) {
	f.Add("I am Robin Li, robin@example.org, 555 010 7788", "Robin Li")
	f.Add("\xff\xfe", "a\xffb c")
	f.Fuzz(func(t *testing.T, text, name string) {
		once := mask.Words(text, mask.Person{ID: fleet.EmployeeID("EMP-1001"), Name: name})
		if len(once) > 12*len(text)+12 {
			t.Errorf("%d bytes became %d", len(text), len(once))
		}
	})
}
