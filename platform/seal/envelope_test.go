package seal

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

const (
	keyA KeyID = "key_01ARZ3NDEKTSV4RRFFQ69G5FAV"
	keyB KeyID = "key_01ARZ3NDEKTSV4RRFFQ69G5FAW"
)

func someAEAD(t rapid.TB) cipher.AEAD {
	t.Helper()
	aead, err := newAEAD(randomKey())
	if err != nil {
		t.Fatal(err)
	}
	return aead
}

var (
	anyPlain   = rapid.SliceOfN(rapid.Byte(), 0, 300)
	anyBinding = rapid.Custom(func(t *rapid.T) binding {
		return binding{
			org:     identity.Org(rapid.SampledFrom([]string{"north", "south", "no"}).Draw(t, "org")),
			purpose: rapid.SampledFrom([]string{"mail", "transcript", "rth", "south"}).Draw(t, "purpose"),
		}
	})
)

func TestWhatIsEnclosedComesBack(t *testing.T) {
	aead := someAEAD(t)
	rapid.Check(t, func(t *rapid.T) {
		plain, b := anyPlain.Draw(t, "plain"), anyBinding.Draw(t, "binding")
		made := enclose(aead, b, keyA, plain)
		e, err := ParseEnvelope(made.Bytes())
		if err != nil || e.Key() != keyA || e.Digest() != blob.Sum(made.Bytes()) ||
			e.Part() != (Part{Ciphertext: e.Digest(), Key: string(keyA)}) {
			t.Fatalf("parsed %v, %v", e, err)
		}
		if got, err := disclose(aead, b, e); err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("got %q, %v; want %q", got, err, plain)
		}
		if len(plain) >= 8 && bytes.Contains(made.Bytes(), plain) {
			t.Fatal("the plaintext can be read in the envelope")
		}
		if sum := blob.Sum(plain); bytes.Contains(made.Bytes(), sum[:]) {
			t.Fatal("the plaintext's digest can be read in the envelope: content could be guessed after an erasure")
		}
	})
}

func TestAnAlteredEnvelopeDoesNotOpen(t *testing.T) {
	aead := someAEAD(t)
	rapid.Check(t, func(t *rapid.T) {
		b := anyBinding.Draw(t, "binding")
		raw := bytes.Clone(enclose(aead, b, keyA, anyPlain.Draw(t, "plain")).Bytes())
		switch rapid.SampledFrom([]string{"flip", "cut", "add"}).Draw(t, "how") {
		case "flip":
			raw[rapid.IntRange(0, len(raw)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case "cut":
			raw = raw[:rapid.IntRange(0, len(raw)-1).Draw(t, "length")]
		case "add":
			raw = append(raw, rapid.Byte().Draw(t, "more"))
		}
		e, err := ParseEnvelope(raw)
		if err == nil {
			_, err = disclose(aead, b, e)
		}
		if err == nil || !errors.Is(err, ErrTampered) && !fault.Is(err, fault.Invalid) {
			t.Fatalf("got %v, want it refused", err)
		}
	})
}

func TestAnEnvelopeOpensOnlyAsWhatItWasSealedAs(t *testing.T) {
	aead := someAEAD(t)
	rapid.Check(t, func(t *rapid.T) {
		sealed, opened := anyBinding.Draw(t, "sealed"), anyBinding.Draw(t, "opened")
		e := enclose(aead, sealed, keyA, []byte("she was at home"))
		_, err := disclose(aead, opened, e)
		if (err == nil) != (sealed == opened) {
			t.Fatalf("sealed as %v, opened as %v: %v", sealed, opened, err)
		}
		e.key = keyB
		if _, err := disclose(aead, sealed, e); !errors.Is(err, ErrTampered) {
			t.Fatalf("under another key's name: got %v", err)
		}
		if _, err := disclose(someAEAD(t), sealed, enclose(aead, sealed, keyA, nil)); !errors.Is(err, ErrTampered) {
			t.Fatalf("under another key: got %v", err)
		}
	})
}

func TestLengthDoesNotTellYesFromNo(t *testing.T) {
	aead := someAEAD(t)
	b := binding{"north", "reply"}
	yes, no := enclose(aead, b, keyA, []byte("yes")), enclose(aead, b, keyA, []byte("certainly not"))
	if len(yes.Bytes()) != len(no.Bytes()) {
		t.Errorf("%d and %d bytes", len(yes.Bytes()), len(no.Bytes()))
	}
	if bytes.Equal(yes.Bytes(), enclose(aead, b, keyA, []byte("yes")).Bytes()) {
		t.Error("the same words sealed twice look the same")
	}
}

func TestBytesThatAreNoEnvelopeAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "raw")
		if rapid.Bool().Draw(t, "begins well") {
			raw = append([]byte(magic), raw...)
		}
		if e, err := ParseEnvelope(raw); err == nil || !fault.Is(err, fault.Invalid) {
			t.Fatalf("got %v, %v", e, err)
		}
	})
	if _, err := ParseEnvelope(make([]byte, maxEnvelope+1)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("over the bound: got %v", err)
	}
}

// TestOneKeyForExactlyThesePeople promises that the key depends on who is
// concerned, whatever their order, and on nothing else; or on the conversation.
func TestOneKeyForExactlyThesePeople(t *testing.T) {
	a, b, c := Subject{"rider", "A"}, Subject{"rider", "B"}, Subject{"employee", "A"}
	owner := func(conversation string, who ...Subject) string {
		return Matter{Subjects: who, Conversation: conversation, Purpose: "mail"}.owner()
	}
	same := [][2]string{
		{owner("", a), "rider:A"}, {owner("", a, a), "rider:A"}, {owner("", a, b), owner("", b, a, b)},
		{owner("run_1", a), "conversation:run_1"}, {owner("run_1", b, c), "conversation:run_1"},
	}
	for i, pair := range same {
		if pair[0] != pair[1] {
			t.Errorf("%d: got %s, want %s", i, pair[0], pair[1])
		}
	}
	different := []string{owner("", a), owner("", b), owner("", c), owner("", a, b), owner("", a, c), owner("", b, c), owner("", a, b, c),
		owner("A", a)}
	for i, x := range different {
		for _, y := range different[:i] {
			if x == y {
				t.Errorf("two sets of people share the key of %s", x)
			}
		}
	}
}

func TestAnIDThatTellsWhoThePersonIsIsRefused(t *testing.T) {
	for _, tt := range []struct {
		written string
		ok      bool
	}{
		{"rider:R-7", true}, {"employee:01K7Z8", true}, {"pass_holder:urn:x:17", true}, {"rider:100234", true},
		{"rider:asha@example.org", false}, {"rider:Asha Rao", false}, {"rider:9876543210", false}, {"rider:98765-43210", false},
		{"rider:1234.5678.9012", false}, {"rider:", false}, {"rider", false}, {"Rider:R-7", false},
		{"case:case_01", false}, {"set:aa", false}, {"conversation:run_1", false}, {"rider:" + strings.Repeat("x", 121), false},
	} {
		s, err := ParseSubject(tt.written)
		if (err == nil) != tt.ok || tt.ok && s.String() != tt.written {
			t.Errorf("%s: got %v, %v", tt.written, s, err)
		}
		if _, id, _ := strings.Cut(tt.written, ":"); err != nil && len(id) > 8 && strings.Contains(err.Error(), id) {
			t.Errorf("%s: the refusal quotes it: %v", tt.written, err)
		}
	}
}
