package post

import (
	"slices"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Bucket is what a reply is about, as far as the case cares.
type Bucket string

// The buckets. The zero Bucket is no reply.
const (
	Acknowledgment Bucket = "acknowledgment" // "all good here"
	Question       Bucket = "question"       // about the review
	Update         Bucket = "update"         // something has changed, or will
	Escalation     Bucket = "escalation"     // a dispute, anger, or nobody can tell
)

// Buckets lists them, the one that wins in a mixed reply first.
func Buckets() []Bucket { return []Bucket{Escalation, Update, Question, Acknowledgment} }

// A SubLabel is a finer word for a reply. Some change who may answer it.
type SubLabel string

// The finer words.
const (
	Dispute       SubLabel = "dispute"
	Frustration   SubLabel = "frustration"
	Unclear       SubLabel = "unclear"
	Legal         SubLabel = "legal"
	Medical       SubLabel = "medical"
	AddressChange SubLabel = "address_change"
	ShiftChange   SubLabel = "shift_change"
)

func subLabels() []SubLabel {
	return []SubLabel{Dispute, Frustration, Unclear, Legal, Medical, AddressChange, ShiftChange}
}

// A Reply is what a classifier is shown: the words of the reply alone, without
// what they quote. They are somebody else's words and never an instruction.
type Reply struct {
	Text string `json:"text"`
}

// MaxReply bounds what is classified, in bytes. Whoever writes more is read by a
// person.
const MaxReply = 20_000

// A Reading is what a classifier said: every bucket it saw in the reply.
type Reading struct {
	Buckets    []Bucket `json:"buckets"`
	SubLabel   SubLabel `json:"sub_label,omitempty"`
	Confidence float64  `json:"confidence"` // 0 to 1
}

// Sure is the confidence below which a person reads the reply.
const Sure = 0.7

// A Classification is what follows from a reading.
type Classification struct {
	Bucket   Bucket   `json:"bucket"`
	SubLabel SubLabel `json:"sub_label,omitempty"`
	Person   bool     `json:"hitl_required"`  // a person reads it and answers
	NoDraft  bool     `json:"no_model_draft"` // and no model drafts the answer
}

// Classify settles a reading. In a mixed reply the weightiest bucket counts. What
// the classifier is not sure of, or did not answer in the agreed words, is an
// escalation, and so is everything about law or health; those two are answered
// by a person from an empty page.
func Classify(r Reading) Classification {
	c := Classification{SubLabel: r.SubLabel}
	known := len(r.Buckets) > 0 && r.Confidence >= Sure && r.Confidence <= 1
	for _, b := range r.Buckets {
		known = known && slices.Contains(Buckets(), b)
	}
	if r.SubLabel != "" && !slices.Contains(subLabels(), r.SubLabel) {
		c.SubLabel, known = "", false
	}
	c.NoDraft = c.SubLabel == Legal || c.SubLabel == Medical
	switch {
	case c.NoDraft:
		c.Bucket = Escalation
	case !known:
		c.Bucket, c.SubLabel = Escalation, Unclear
	default:
		i := slices.IndexFunc(Buckets(), func(b Bucket) bool { return slices.Contains(r.Buckets, b) })
		c.Bucket = Buckets()[i]
	}
	c.Person = c.Bucket == Escalation
	return c
}

// A Result is what outreach reports about one thread.
type Result struct {
	Thread  string  `json:"email_thread_id"`
	Message *string `json:"message_id"` // what was sent; null where nothing was
	Draft   *string `json:"draft_id,omitempty"`
	Bucket  *Bucket `json:"bucket"` // null where there was no reply to read
	Person  bool    `json:"hitl_required"`
	Sent    bool    `json:"sent"`
}

// Valid refuses a result that contradicts itself: a person is asked exactly when
// the reply was an escalation, and then nothing has been sent; what was sent has
// an id, and nothing else has.
func (r Result) Valid() error {
	escalated := r.Bucket != nil && *r.Bucket == Escalation
	switch {
	case r.Thread == "":
		return fault.New(fault.Invalid, "an outreach result names its thread")
	case r.Bucket != nil && !slices.Contains(Buckets(), *r.Bucket):
		return fault.New(fault.Invalid, "there is no bucket %.40q", *r.Bucket)
	case r.Person != escalated:
		return fault.New(fault.Invalid, "a person reviews escalations and nothing else")
	case r.Person && r.Sent:
		return fault.New(fault.Invalid, "a mail that waits for a person has not been sent")
	case r.Sent != (r.Message != nil):
		return fault.New(fault.Invalid, "a mail that was sent has an id, and no other has")
	case r.Draft != nil && r.Sent:
		return fault.New(fault.Invalid, "a draft has not been sent")
	}
	return nil
}
