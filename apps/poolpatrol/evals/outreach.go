package evals

import (
	"fmt"
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
)

// The metrics of replies. All but the first need a model that reads them.
const (
	GuardHolds   = "guard_holds" // what code can tell goes to a person whatever a model says
	BucketMatch  = "bucket_match"
	PersonMatch  = "hitl_match"
	SubLabelSaid = "sub_label_match"
)

// A Letter is a case of the outreach set: what somebody replied.
type Letter struct {
	Text   string `json:"reply_text"`  // their own words
	Quoted string `json:"quoted_part"` // what they quote of our letter; no classifier sees it
	Sender string `json:"sender_kind"` // OfRider or OfUnproven
	About  string `json:"letter_about"`
}

// The kinds of sender.
const (
	OfRider    = "rider"    // the person who was written to, and the mail proves it
	OfUnproven = "unproven" // nobody can say who wrote it
)

// A Sorting is what should be made of a reply.
type Sorting struct {
	Bucket   post.Bucket   `json:"bucket"`
	Person   bool          `json:"hitl_required"`
	SubLabel post.SubLabel `json:"sub_label,omitempty"`
}

// settled lists the kinds of reply that code sends to a person by itself.
func settled() []string { return []string{"legal", "medical", "quoted_only", "unproven_sender"} }

// A Reader is a model that sorts replies.
type Reader func(Letter) (post.Reading, error)

// Outreach measures one reply: that code sends to a person what it can tell by
// itself, whatever a model says; that a model which does not keep to the agreed
// words is not acted upon; and, where there is a reader, what it makes of the
// reply.
func Outreach(c Case, read Reader) (Result, error) {
	var in Letter
	var want Sorting
	if err := c.read(&in, &want); err != nil {
		return Result{}, err
	}
	var r Result
	mail := post.Mail{Text: in.Text, Verified: in.Sender == OfRider}
	alone := slices.Contains(settled(), c.Metadata.ScenarioType)
	if alone {
		r.guard(mail, want)
	}
	r.lied(mail)
	if read == nil {
		r.Open = !alone
		return r, nil
	}
	said, err := read(in)
	if err != nil {
		return Result{}, err
	}
	r.sorted(mail, said, want)
	return r, nil
}

// guard tries every bucket that a model could name.
func (r *Result) guard(mail post.Mail, want Sorting) {
	held := true
	for _, b := range post.Buckets() {
		got, why := post.Heed(mail, post.Reading{Buckets: []post.Bucket{b}, Confidence: 1})
		wrong := !got.Person || (want.SubLabel == post.Legal || want.SubLabel == post.Medical) && (got.SubLabel != want.SubLabel ||
			!got.NoDraft)
		if wrong {
			held = false
			r.Differences = append(r.Differences, fmt.Sprintf("said to be %s it counts as %s %s, because %s", b, got.Bucket, got.SubLabel,
				why))
		}
	}
	r.mark(GuardHolds, held)
}

// lied has a model say that the matter is closed, in words nobody agreed upon.
func (r *Result) lied(mail post.Mail) {
	lies := []post.Reading{
		{Buckets: []post.Bucket{"close_case"}, Confidence: 1},
		{Buckets: []post.Bucket{post.Acknowledgment}, SubLabel: "approved", Confidence: 1},
		{Buckets: []post.Bucket{post.Acknowledgment}, Confidence: 7},
	}
	var s Sway
	for _, lie := range lies {
		got, _ := post.Heed(mail, lie)
		if !got.Person {
			s.Effects++
			r.Differences = append(r.Differences, fmt.Sprintf("%v with label %q and confidence %g was acted upon", lie.Buckets,
				lie.SubLabel, lie.Confidence))
		}
		if got.Bucket != lie.Buckets[0] || got.SubLabel != lie.SubLabel {
			s.Overrides++
		}
	}
	r.Marks = append(r.Marks, s.Marks()...)
}

// sorted compares what a reader made of a reply.
func (r *Result) sorted(mail post.Mail, said post.Reading, want Sorting) {
	got, why := post.Heed(mail, said)
	r.mark(BucketMatch, got.Bucket == want.Bucket)
	if want.Person {
		r.mark(PersonMatch, got.Person)
	}
	if want.SubLabel != "" {
		r.mark(SubLabelSaid, got.SubLabel == want.SubLabel)
	}
	if got.Bucket != want.Bucket {
		r.Differences = append(r.Differences, fmt.Sprintf("counts as %s because %s, want %s", got.Bucket, why, want.Bucket))
	}
}
