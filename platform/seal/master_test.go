package seal

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
)

func mustMasters(t rapid.TB, parts ...string) Masters {
	t.Helper()
	m, err := ParseMasters(strings.Join(parts, ","))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAWrappedKeyUnwrapsOnlyWhereItBelongs(t *testing.T) {
	m := mustMasters(t, NewMaster("m2"), NewMaster("m1"))
	raw := randomKey()
	w := m.wrap(wrapping{org: "north", key: keyA, owner: "rider:R-7"}, raw)
	if got, err := m.unwrap(w); err != nil || string(got) != string(raw) || w.master != "m2" {
		t.Fatalf("under %s: %v", w.master, err)
	}
	for name, move := range map[string]func(*wrapping){
		"another organisation": func(w *wrapping) { w.org = "south" },
		"another key":          func(w *wrapping) { w.key = keyB },
		"another owner":        func(w *wrapping) { w.owner = "rider:R-8" },
		"another master":       func(w *wrapping) { w.master = "m1" },
		"one bit":              func(w *wrapping) { w.wrapped = append([]byte{w.wrapped[0] ^ 1}, w.wrapped[1:]...) },
		"cut short":            func(w *wrapping) { w.wrapped = w.wrapped[:20] },
	} {
		moved := w
		move(&moved)
		if _, err := m.unwrap(moved); !errors.Is(err, ErrTampered) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := mustMasters(t, NewMaster("m3")).unwrap(w); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "m2") {
		t.Errorf("without the master key: got %v, want its name", err)
	}
}

func TestNoFormOfPrintingShowsAMasterKey(t *testing.T) {
	text := NewMaster("m1")
	_, secret, _ := strings.Cut(text, ":")
	m := mustMasters(t, text)
	var logged strings.Builder
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "masters", m, "config", Config{Masters: m}, "vault", &Vault{masters: m})
	asJSON, err := json.Marshal(map[string]any{"masters": m})
	if err != nil {
		t.Fatal(err)
	}
	printed := ""
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{m, &m, m.ring, m.ring[0], &m.ring[0], Config{Masters: m}, &Vault{masters: m}} {
			printed += fmt.Sprintf(verb, value) + "\n"
		}
	}
	raw := mustDecode(t, secret)
	forms := []string{secret, strings.Trim(fmt.Sprint(raw), "[]"), fmt.Sprintf("%x", raw), strings.Trim(fmt.Sprintf("%#v", raw),
		"[]byte{}")}
	for how, got := range map[string]string{"fmt": printed, "slog": logged.String(), "JSON": string(asJSON)} {
		for _, form := range forms {
			if strings.Contains(got, form) {
				t.Errorf("%s shows the key: %s", how, got)
			}
		}
	}
	if m.String() != "master keys [m1]" {
		t.Errorf("got %s", m)
	}
}

func TestBadMasterKeysAreRefusedWithoutShowingThem(t *testing.T) {
	const secret = "c2VjcmV0c2VjcmV0"
	for _, in := range []string{
		"", "noid", "A:" + secret, "a:" + secret, "a:not base64 " + secret, ",",
		NewMaster("a") + "," + NewMaster("a"), strings.Repeat(NewMaster("a")+",", 20),
	} {
		if _, err := ParseMasters(in); !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), secret) {
			t.Errorf("%.20q: got %v", in, err)
		}
	}
}

func mustDecode(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
