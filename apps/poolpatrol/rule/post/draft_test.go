package post_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
)

func TestADraftNamesNobodyElseAndLeadsNowhere(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		fit      bool
	}{
		{"plain words", "Thank you. We are looking into what you say about VP-101.", true},
		{"lines", "One.\r\n\r\nTwo, EMP-1005.", true},
		{"nothing", " \n ", false},
		{"too much", strings.Repeat("a", post.MaxDraft+1), false},
		{"another rider", "EMP-1006 has the same hours as you.", false},
		{"another rider, otherwise written", "Ask EMP 1006 or emp\u20111006.", false},
		{"one's own, otherwise written", "You, EMP 1005.", true},
		{"another van", "You could ride in vp-999.", false},
		{"a shift", "You are on SHIFT_NIGHT.", false},
		{"a link", "See https://evil.example/reset", false},
		{"a bare link", "See www.evil.example", false},
		{"an address", "Write to boss@evil.example instead.", false},
		{"what cannot be seen", "All is well.\u202etreiuq", false},
		{"a bell", "Ding\a", false},
	} {
		got, fit := post.Drafted(tt.in, "CASE-00000001", "VP-101", "EMP-1005")
		if fit != tt.fit || fit && strings.Contains(got, "\r") || !fit && got != "" {
			t.Errorf("%s: got %q, %v", tt.name, got, fit)
		}
	}
}
