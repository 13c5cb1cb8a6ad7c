package durable_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
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

// of seals and opens as a client does for one workflow.
func of(k durable.Keys, workflow string) converter.DataConverter {
	return within(durable.Config{Keys: k, Namespace: "town"}, workflow)
}

func within(cfg durable.Config, workflow string) converter.DataConverter {
	return converter.WithDataConverterSerializationContext(durable.Converter(cfg),
		converter.WorkflowSerializationContext{Namespace: cfg.Namespace, WorkflowID: workflow})
}

func sealed(t *testing.T, dc converter.DataConverter, value any) *commonpb.Payload {
	t.Helper()
	p, err := dc.ToPayload(value)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// old seals as it was done before payloads were bound.
func old(t *testing.T, key string, value any) *commonpb.Payload {
	t.Helper()
	id, text, _ := strings.Cut(key, ":")
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := proto.Marshal(sealed(t, converter.GetDefaultDataConverter(), value))
	if err != nil {
		t.Fatal(err)
	}
	return &commonpb.Payload{
		Metadata: map[string][]byte{"encoding": []byte("binary/gavel-aes256gcm"), "gavel-key": []byte(id)},
		Data:     aead.Seal(nil, nil, plain, []byte(id)),
	}
}

func TestPayloadsComeBackAsTheyWere(t *testing.T) {
	dc := of(keys(t, durable.NewKey("a")), "one")
	rapid.Check(t, func(t *rapid.T) {
		want := &commonpb.Payload{
			Metadata: map[string][]byte{"encoding": []byte("json/plain")},
			Data:     rapid.SliceOf(rapid.Byte()).Draw(t, "data"),
		}
		p, err := dc.ToPayload(converter.NewRawValue(want))
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Data) > 8 && bytes.Contains(p.Data, want.Data) {
			t.Fatal("the payload is readable")
		}
		var got converter.RawValue
		if err := dc.FromPayload(p, &got); err != nil || !proto.Equal(got.Payload(), want) {
			t.Fatalf("got %v, %v", got, err)
		}
	})
}

func TestAPayloadIsOpenedOnlyWhereItBelongs(t *testing.T) {
	key := durable.NewKey("a")
	k := keys(t, key)
	here := durable.Config{Keys: k, Namespace: "town"}
	reading, abroad, shorter := here, here, here
	reading.ReadOld, abroad.Namespace, shorter.Namespace = true, "village", "to"
	plain := sealed(t, converter.GetDefaultDataConverter(), "word")
	for _, tt := range []struct {
		name  string
		p     *commonpb.Payload
		by    converter.DataConverter
		opens bool
	}{
		{"in its workflow", sealed(t, within(here, "one"), "word"), within(here, "one"), true},
		{"in its workflow, while old ones are read", sealed(t, within(here, "one"), "word"), within(reading, "one"), true},
		{"in another workflow", sealed(t, within(here, "one"), "word"), within(here, "other"), false},
		{"in another workflow, while old ones are read", sealed(t, within(here, "one"), "word"), within(reading, "other"), false},
		{"in another namespace", sealed(t, within(here, "one"), "word"), within(abroad, "one"), false},
		{"where a name was moved over", sealed(t, within(shorter, "wnone"), "word"), within(here, "one"), false},
		{"sealed for no workflow", sealed(t, durable.Converter(here), "word"), within(here, "one"), false},
		{"in no workflow", sealed(t, within(here, "one"), "word"), durable.Converter(here), false},
		{"an old one", old(t, key, "word"), within(here, "one"), false},
		{"an old one, while they are read", old(t, key, "word"), within(reading, "one"), true},
		{"a plain one", plain, within(here, "one"), false},
		{"a plain one, while old ones are read", plain, within(reading, "one"), false},
		{"in a replay", sealed(t, within(here, "one"), "word"), k.ReplayConverter(), true},
		{"an old one in a replay", old(t, key, "word"), k.ReplayConverter(), true},
		{"a plain one in a replay", plain, k.ReplayConverter(), false},
	} {
		var got string
		err := tt.by.FromPayload(tt.p, &got)
		if opens := err == nil && got == "word"; opens != tt.opens {
			t.Errorf("%s: got %q, %v", tt.name, got, err)
		}
	}
}

func TestABuildFromBeforePayloadsWereBoundReadsThem(t *testing.T) {
	key := durable.NewKey("a")
	p := sealed(t, of(keys(t, key), "one"), "word")
	// What that build does: the key by its id, the id as additional data.
	_, text, _ := strings.Cut(key, ":")
	raw, _ := base64.StdEncoding.DecodeString(text)
	block, _ := aes.NewCipher(raw)
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		t.Fatal(err)
	}
	if form := string(p.Metadata["encoding"]); form != "binary/gavel-aes256gcm" {
		t.Fatalf("it would not open a payload of form %s", form)
	}
	plain, err := aead.Open(nil, nil, p.Data, p.Metadata["gavel-key"])
	if err != nil {
		t.Fatal(err)
	}
	inner, got := &commonpb.Payload{}, ""
	if err := proto.Unmarshal(plain, inner); err != nil {
		t.Fatal(err)
	}
	if err := converter.GetDefaultDataConverter().FromPayload(inner, &got); err != nil || got != "word" {
		t.Errorf("it reads %q, %v", got, err)
	}
}

func TestMemosAreReadHoweverOldTheyAre(t *testing.T) {
	key := durable.NewKey("a")
	cfg := durable.Config{Keys: keys(t, key), Namespace: "town"}
	for name, tt := range map[string]struct {
		p     *commonpb.Payload
		reads bool
		bound bool
	}{
		"of this workflow":  {sealed(t, within(cfg, "one"), "word"), true, true},
		"an old one":        {old(t, key, "word"), true, false},
		"of another":        {sealed(t, within(cfg, "other"), "word"), false, false},
		"of nobody's words": {sealed(t, converter.GetDefaultDataConverter(), "word"), false, false},
	} {
		var got string
		if err := cfg.Memo("one", tt.p, &got); (err == nil) != tt.reads || tt.reads && got != "word" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
		if bound, err := cfg.Bound("one", tt.p); bound != tt.bound || (err == nil) != tt.reads {
			t.Errorf("%s: bound is %t, %v", name, bound, err)
		}
	}
}

func TestKeysRotate(t *testing.T) {
	older, newer := durable.NewKey("k1"), durable.NewKey("k2")
	before, during := sealed(t, of(keys(t, older), "one"), "case_01"), of(keys(t, newer, older), "one")
	var got string
	if err := during.FromPayload(before, &got); err != nil || got != "case_01" {
		t.Errorf("an old payload after rotation: got %v, %v", got, err)
	}
	if id := string(sealed(t, during, "case_01").Metadata["gavel-key"]); id != "k2" {
		t.Errorf("sealed under %q, want the first key", id)
	}
	if err := of(keys(t, newer), "one").FromPayload(before, &got); err == nil || !strings.Contains(err.Error(), "k1") {
		t.Errorf("a payload under a removed key: got %v, want its name", err)
	}
}

func TestATamperedPayloadIsRefused(t *testing.T) {
	dc := of(keys(t, durable.NewKey("a"), durable.NewKey("b")), "one")
	for name, spoil := range map[string]func(*commonpb.Payload){
		"one bit":      func(p *commonpb.Payload) { p.Data[len(p.Data)-1] ^= 1 },
		"cut short":    func(p *commonpb.Payload) { p.Data = p.Data[:10] },
		"another key":  func(p *commonpb.Payload) { p.Metadata["gavel-key"] = []byte("b") },
		"another form": func(p *commonpb.Payload) { p.Metadata["encoding"] = []byte("json/plain") },
		"no form":      func(p *commonpb.Payload) { p.Metadata = nil },
	} {
		p, got := sealed(t, dc, "case_01"), ""
		spoil(p)
		if err := dc.FromPayload(p, &got); err == nil {
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
	if _, err := of(durable.Keys{}, "one").ToPayload("case_01"); err == nil {
		t.Error("without a key, a payload went out unsealed")
	}
}
