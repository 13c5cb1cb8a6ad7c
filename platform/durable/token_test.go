package durable_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestASealedTextOpensForItsPurposeOnly promises that what leaves the
// installation comes back as it left or not at all: not changed by a bit, not
// for another purpose, not under a key that is gone, and still after a rotation.
func TestASealedTextOpensForItsPurposeOnly(t *testing.T) {
	first, second := durable.NewKey("k1"), durable.NewKey("k2")
	keys := func(s string) durable.Keys {
		k, err := durable.ParseKeys(s)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	old, rotated, other := keys(first), keys(second+","+first), keys(second)
	sealed, err := old.SealText("mcp", "P-7 of asha")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []durable.Keys{old, rotated} {
		if got, err := k.OpenText("mcp", sealed); err != nil || got != "P-7 of asha" {
			t.Errorf("got %q, %v, want what was sealed", got, err)
		}
	}
	again, err := old.SealText("mcp", "P-7 of asha")
	if err != nil || again == sealed {
		t.Errorf("the same text sealed twice is %q twice (%v)", again, err)
	}
	refuses := func(what string, k durable.Keys, purpose, text string) {
		t.Helper()
		if got, err := k.OpenText(purpose, text); !fault.Is(err, fault.Invalid) || got != "" {
			t.Errorf("%s: got %q, %v, want a refusal", what, got, err)
		}
	}
	refuses("another purpose", old, "cursor", sealed)
	refuses("a key that is gone", other, "mcp", sealed)
	refuses("no key named", old, "mcp", strings.TrimPrefix(sealed, "k1."))
	refuses("another key's name", rotated, "mcp", "k2"+strings.TrimPrefix(sealed, "k1"))
	refuses("nothing", old, "mcp", "")
	for i := len("k1."); i < len(sealed); i++ {
		letter := byte('A')
		if sealed[i] == letter {
			letter = 'B'
		}
		refuses("a changed letter", old, "mcp", sealed[:i]+string(letter)+sealed[i+1:])
	}
	if _, err := (durable.Keys{}).SealText("mcp", "x"); !fault.Is(err, fault.Internal) {
		t.Errorf("without a key: %v, want internal", err)
	}
}
