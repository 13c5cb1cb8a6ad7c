package filing

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/review"
)

// TestWhatWasWithdrawnIsNotSaidToBeSentBack: when an operator gives the run up that asked,
// nobody has answered, and the case says so.
func TestWhatWasWithdrawnIsNotSaidToBeSentBack(t *testing.T) {
	for state, want := range map[review.State]string{review.SentBack: "sent_back", review.Withdrawn: "withdrawn",
		review.Superseded: "sent_back"} {
		m := &matter{draft: &store.Draft{N: 1, JSON: "aa"}, requests: []request{{tool: toolSend, state: state, sha256: "aa"},
			{tool: toolSend, state: review.Withdrawn, sha256: "bb"}}}
		if text, status := m.waitsFor(); status != want || !strings.Contains(text, "Put it before people again") {
			t.Errorf("%s: %s, %q", state, status, text)
		}
	}
}
