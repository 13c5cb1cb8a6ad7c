// Package webhook signs what is sent to other people's servers, so that they can
// tell that it came from here, is whole, and is not an old one sent again. The form
// is that of Standard Webhooks, for which most languages have a library.
//
// A message has an id, a time and a body; the signature covers all three, over the
// bytes as they are sent. While a secret is being changed, messages carry a
// signature by each, so that the other side can take the new one whenever it
// likes within the window.
package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// The headers of a message.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

const (
	// Tolerance is how far a message's time may lie from the receiver's clock.
	Tolerance = 5 * time.Minute
	// RotationWindow is how long the old secret still signs after a new one was
	// made.
	RotationWindow = 24 * time.Hour

	prefix     = "whsec_"
	minKey     = 24 // bytes
	maxKey     = 64
	newKey     = 32
	maxHeader  = 4 << 10
	maxSecrets = 10
)

// A Secret is what both sides know. Its text is "whsec_" and base64; it is shown
// once, and kept sealed.
type Secret struct{ key []byte }

// NewSecret makes one.
func NewSecret() Secret {
	key := make([]byte, newKey)
	_, _ = rand.Read(key) // documented never to fail
	return Secret{key}
}

// ParseSecret reads a secret's text.
func ParseSecret(text string) (Secret, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, prefix))
	if err != nil || !strings.HasPrefix(text, prefix) || len(key) < minKey || len(key) > maxKey {
		return Secret{}, fault.New(fault.Invalid, "a webhook's secret is %s and the base64 of %d to %d bytes", prefix, minKey, maxKey)
	}
	return Secret{key}, nil
}

// Reveal is the secret's text.
func (s Secret) Reveal() string { return prefix + base64.StdEncoding.EncodeToString(s.key) }

// String hides the secret, so that it reaches no log.
func (s Secret) String() string { return prefix + "…" }

// A Key is a secret and how long it signs.
type Key struct {
	Secret Secret
	Until  time.Time // zero: until it is changed
}

// Keys are the secrets of one receiver, the newest first.
type Keys []Key

// Rotate puts a new secret first. The ones before it sign for a window more.
func (k Keys) Rotate(next Secret, now time.Time) Keys {
	all := Keys{{Secret: next}}
	for _, old := range k.at(now) {
		if end := now.Add(RotationWindow); old.Until.IsZero() || old.Until.After(end) {
			old.Until = end
		}
		all = append(all, old)
	}
	return all[:min(len(all), maxSecrets)]
}

// at are the keys that sign at a moment.
func (k Keys) at(now time.Time) Keys {
	return slices.DeleteFunc(slices.Clone(k), func(one Key) bool { return !one.Until.IsZero() && !now.Before(one.Until) })
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,119}$`)

// Sign is the headers that a message is sent with: one signature for each key that
// signs now, with a space between. The id is the message's own: the same one when
// it is sent again, so that the other side can tell. No dot may be in it, for the
// signature joins id, time and body with dots.
func (k Keys) Sign(id string, now time.Time, body []byte) (http.Header, error) {
	if !idForm.MatchString(id) {
		return nil, fault.New(fault.Internal, "a webhook's id is 1 to 120 letters, digits, _ and -, not %.60q", id)
	}
	live := k.at(now)
	if len(live) == 0 {
		return nil, fault.New(fault.Internal, "no secret signs webhooks to this receiver any more")
	}
	stamp := strconv.FormatInt(now.Unix(), 10)
	var all []string
	for _, one := range live {
		all = append(all, "v1,"+base64.StdEncoding.EncodeToString(one.Secret.sum(id, stamp, body)))
	}
	h := http.Header{}
	h.Set(HeaderID, id)
	h.Set(HeaderTimestamp, stamp)
	h.Set(HeaderSignature, strings.Join(all, " "))
	return h, nil
}

func (s Secret) sum(id, stamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// Verify is what a receiver does, for ours and for tests: is one of the signatures
// by one of the keys, over exactly these bytes, and is the message of now? Faults:
// Invalid for headers that are none, Stale for another time, Refused for a
// signature that is not ours.
func (k Keys) Verify(h http.Header, body []byte, now time.Time) error {
	id, stamp, signed := h.Get(HeaderID), h.Get(HeaderTimestamp), h.Get(HeaderSignature)
	if !idForm.MatchString(id) || stamp == "" || signed == "" || len(signed) > maxHeader {
		return fault.New(fault.Invalid, "the message lacks the headers of a webhook")
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return fault.New(fault.Invalid, "the message's time is no number of seconds")
	}
	if away := now.Sub(time.Unix(seconds, 0)); away > Tolerance || away < -Tolerance {
		return fault.New(fault.Stale, "the message is of another time")
	}
	for _, one := range k.at(now) {
		want := one.Secret.sum(id, stamp, body)
		for sent := range strings.SplitSeq(signed, " ") {
			text, v1 := strings.CutPrefix(sent, "v1,")
			got, err := base64.StdEncoding.DecodeString(text)
			if v1 && err == nil && subtle.ConstantTimeCompare(got, want) == 1 {
				return nil
			}
		}
	}
	return fault.New(fault.Refused, "no signature of the message is by a secret of ours")
}
