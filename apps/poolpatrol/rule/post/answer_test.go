package post_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestTwoAnswersAreOneBucket holds what each pair of answers means, without and with
// words beside them.
func TestTwoAnswersAreOneBucket(t *testing.T) {
	for _, tt := range []struct {
		held        post.Held
		wish        post.Wish
		bare, words post.Bucket
	}{
		{post.HeldRight, post.WishKeep, post.Acknowledgment, post.Escalation},
		{post.HeldChanged, post.WishKeep, post.Update, post.Escalation},
		{post.HeldUnsure, post.WishKeep, post.Question, post.Escalation},
		{post.HeldRight, post.WishLeft, post.Escalation, post.Escalation},
		{post.HeldChanged, post.WishLeft, post.Escalation, post.Escalation},
		{post.HeldUnsure, post.WishLeft, post.Escalation, post.Escalation},
		{post.HeldRight, post.WishTalk, post.Escalation, post.Escalation},
		{post.HeldChanged, post.WishTalk, post.Escalation, post.Escalation},
		{post.HeldUnsure, post.WishTalk, post.Escalation, post.Escalation},
		{"", "", post.Escalation, post.Escalation},
	} {
		if got := (post.Said{Held: tt.held, Wish: tt.wish}).Bucket(); got != tt.bare {
			t.Errorf("%s, %s: got %s, want %s", tt.held, tt.wish, got, tt.bare)
		}
		if got := (post.Said{Held: tt.held, Wish: tt.wish, Text: "I was ill."}).Bucket(); got != tt.words {
			t.Errorf("%s, %s and words: got %s, want %s", tt.held, tt.wish, got, tt.words)
		}
	}
}

// TestWordsAreNotReadByCode promises that what somebody writes changes nothing but
// that they wrote.
func TestWordsAreNotReadByCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := post.Said{Held: rapid.SampledFrom(post.Helds()).Draw(t, "held"), Wish: rapid.SampledFrom(post.Wishes()).Draw(t, "wish"),
			Text: "x"}
		other := s
		other.Text = rapid.StringN(1, 60, -1).Draw(t, "text")
		if got, want := other.Bucket(), s.Bucket(); got != want {
			t.Errorf("%q makes it %s instead of %s", other.Text, got, want)
		}
	})
}

func TestAnAnswerIsChecked(t *testing.T) {
	good := post.Said{Held: post.HeldRight, Wish: post.WishKeep}
	for _, tt := range []struct {
		name string
		bad  func(*post.Said)
		want fault.Kind
	}{
		{"no first answer", func(s *post.Said) { s.Held = "" }, fault.Invalid},
		{"another first answer", func(s *post.Said) { s.Held = "maybe" }, fault.Invalid},
		{"no second answer", func(s *post.Said) { s.Wish = "" }, fault.Invalid},
		{"too many words", func(s *post.Said) { s.Text = strings.Repeat("ü", post.MaxSaid+1) }, fault.TooLarge},
		{"a null", func(s *post.Said) { s.Text = "a\x00b" }, fault.Invalid},
		{"broken text", func(s *post.Said) { s.Text = "a\xffb" }, fault.Invalid},
	} {
		s := good
		tt.bad(&s)
		if _, err := s.Check(); fault.KindOf(err) != tt.want {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
	good.Text = "  two\r\nlines \n"
	got, err := good.Check()
	if err != nil || got.Text != "two\nlines" {
		t.Errorf("got %q, %v", got.Text, err)
	}
	if !slices.Contains(post.Buckets(), got.Bucket()) {
		t.Errorf("%s is no bucket", got.Bucket())
	}
}
