package program

import (
	"strings"
	"testing"
)

// TestASlipOfTheHandIsAnsweredInWords promises that who mistypes a command, an argument
// or a flag is told what was probably meant or what is taken, in words of ours, and that
// who has never signed in is told how to.
func TestASlipOfTheHandIsAnsweredInWords(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"caes", []string{`unknown command "caes"`, "did you mean gavel case?", "gavel --help"}},
		{"case lst", []string{"did you mean gavel case list?"}},
		{"aprove", []string{"did you mean gavel approve?"}},
		{"xyzzy", []string{`unknown command "xyzzy"`, "next: gavel --help"}},
		{"verify", []string{"missing FILE: type gavel verify FILE"}},
		{"verify a b", []string{"too many arguments, 2 in all: type gavel verify FILE"}},
		{"approve", []string{"missing proposal id: type gavel approve <proposal>"}},
		{"webhook resend wh_1", []string{"missing message id: type gavel webhook resend <webhook> <message>"}},
		{"demo --speed x", []string{`--speed takes a number, and not "x"`}},
		{"inbox", []string{"GAVEL_TOKEN", "next: gavel login --server ADDRESS, or to try Gavel on this machine: gavel demo"}},
	} {
		got := setup{}.run(t, strings.Fields(tt.line)...)
		if got.code != 2 || strings.Contains(got.talk, "arg(s)") || strings.Contains(got.talk, "strconv") {
			t.Errorf("%s: code %d\n%s", tt.line, got.code, got.talk)
		}
		for _, want := range tt.want {
			if !strings.Contains(got.talk, want) {
				t.Errorf("%s: lacks %q\n%s", tt.line, want, got.talk)
			}
		}
	}
}
