package durable_test

import (
	"bytes"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/durable"
)

func keys(t interface {
	Helper()
	Fatal(...any)
}, parts ...string) durable.Keys {
	t.Helper()
	k, err := durable.ParseKeys(strings.Join(parts, ","))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestPayloadsComeBackAsTheyWere(t *testing.T) {
	k := keys(t, durable.NewKey("a"))
	rapid.Check(t, func(t *rapid.T) {
		want := &commonpb.Payload{
			Metadata: map[string][]byte{"encoding": []byte("json/plain")},
			Data:     rapid.SliceOf(rapid.Byte()).Draw(t, "data"),
		}
		sealed, err := k.Encode([]*commonpb.Payload{want})
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Data) > 8 && bytes.Contains(sealed[0].Data, want.Data) {
			t.Fatal("the payload is readable")
		}
		got, err := k.Decode(sealed)
		if err != nil || !proto.Equal(got[0], want) {
			t.Fatalf("got %v, %v", got, err)
		}
	})
}

func TestKeysRotate(t *testing.T) {
	older, newer := durable.NewKey("k1"), durable.NewKey("k2")
	plain, _ := converter.GetDefaultDataConverter().ToPayload("case_01")
	before, err := keys(t, older).Encode([]*commonpb.Payload{plain})
	if err != nil {
		t.Fatal(err)
	}
	during := keys(t, newer, older)
	if got, err := during.Decode(before); err != nil || !proto.Equal(got[0], plain) {
		t.Errorf("an old payload after rotation: got %v, %v", got, err)
	}
	after, err := during.Encode([]*commonpb.Payload{plain})
	if err != nil {
		t.Fatal(err)
	}
	if id := string(after[0].Metadata["gavel-key"]); id != "k2" {
		t.Errorf("sealed under %q, want the first key", id)
	}
	if _, err := keys(t, newer).Decode(before); err == nil || !strings.Contains(err.Error(), "k1") {
		t.Errorf("a payload under a removed key: got %v, want its name", err)
	}
}

func TestATamperedPayloadIsRefused(t *testing.T) {
	k := keys(t, durable.NewKey("a"), durable.NewKey("b"))
	plain, _ := converter.GetDefaultDataConverter().ToPayload("case_01")
	for name, spoil := range map[string]func(*commonpb.Payload){
		"one bit":     func(p *commonpb.Payload) { p.Data[len(p.Data)-1] ^= 1 },
		"cut short":   func(p *commonpb.Payload) { p.Data = p.Data[:10] },
		"another key": func(p *commonpb.Payload) { p.Metadata["gavel-key"] = []byte("b") },
	} {
		sealed, err := k.Encode([]*commonpb.Payload{plain})
		if err != nil {
			t.Fatal(err)
		}
		spoil(sealed[0])
		if _, err := k.Decode(sealed); err == nil {
			t.Errorf("%s: was opened", name)
		}
	}
}

func TestBadKeysAreRefusedWithoutShowingThem(t *testing.T) {
	secret := "c2VjcmV0c2VjcmV0"
	for _, in := range []string{
		"", "noid", "A:" + secret, "a:" + secret, "a:not base64 " + secret,
		durable.NewKey("a") + "," + durable.NewKey("a"),
		strings.Repeat(durable.NewKey("a")+",", 20),
	} {
		if _, err := durable.ParseKeys(in); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%.20q: got %v", in, err)
		}
	}
	if _, err := (durable.Keys{}).Encode([]*commonpb.Payload{{}}); err == nil {
		t.Error("without a key, a payload went out unsealed")
	}
}
