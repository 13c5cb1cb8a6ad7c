// Package token is what a pass's QR says: GP1.payload.signature, signed with Ed25519, so that a gate that holds
// only public keys can check it with no network. It names the pass and says nothing about the person.
//
// What a token says is true and may be old: a pass can be revoked, extended or made returnable after it was printed. So a token
// that verifies opens nothing by itself: it is held against the list that the gate has (package offline), or the server.
package token

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/envelope"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// kind is the first part of every token, with the version of its form.
const kind envelope.Kind = "GP1"

// mostPayload bounds a payload. One has about ninety bytes, which is a QR of version 10 at level M.
const mostPayload = 128

// mostVersion bounds how often a token may be made anew.
const mostVersion = 9_999

// A Token is what a QR says.
type Token struct {
	Org        string        // the organisation's Tag
	Pass       number.Number // a name, not a secret
	Version    int           // of the token: a revocation names the last one that is dead
	From       time.Time     // in whole seconds
	Until      time.Time
	Returnable bool
	Key        string // the KeyID of who signed it
}

// wire is the payload; its order is the order of its bytes.
type wire struct {
	Org        string `json:"t"`
	Number     string `json:"n"`
	Version    int    `json:"v"`
	From       int64  `json:"nb"`
	Until      int64  `json:"ex"`
	Returnable int    `json:"r"`
	Key        string `json:"k"`
}

var (
	small    = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
	tagForm  = regexp.MustCompile(`^[a-z2-7]{8}$`)
	keyForm  = regexp.MustCompile(`^[a-z2-7]{4}$`)
	lastTime = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
)

// Tag is an organisation in eight letters, for a token to be known as another's without a network.
func Tag(org identity.Org) string {
	sum := sha256.Sum256([]byte("gatepass org " + string(org)))
	return small.EncodeToString(sum[:5])
}

// KeyID is what tokens call a public key. It finds the key and proves nothing.
func KeyID(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return small.EncodeToString(sum[:3])[:4]
}

// Mint signs a token. Its key's id is filled in.
func Mint(t Token, key ed25519.PrivateKey) (string, error) {
	t.Key = KeyID(ed25519.PublicKey(key[ed25519.SeedSize:]))
	w := t.wire()
	if err := w.check(); err != nil {
		return "", err
	}
	payload, err := json.Marshal(w)
	if err != nil {
		return "", fault.From(fault.Internal, err, "write token of %s", t.Pass)
	}
	return envelope.Seal(kind, payload, key), nil
}

// Keys are the public keys of an organisation by their ids.
type Keys map[string]ed25519.PublicKey

// NewKeys is a ring of keys. Two that have one id, which chance allows, are refused: whoever makes keys makes another.
func NewKeys(all ...ed25519.PublicKey) (Keys, error) {
	ring := Keys{}
	for _, k := range all {
		id := KeyID(k)
		if len(k) != ed25519.PublicKeySize || ring[id] != nil {
			return nil, fault.New(fault.Invalid, "key %s is no key, or is there twice", id)
		}
		ring[id] = k
	}
	return ring, nil
}

// The codes of what is wrong with a token.
const (
	Malformed  = "malformed"
	UnknownKey = "unknown_key"
	Forged     = "forged"
)

// Verify reads a token and believes it if one of the keys signed it. It does not look at the clock.
func (k Keys) Verify(text string) (Token, error) {
	sealed, err := envelope.Open(kind, text, mostPayload)
	if err != nil {
		return Token{}, err
	}
	w, err := parse(sealed.Payload)
	if err != nil {
		return Token{}, err
	}
	key, known := k[w.Key]
	switch {
	case !known:
		return Token{}, fault.New(fault.Refused, "the code of %s is signed with a key that is not known here", w.Number).
			On("code", UnknownKey, "")
	case !sealed.SignedBy(key):
		return Token{}, fault.New(fault.Refused, "the code of %s was not made by us", w.Number).On("code", Forged, "")
	}
	return w.token(), nil
}

// parse reads a payload. Only the one way to write it is taken, so that a pass has one code.
func parse(payload []byte) (wire, error) {
	bad := fault.New(fault.Invalid, "this is not a whole pass code").On("code", Malformed, "")
	var w wire
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	if d.Decode(&w) != nil || w.check() != nil {
		return wire{}, bad
	}
	if again, err := json.Marshal(w); err != nil || !bytes.Equal(again, payload) {
		return wire{}, bad
	}
	return w, nil
}

func (w wire) check() error {
	_, err := number.Parse(w.Number)
	inTime := w.From > 0 && w.From < w.Until && w.Until < lastTime
	if err != nil || !tagForm.MatchString(w.Org) || !keyForm.MatchString(w.Key) || w.Version < 1 || w.Version > mostVersion ||
		!inTime || w.Returnable>>1 != 0 {
		return fault.New(fault.Invalid, "a token of %.20q cannot be made of this", w.Number)
	}
	return nil
}

func (t Token) wire() wire {
	w := wire{t.Org, string(t.Pass), t.Version, t.From.Unix(), t.Until.Unix(), 0, t.Key}
	if t.Returnable {
		w.Returnable = 1
	}
	return w
}

func (w wire) token() Token {
	return Token{Org: w.Org, Pass: number.Number(w.Number), Version: w.Version,
		From: time.Unix(w.From, 0).UTC(), Until: time.Unix(w.Until, 0).UTC(), Returnable: w.Returnable == 1, Key: w.Key}
}

// Revoked is, by pass, the last version of its token that is dead.
type Revoked map[number.Number]int

// Dead reports whether a token was revoked.
func (r Revoked) Dead(t Token) bool {
	last, revoked := r[t.Pass]
	return revoked && t.Version <= last
}

// A Scan is what somebody held before a camera, or typed: a token, or the plain number of an old print, or a short code.
// The last two are names; only a server may go by them.
type Scan struct {
	Token  string
	Number number.Number
	Code   number.Code
}

// Read says what was scanned. Spaces around it are no part of it.
func Read(text string) (Scan, error) {
	text = strings.TrimSpace(text)
	if envelope.Looks(kind, text) {
		_, err := envelope.Open(kind, text, mostPayload)
		return Scan{Token: text}, err
	}
	if len(text) <= 64 {
		if found := number.Find(text); len(found) == 1 {
			return Scan{Number: found[0]}, nil
		}
		if code, err := number.ParseCode(text); err == nil {
			return Scan{Code: code}, nil
		}
	}
	return Scan{}, fault.New(fault.Invalid, "this is no pass").On("code", Malformed, "")
}
