package platform_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestWaitingForAJobEndsWithIt promises a command that waits each look at a job while it runs,
// the job as it ended, and the reason where it was not done.
func TestWaitingForAJobEndsWithIt(t *testing.T) {
	const running = `{"id":"A-1","state":"running"}`
	tired := errors.New("called off")
	for name, tt := range map[string]struct {
		looks []string
		said  int
		kind  fault.Kind
		words string
	}{
		"done at once": {[]string{`{"id":"A-1","state":"done"}`}, 0, 0, ""},
		"done in time": {[]string{running, running, `{"id":"A-1","state":"done","n":3}`}, 2, 0, ""},
		"refused": {[]string{running, `{"id":"A-1","state":"refused","reason":"rain"}`}, 1,
			fault.Conflict, "A-1 was refused: rain"},
		"cancelled": {[]string{`{"id":"A-1","state":"cancelled","reason":"asha called it off"}`}, 0,
			fault.Conflict, "A-1 was cancelled: asha called it off"},
		"no job": {[]string{`[]`}, 0, fault.Unavailable, "not as expected"},
	} {
		var asked []string
		term := platform.Terminal{
			Wait: func(context.Context) error { return nil },
			Call: func(_ context.Context, method, path string, _, out any) error {
				asked = append(asked, method+" "+path)
				return json.Unmarshal([]byte(tt.looks[len(asked)]), out)
			},
		}
		said := 0
		got, err := term.Await(t.Context(), "/v1/x", json.RawMessage(tt.looks[0]), func(string, json.RawMessage) { said++ })
		switch {
		case tt.words != "" && (!fault.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.words)),
			tt.words == "" && (err != nil || string(got) != tt.looks[len(tt.looks)-1]):
			t.Errorf("%s: got %s, %v", name, got, err)
		}
		elsewhere := slices.ContainsFunc(asked, func(a string) bool { return a != "GET /v1/x/A-1" })
		if said != tt.said || len(asked) != len(tt.looks)-1 || elsewhere {
			t.Errorf("%s: said %d times, asked %v", name, said, asked)
		}
	}
	term := platform.Terminal{Wait: func(context.Context) error { return tired }}
	_, err := term.Await(t.Context(), "/v1/x", json.RawMessage(running), func(string, json.RawMessage) {})
	if !errors.Is(err, tired) {
		t.Errorf("called off while waiting: %v", err)
	}
}
