package token_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/token"
	"github.com/gavelhq/gavel/platform/fault"
)

var update = flag.Bool("update", false, "write the golden vectors anew")

var (
	from  = time.Date(2026, 11, 18, 4, 0, 0, 0, time.UTC)
	until = time.Date(2026, 11, 18, 18, 29, 59, 0, time.UTC)
)

func key(b byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
}

func public(k ed25519.PrivateKey) ed25519.PublicKey { return ed25519.PublicKey(k[32:]) }

func ring(t testing.TB, all ...byte) token.Keys {
	t.Helper()
	var keys []ed25519.PublicKey
	for _, b := range all {
		keys = append(keys, public(key(b)))
	}
	k, err := token.NewKeys(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func some() token.Token {
	return token.Token{Org: token.Tag("north-commission"), Pass: "GP-2026-0001", Version: 1, From: from, Until: until, Returnable: true}
}

func mint(t testing.TB, tok token.Token, k byte) string {
	t.Helper()
	text, err := token.Mint(tok, key(k))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A vector is one token, as every program that reads them must.
type vector struct {
	Name    string `json:"name"`
	Public  string `json:"public_key"`
	Text    string `json:"text"`
	Payload string `json:"payload"`
	Verdict string `json:"verdict"` // ok, or the code of what is wrong
}

// TestTokensAreThoseOfTheVectors promises the very bytes, for the program at the gate, which is written in another language.
func TestTokensAreThoseOfTheVectors(t *testing.T) {
	const file = "testdata/vectors.json"
	made := vectors(t)
	if *update {
		text, err := json.MarshalIndent(made, "", "  ")
		if err == nil {
			err = os.WriteFile(file, append(text, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var golden []vector
	if err := json.Unmarshal(text, &golden); err != nil || len(golden) != len(made) {
		t.Fatalf("%d vectors, %v", len(golden), err)
	}
	for i, v := range golden {
		if v != made[i] {
			t.Errorf("%s: got %+v, want %+v", v.Name, made[i], v)
		}
		k, err := hex.DecodeString(v.Public)
		if err != nil {
			t.Fatal(err)
		}
		if got := verdict(token.Keys{token.KeyID(k): k}, v.Text); got != v.Verdict {
			t.Errorf("%s: got %s, want %s", v.Name, got, v.Verdict)
		}
	}
}

func verdict(k token.Keys, text string) string {
	_, err := k.Verify(text)
	if err == nil {
		return "ok"
	}
	at, _ := fault.PlaceOf(err)
	return at.Code
}

func vectors(t *testing.T) []vector {
	longest := token.Token{Org: token.Tag("n2"), Pass: "GP-2026-999999", Version: 9999, From: from, Until: until}
	good := mint(t, some(), 1)
	parts := strings.Split(good, ".")
	flipped := []byte(parts[2])
	flipped[10] ^= 1
	other := strings.Split(mint(t, some(), 2), ".")
	renamed, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	renamed = bytes.Replace(renamed, []byte("GP-2026-0001"), []byte("GP-2026-0002"), 1)
	var all []vector
	for _, v := range []vector{
		{Name: "a pass", Text: good, Verdict: "ok"},
		{Name: "the longest", Text: mint(t, longest, 1), Verdict: "ok"},
		{Name: "another key", Text: strings.Join(other, "."), Verdict: "unknown_key"},
		{Name: "another number under the same signature", Text: "GP1." + base64.RawURLEncoding.EncodeToString(renamed) + "." + parts[2],
			Verdict: "forged"},
		{Name: "one bit of the signature", Text: parts[0] + "." + parts[1] + "." + string(flipped), Verdict: "forged"},
		{Name: "cut off", Text: good[:len(good)-1], Verdict: "malformed"},
		{Name: "a plain number", Text: "GP-2026-0001", Verdict: "malformed"},
	} {
		v.Public = hex.EncodeToString(public(key(1)))
		if p := strings.Split(v.Text, "."); len(p) == 3 {
			payload, err := base64.RawURLEncoding.DecodeString(p[1])
			if err != nil {
				t.Fatal(err)
			}
			v.Payload = string(payload)
		}
		all = append(all, v)
	}
	return all
}

// TestATokenSaysWhatItWasMadeOf promises that everything comes back, and that an ordinary one fits a QR of version 10 at level M.
func TestATokenSaysWhatItWasMadeOf(t *testing.T) {
	keys := ring(t, 1, 2)
	rapid.Check(t, func(t *rapid.T) {
		want := some()
		want.Version = rapid.IntRange(1, 9999).Draw(t, "version")
		want.Returnable = rapid.Bool().Draw(t, "returnable")
		want.Until = want.From.Add(time.Duration(rapid.Int64Range(1, 1e8).Draw(t, "seconds")) * time.Second)
		by := rapid.SampledFrom([]byte{1, 2}).Draw(t, "key")
		text, err := token.Mint(want, key(by))
		if err != nil {
			t.Fatal(err)
		}
		want.Key = token.KeyID(public(key(by)))
		if got, err := keys.Verify(text); err != nil || got != want {
			t.Fatalf("got %+v, %v, want %+v", got, err, want)
		}
	})
	const version10M = 213 // bytes
	if n := len(mint(t, some(), 1)); n > version10M {
		t.Errorf("an ordinary token has %d characters", n)
	}
}

// TestATokenOfNonsenseIsNotMade promises that no token is signed that would not be read.
func TestATokenOfNonsenseIsNotMade(t *testing.T) {
	for name, change := range map[string]func(*token.Token){
		"no number":      func(tok *token.Token) { tok.Pass = "" },
		"no org":         func(tok *token.Token) { tok.Org = "north" },
		"version zero":   func(tok *token.Token) { tok.Version = 0 },
		"no time":        func(tok *token.Token) { tok.From = time.Time{} },
		"over at once":   func(tok *token.Token) { tok.Until = tok.From },
		"until for ever": func(tok *token.Token) { tok.Until = time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC) },
	} {
		tok := some()
		change(&tok)
		if text, err := token.Mint(tok, key(1)); err == nil {
			t.Errorf("%s: %s was made", name, text)
		}
	}
}

// TestOnlyOneTextIsAToken promises that a payload that says the same in other bytes is none, even under a good signature.
func TestOnlyOneTextIsAToken(t *testing.T) {
	good := strings.Split(mint(t, some(), 1), ".")
	payload, err := base64.RawURLEncoding.DecodeString(good[1])
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]string{
		"a space":          strings.Replace(string(payload), ",", ", ", 1),
		"another order":    strings.Replace(string(payload), `"v":1,`, "", 1)[:len(payload)-7] + `,"v":1}`,
		"a field more":     strings.Replace(string(payload), `{`, `{"x":1,`, 1),
		"a field twice":    strings.Replace(string(payload), `"v":1`, `"v":1,"v":1`, 1),
		"r is two":         strings.Replace(string(payload), `"r":1`, `"r":2`, 1),
		"r is negative":    strings.Replace(string(payload), `"r":1`, `"r":-1`, 1),
		"something behind": string(payload) + "{}",
		"no object":        `[]`,
		"null":             `null`,
	} {
		text := "GP1." + base64.RawURLEncoding.EncodeToString([]byte(other))
		text += "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(key(1), []byte(text)))
		if got := verdict(ring(t, 1), text); got != token.Malformed {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// TestARevocationKillsThatVersionAndThoseBefore promises that a pass whose code was made anew is alive.
func TestARevocationKillsThatVersionAndThoseBefore(t *testing.T) {
	dead := token.Revoked{"GP-2026-0001": 2}
	for version, want := range map[int]bool{1: true, 2: true, 3: false} {
		tok := some()
		tok.Version = version
		if got := dead.Dead(tok); got != want {
			t.Errorf("version %d: got %v", version, got)
		}
	}
	tok := some()
	tok.Pass = "GP-2026-0002"
	if dead.Dead(tok) || (token.Revoked)(nil).Dead(tok) {
		t.Error("what nobody revoked is dead")
	}
}

// TestAnOldPrintIsANameAndNoToken promises what each kind of code is read as.
func TestAnOldPrintIsANameAndNoToken(t *testing.T) {
	good := mint(t, some(), 1)
	for text, want := range map[string]token.Scan{
		good:                        {Token: good},
		" " + good + "\n":           {Token: good},
		"GP-2026-0001":              {Number: "GP-2026-0001"},
		"gp 2026 1":                 {Number: "GP-2026-0001"},
		"abc-234":                   {Code: "ABC234"},
		"https://x.example/":        {},
		"GP1.x.y":                   {},
		"":                          {},
		"GP-2026-0001 GP-2026-0002": {},
		strings.Repeat("9", 5000):   {},
	} {
		got, err := token.Read(text)
		if want == (token.Scan{}) {
			if err == nil {
				t.Errorf("%.40q was read as %+v", text, got)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%.40q: got %+v, %v", text, got, err)
		}
	}
}

// TestKeysAreToldApart promises that a ring never holds two keys under one id, nor what is none.
func TestKeysAreToldApart(t *testing.T) {
	a := public(key(1))
	if _, err := token.NewKeys(a, a); err == nil {
		t.Error("one key twice")
	}
	if _, err := token.NewKeys(a[:31]); err == nil {
		t.Error("half a key")
	}
	if token.Tag("north") == token.Tag("south") || len(token.Tag("north")) != 8 {
		t.Error("two organisations have one tag")
	}
}

// FuzzVerify promises that nothing is believed that we did not sign, whatever is held before the camera.
func FuzzVerify(f *testing.F) {
	text, err := token.Mint(some(), key(1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	payload := []byte(`{"t":"abcdefgh","n":"GP-2026-0001","v":1,"nb":1,"ex":2,"r":0,"k":"abcd"}`)
	f.Add("GP1." + base64.RawURLEncoding.EncodeToString(payload) + "." + strings.Repeat("A", 86))
	keys := ring(f, 1)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := keys.Verify(text)
		if err == nil {
			if again, err := token.Mint(got, key(1)); err != nil || again != text {
				t.Errorf("%q was believed", text)
			}
		}
		if s, err := token.Read(text); err == nil && s == (token.Scan{}) {
			t.Errorf("%q was read as nothing", text)
		}
	})
}
