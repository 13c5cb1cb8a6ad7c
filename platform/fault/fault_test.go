package fault_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
)

func TestEveryKindHasItsOwnCodeAndASentence(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range fault.Kinds() {
		if k.Code() == "" || seen[k.Code()] {
			t.Errorf("kind %d: code %q is empty or used twice", k, k.Code())
		}
		seen[k.Code()] = true
		if !strings.HasSuffix(k.Sentence(), ".") {
			t.Errorf("kind %s: sentence %q is not a sentence", k, k.Sentence())
		}
	}
}

func TestKindIsFoundThroughWrapping(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want fault.Kind
	}{
		{"a plain error is internal", errors.New("disk on fire"), fault.Internal},
		{"a fault", fault.New(fault.NotFound, "pass %s", "P-1"), fault.NotFound},
		{"a wrapped fault", fmt.Errorf("load: %w", fault.New(fault.Stale, "case")), fault.Stale},
		{"the outermost fault wins", fault.New(fault.Conflict, "open: %w", fault.New(fault.Stale, "case")), fault.Conflict},
	} {
		if got := fault.KindOf(tt.err); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	if fault.Is(nil, fault.Internal) {
		t.Error("a nil error is of no kind")
	}
}

func TestWordsNeverShowTheCause(t *testing.T) {
	secret := errors.New("password=hunter2")
	for _, err := range []error{
		secret,
		fmt.Errorf("dial: %w", secret),
		fault.From(fault.Unavailable, secret, "the engine does not answer"),
		fault.From(fault.Internal, secret, "connect with %s", "hunter2"),
	} {
		text, next := fault.Words(err)
		if strings.Contains(text+next, "hunter2") {
			t.Errorf("words %q %q show the cause of %v", text, next, err)
		}
		if !errors.Is(err, secret) {
			t.Errorf("the cause of %v is lost to logs", err)
		}
	}
}

func TestNextStepIsShown(t *testing.T) {
	err := fault.New(fault.Unavailable, "the engine does not answer").WithNext("run: gavel doctor")
	text, next := fault.Words(fmt.Errorf("open case: %w", err))
	if text != "the engine does not answer" || next != "run: gavel doctor" {
		t.Errorf("got %q, %q", text, next)
	}
}

// TestAReasonIsFoundThroughTheChain promises that who wraps an error loses nothing of why it
// happened, and that our own mistakes have no reason that people are told.
func TestAReasonIsFoundThroughTheChain(t *testing.T) {
	err := fmt.Errorf("decide: %w", fault.New(fault.Conflict, "P-1 has expired").Because("proposal_expired", "id", "P-1"))
	why, ok := fault.ReasonOf(err)
	if !ok || why.Code != "proposal_expired" || !slices.Equal(why.Places, []string{"id", "P-1"}) {
		t.Errorf("got %v, %v", why, ok)
	}
	for name, err := range map[string]error{
		"no code": fault.New(fault.Conflict, "late"), "internal": fault.New(fault.Internal, "x").Because("late"),
		"no fault": errors.New("x"), "nil": nil,
	} {
		if why, ok := fault.ReasonOf(err); ok {
			t.Errorf("%s: got %v", name, why)
		}
	}
}
