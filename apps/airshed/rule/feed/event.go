package feed

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// An Arrival is a new object in a bucket, as a notice tells of it. A notice is a
// reason to look, and proof of nothing: the object itself is read and checked.
type Arrival struct {
	Bucket  string
	Key     string
	ETag    string    // without quotes; empty where the notice has none
	Version string    // empty where the bucket keeps none
	Size    int64     // bytes; -1 where the notice does not say
	At      time.Time // zero where the notice does not say
}

// Notices are what one message held.
type Notices struct {
	Arrivals []Arrival
	Others   int  // notices of something else: a deletion, a copy of tags
	Test     bool // the server only tried whether anybody listens
}

// Bounds of one message.
const (
	MaxNotice   = 1 << 20
	maxNotices  = 1000
	maxWrapping = 4   // a notice in a topic's message in a queue's message in a batch
	maxBucket   = 255 // older buckets have longer names than newer ones may
	maxObject   = 1024
	maxTag      = 200
)

// plainSender ends the name under which versitygw sends, as webhook-global. It
// gives keys as they are, where Amazon's service and others escape them: its notice
// of the key "a+b%41" was seen to say "a+b%41".
const plainSender = "-global"

// message is all forms at once: the server's own (Records), the event bus's
// (detail), the queue's (Messages, or Records with a body) and the topic's
// (Message).
type message struct {
	Records  []record        `json:"Records"`
	Messages []record        `json:"Messages"`
	Source   string          `json:"source"`
	Kind     string          `json:"detail-type"`
	Time     string          `json:"time"`
	Detail   *objectNotice   `json:"detail"`
	Type     string          `json:"Type"`
	Message  string          `json:"Message"`
	Event    string          `json:"Event"`
	Service  json.RawMessage `json:"Service"`
}

// record is a notice of the server's, or a queue's message with one inside. Names
// are matched whatever their case, so that body and Body are one.
type record struct {
	Name string        `json:"eventName"`
	Time string        `json:"eventTime"`
	S3   *objectNotice `json:"s3"`
	Body *string       `json:"body"`
}

type objectNotice struct {
	Sender string `json:"configurationId"`
	Bucket struct {
		Name string `json:"name"`
	} `json:"bucket"`
	Object struct {
		Key      string `json:"key"`
		Size     *int64 `json:"size"`
		ETag     string `json:"etag"` // and eTag
		Version  string `json:"versionId"`
		Version2 string `json:"version-id"`
	} `json:"object"`
}

// ParseNotices reads a message that tells of objects in a bucket: as an S3 server
// posts it to a web address, as an event bus passes it on, or as a queue holds it,
// with a topic in between or without.
func ParseNotices(body []byte) (Notices, error) {
	if len(body) > MaxNotice {
		return Notices{}, fault.New(fault.TooLarge, "a notice has more than %d kB", MaxNotice>>10)
	}
	var out Notices
	if err := out.take(body, 0); err != nil {
		return Notices{}, err
	}
	return out, nil
}

func (n *Notices) take(body []byte, depth int) error {
	if depth == maxWrapping {
		return fault.New(fault.Invalid, "a notice is wrapped more than %d times", maxWrapping-1)
	}
	var m message
	if err := decode(body, MaxNotice, "the notice", &m); err != nil {
		return err
	}
	switch {
	case m.Records != nil || m.Messages != nil:
		for _, r := range append(m.Records, m.Messages...) {
			if err := n.record(r, depth); err != nil {
				return err
			}
		}
		return nil
	case m.Detail != nil && m.Source == "aws.s3":
		// The event bus gives keys as they are; the service itself escapes them.
		return n.add(m.Kind == "Object Created", *m.Detail, m.Detail.Object.Key, m.Time)
	case m.Type == "Notification" && m.Message != "":
		return n.take([]byte(m.Message), depth+1)
	case m.Event == "s3:TestEvent" && m.Service != nil:
		n.Test = true
		return nil
	}
	return fault.New(fault.Invalid, "the message is no notice of an object in a bucket")
}

func (n *Notices) record(r record, depth int) error {
	switch {
	case r.Body != nil:
		return n.take([]byte(*r.Body), depth+1)
	case r.S3 == nil:
		return fault.New(fault.Invalid, "a notice says nothing of an object")
	}
	key := r.S3.Object.Key
	if !strings.HasSuffix(r.S3.Sender, plainSender) {
		var err error
		if key, err = url.QueryUnescape(key); err != nil {
			return fault.New(fault.Invalid, "the key in a notice is not escaped as it should be")
		}
	}
	return n.add(strings.HasPrefix(strings.TrimPrefix(r.Name, "s3:"), "ObjectCreated:"), *r.S3, key, r.Time)
}

// add keeps an arrival and counts everything else.
func (n *Notices) add(created bool, of objectNotice, key, at string) error {
	if len(n.Arrivals)+n.Others == maxNotices {
		return fault.New(fault.TooLarge, "a message holds more than %d notices", maxNotices)
	}
	if !created {
		n.Others++
		return nil
	}
	a := Arrival{Bucket: of.Bucket.Name, Key: key, ETag: strings.Trim(of.Object.ETag, `"`), Version: of.Object.Version, Size: -1,
		At: moment(at)}
	if a.Version == "" {
		a.Version = of.Object.Version2
	}
	if s := of.Object.Size; s != nil && *s >= 0 {
		a.Size = *s
	}
	if a.Bucket == "" || len(a.Bucket) > maxBucket || strings.ContainsFunc(a.Bucket, oddInBucket) {
		return fault.New(fault.Invalid, "a notice names no bucket, or one that cannot be")
	}
	if err := CheckKey(a.Key); err != nil {
		return err
	}
	if name(a.ETag) != a.ETag || len(a.ETag) > maxTag || name(a.Version) != a.Version || len(a.Version) > maxTag {
		return fault.New(fault.Invalid, "a notice has a tag or a version that cannot be")
	}
	n.Arrivals = append(n.Arrivals, a)
	return nil
}

func oddInBucket(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '.' || r == '-' || r == '_')
}

// CheckKey refuses a key that would lead out of its folder where the lake is one,
// or that would break a line of a log.
func CheckKey(key string) error {
	bad := key == "" || len(key) > maxObject || !utf8.ValidString(key) ||
		strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' })
	for part := range strings.SplitSeq(key, "/") {
		bad = bad || part == "" || part == "." || part == ".."
	}
	if bad {
		return fault.New(fault.Invalid,
			"the key of an object is a path of 1 to %d bytes. Empty parts, dots alone, backslashes and control characters are refused",
			maxObject)
	}
	return nil
}
