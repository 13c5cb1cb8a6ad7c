package post_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
)

// TestTheWeightiestBucketCounts promises the order for mixed replies, and that
// doubt, law and health go to a person.
func TestTheWeightiestBucketCounts(t *testing.T) {
	all := []post.Bucket{post.Acknowledgment, post.Question, post.Update, post.Escalation}
	for _, tt := range []struct {
		name string
		in   post.Reading
		want post.Classification
	}{
		{"plain", post.Reading{Buckets: all[:1], Confidence: 0.9}, post.Classification{Bucket: post.Acknowledgment}},
		{"thanks and a question", post.Reading{Buckets: all[:2], Confidence: 0.9}, post.Classification{Bucket: post.Question}},
		{"a question and a change", post.Reading{Buckets: all[1:3], SubLabel: post.AddressChange, Confidence: 0.9},
			post.Classification{Bucket: post.Update, SubLabel: post.AddressChange}},
		{"everything", post.Reading{Buckets: all, SubLabel: post.Dispute, Confidence: 0.9},
			post.Classification{Bucket: post.Escalation, SubLabel: post.Dispute, Person: true}},
		{"just sure enough", post.Reading{Buckets: all[:1], Confidence: 0.7}, post.Classification{Bucket: post.Acknowledgment}},
		{"not sure enough", post.Reading{Buckets: all[:1], Confidence: 0.69}, post.Classification{Bucket: post.Escalation,
			SubLabel: post.Unclear, Person: true}},
		{"about law, in a friendly tone", post.Reading{Buckets: all[:1], SubLabel: post.Legal, Confidence: 0.9},
			post.Classification{Bucket: post.Escalation, SubLabel: post.Legal, Person: true, NoDraft: true}},
		{"about health, not sure", post.Reading{Buckets: all[:1], SubLabel: post.Medical, Confidence: 0.2},
			post.Classification{Bucket: post.Escalation, SubLabel: post.Medical, Person: true, NoDraft: true}},
		{"nothing", post.Reading{Confidence: 1}, post.Classification{Bucket: post.Escalation, SubLabel: post.Unclear, Person: true}},
		{"a bucket of its own making", post.Reading{Buckets: []post.Bucket{"approved"}, Confidence: 1},
			post.Classification{Bucket: post.Escalation, SubLabel: post.Unclear, Person: true}},
		{"a label of its own making", post.Reading{Buckets: all[:1], SubLabel: "close the case", Confidence: 1},
			post.Classification{Bucket: post.Escalation, SubLabel: post.Unclear, Person: true}},
		{"surer than possible", post.Reading{Buckets: all[:1], Confidence: 7}, post.Classification{Bucket: post.Escalation,
			SubLabel: post.Unclear, Person: true}},
	} {
		if got := post.Classify(tt.in); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestNoReadingIsActedOnUnsurely promises that whatever a classifier says, what
// comes out is a known bucket, and a person's whenever it is not sure.
func TestNoReadingIsActedOnUnsurely(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom([]post.Bucket{post.Acknowledgment, post.Question, post.Update, post.Escalation, "", "x"})
		r := post.Reading{Buckets: rapid.SliceOfN(words, 0, 5).Draw(t, "buckets"), Confidence: rapid.Float64().Draw(t, "sure"),
			SubLabel: rapid.SampledFrom([]post.SubLabel{"", post.Legal, post.Dispute, "y"}).Draw(t, "label")}
		c := post.Classify(r)
		if c.Person != (c.Bucket == post.Escalation) || (!(r.Confidence >= 0.7 && r.Confidence <= 1) && !c.Person) {
			t.Fatalf("%+v became %+v", r, c)
		}
	})
}

// TestAnOutreachResultCannotContradictItself promises the invariants of what
// outreach reports.
func TestAnOutreachResultCannotContradictItself(t *testing.T) {
	id := "MSG-12345678"
	bucket := func(b post.Bucket) *post.Bucket { return &b }
	for _, tt := range []struct {
		name string
		r    post.Result
		ok   bool
	}{
		{"first mail", post.Result{Thread: "T", Message: &id, Sent: true}, true},
		{"answered", post.Result{Thread: "T", Message: &id, Sent: true, Bucket: bucket(post.Update)}, true},
		{"draft for a person", post.Result{Thread: "T", Draft: &id, Bucket: bucket(post.Escalation), Person: true}, true},
		{"nothing to do", post.Result{Thread: "T"}, true},
		{"no thread", post.Result{Message: &id, Sent: true}, false},
		{"escalation without a person", post.Result{Thread: "T", Bucket: bucket(post.Escalation)}, false},
		{"a person without an escalation", post.Result{Thread: "T", Bucket: bucket(post.Question), Person: true}, false},
		{"sent though a person must look", post.Result{Thread: "T", Message: &id, Sent: true, Bucket: bucket(post.Escalation),
			Person: true}, false},
		{"sent without an id", post.Result{Thread: "T", Sent: true}, false},
		{"an id and not sent", post.Result{Thread: "T", Message: &id}, false},
		{"a draft that was sent", post.Result{Thread: "T", Message: &id, Draft: &id, Sent: true}, false},
		{"a bucket nobody knows", post.Result{Thread: "T", Bucket: bucket("spam")}, false},
	} {
		if err := tt.r.Valid(); (err == nil) != tt.ok {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}
