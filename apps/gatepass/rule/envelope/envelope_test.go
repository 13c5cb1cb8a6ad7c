package envelope_test

import (
	"bytes"
	"crypto/ed25519"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/envelope"
)

func key(b byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
}

func public(k ed25519.PrivateKey) ed25519.PublicKey { return ed25519.PublicKey(k[32:]) }

// TestExactlyWhatWasSignedVerifies promises that no other byte, kind or key does.
func TestExactlyWhatWasSignedVerifies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload := rapid.SliceOfN(rapid.Byte(), 1, 60).Draw(t, "payload")
		text := envelope.Seal("GP1", payload, key(1))
		s, err := envelope.Open("GP1", text, 60)
		if err != nil || !bytes.Equal(s.Payload, payload) || !s.SignedBy(public(key(1))) {
			t.Fatalf("got %v, %v", s, err)
		}
		if s.SignedBy(public(key(2))) || s.SignedBy(nil) || s.SignedBy(public(key(1))[:31]) {
			t.Fatal("another key verifies it")
		}
		i := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		c := rapid.SampledFrom([]byte("ABCxyz019-_.=\n ")).Draw(t, "byte")
		changed := text[:i] + string(c) + text[i+1:]
		if c == text[i] {
			return
		}
		if s, err := envelope.Open("GP1", changed, 60); err == nil && s.SignedBy(public(key(1))) {
			t.Fatalf("%q verifies, and %q was signed", changed, text)
		}
	})
}

// TestAnEnvelopeHasOneForm promises that nothing that differs by a letter is read as the same, and that nothing long is read at all.
func TestAnEnvelopeHasOneForm(t *testing.T) {
	good := envelope.Seal("GP1", []byte("payload"), key(1))
	body := strings.Split(good, ".")
	for name, text := range map[string]string{
		"empty":             "",
		"another kind":      "GE1" + good[3:],
		"no signature":      body[0] + "." + body[1],
		"an empty payload":  body[0] + ".." + body[2],
		"a part more":       good + ".x",
		"padding":           body[0] + "." + body[1] + "==." + body[2],
		"a line end":        body[0] + "." + body[1] + "\n." + body[2],
		"a line end behind": good + "\n",
		"standard base64":   body[0] + "." + body[1] + "." + strings.Replace(body[2], body[2][:1], "+", 1),
		"a short signature": good[:len(good)-2],
		"too long":          envelope.Seal("GP1", bytes.Repeat([]byte("x"), 61), key(1)),
	} {
		if s, err := envelope.Open("GP1", text, 60); err == nil {
			t.Errorf("%s was read as %q", name, s.Payload)
		}
	}
	if !envelope.Looks("GP1", good) || envelope.Looks("GP1", "GP-2026-0001") {
		t.Error("an envelope does not look like one, or a number does")
	}
}

// FuzzOpen promises that whatever is read is what sealing it again would say, but for the signature.
func FuzzOpen(f *testing.F) {
	f.Add(envelope.Seal("GP1", []byte(`{"t":"x"}`), key(1)))
	f.Add("GP1.AA.BB")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := envelope.Open("GP1", text, 200)
		if err != nil {
			return
		}
		again := envelope.Seal("GP1", s.Payload, key(1))
		if strings.Join(strings.Split(again, ".")[:2], ".") != strings.Join(strings.Split(text, ".")[:2], ".") {
			t.Errorf("%q has another form: %q", text, again)
		}
	})
}
