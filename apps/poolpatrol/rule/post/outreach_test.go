package post_test

import (
	"regexp"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
)

// TestAnOutreachResultKeepsItsContract promises, of any letters and replies, what programs
// rely on: no bucket exactly where nobody had replied; a person exactly where it is an
// escalation; where a person answers nothing was sent; no message exactly where nothing was.
func TestAnOutreachResultKeepsItsContract(t *testing.T) {
	form := regexp.MustCompile(`^THREAD-[0-9A-F]{8}$`)
	rapid.Check(t, func(t *rapid.T) {
		at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		who := rapid.SampledFrom([]fleet.EmployeeID{"EMP-1001", "EMP-1002"})
		var letters []post.Written
		var replies []post.Heard
		for i := range rapid.IntRange(0, 12).Draw(t, "happenings") {
			at = at.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "hours")) * time.Hour)
			if rapid.Bool().Draw(t, "is a letter") {
				letters = append(letters, post.Written{Employee: who.Draw(t, "to"), Kind: rapid.SampledFrom(post.Kinds()).Draw(t, "kind"),
					Message: "MSG-0000000" + string(rune('0'+i%10)), At: at})
			} else {
				bucket := rapid.SampledFrom(post.Buckets()).Draw(t, "bucket")
				replies = append(replies, post.Heard{Employee: who.Draw(t, "from"), Bucket: bucket, At: at})
			}
		}
		all := post.Outreach("CASE-00000001", letters, replies)
		heard := 0
		for _, r := range all {
			if r.Bucket != nil {
				heard++
				if r.Person != (*r.Bucket == post.Escalation) || r.Person == r.Sent {
					t.Fatalf("a reply came to %+v", r)
				}
			}
			if r.Bucket == nil && (r.Person || !r.Sent) || (r.Message == nil) != !r.Sent || !form.MatchString(r.Thread) {
				t.Fatalf("got %+v", r)
			}
		}
		if heard != len(replies) {
			t.Fatalf("%d of %d replies have a result", heard, len(replies))
		}
	})
}

// TestAReplyThatWasAnsweredNamesItsLetter promises that the letter an answer went out with is
// that of its own turn.
func TestAReplyThatWasAnsweredNamesItsLetter(t *testing.T) {
	at := func(h int) time.Time { return time.Date(2026, 3, 2, h, 0, 0, 0, time.UTC) }
	got := post.Outreach("CASE-A3F8B291", []post.Written{{"EMP-1001", post.First, "MSG-00000001", at(1)},
		{"EMP-1001", post.Portal, "MSG-00000002", at(3)}, {"EMP-1001", post.Draft, "MSG-00000003", at(5)}},
		[]post.Heard{{"EMP-1001", post.Update, at(2)}, {"EMP-1001", post.Escalation, at(4)}})
	if len(got) != 3 || *got[0].Message != "MSG-00000001" || *got[1].Message != "MSG-00000002" || *got[1].Bucket != post.Update ||
		!got[1].Sent || got[2].Sent || !got[2].Person || got[2].Thread != got[0].Thread {
		t.Errorf("got %+v", got)
	}
	if post.ThreadOf("CASE-A3F8B291", "EMP-1001") == post.ThreadOf("CASE-A3F8B291", "EMP-1002") {
		t.Error("two people on a case have one thread")
	}
}
