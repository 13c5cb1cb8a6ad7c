package telemetry

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
)

func TestKeysThatLookSecretAre(t *testing.T) {
	for _, tt := range []struct {
		key          string
		text, number bool // whether a text, a number under it is hidden
	}{
		{"token", true, false},
		{"input_tokens", true, false}, // a count of words
		{"gen_ai.usage.output_tokens", true, false},
		{"password", true, true},
		{"Password", true, true},
		{"userPassword2", true, true},
		{"db_passwd", true, true},
		{"Authorization", true, true},
		{"http.request.header.authorization", true, true},
		{"cookie", true, true},
		{"Set-Cookie", true, true},
		{"setCookie", true, true},
		{"secret", true, true},
		{"client_secret", true, true},
		{"GAVEL_BLOB_SECRET_KEY", true, true},
		{"GAVEL_PAYLOAD_KEYS", true, false},
		{"key", true, false},
		{"api_key", true, true},
		{"apiKey", true, true},
		{"apikey", true, true},
		{"x-api-key", true, true},
		{"idempotency_key", true, false},
		{"otp", true, true},
		{"pin", true, true},
		{"session", true, true},
		{"email", true, true},
		{"user_email", true, true},
		{"phone", true, true},

		{"key_id", false, false},
		{"payload_key_id", false, false},
		{"keyboard", false, false},
		{"pass", false, false}, // a gate pass
		{"signal", false, false},
		{"spinning", false, false},
		{"author", false, false},
		{"case", false, false},
		{"trace_id", false, false},
		{"request_id", false, false},
		{"org", false, false},
		{"address", false, false},
		{"", false, false},
	} {
		if got := secretKey(tt.key, isText); got != tt.text {
			t.Errorf("text under %q: got hidden %t, want %t", tt.key, got, tt.text)
		}
		if got := secretKey(tt.key, isNumber); got != tt.number {
			t.Errorf("number under %q: got hidden %t, want %t", tt.key, got, tt.number)
		}
	}
}

// shapes are the ways secrets stand in running text; %s is the secret.
var shapes = []string{
	"Bearer %s",
	"bearer  %s,",
	"Authorization: Bearer %s",
	`"authorization":"Basic %s"`,
	"map[Authorization:[Basic %s] Accept:[*/*]]",
	"Cookie: theme=dark; gavel_dev=%s; lang=hi",
	"set-cookie: sid=%s; HttpOnly",
	"session_cookie=%s",
	"gvdev.north.officer.%s",
	"/login?t=gvdev.north.officer.%s&next=/",
	"eyJhbGciOiJIUzI1NiJ9.%s.sig",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.%s",
	"postgres://gavel_app:%s@127.0.0.1:5432/gavel",
	"postgres://gavel_app:p/%s#@127.0.0.1:5432/gavel",
	"https://%s@host/path",
	"host=db user=gavel password=%s sslmode=disable",
	"password='%s with spaces'",
	`password="%s"`,
	`{"password": "%s"}`,
	`{\"client_secret\":\"%s\"}`,
	"{User:x Password:%s}",
	"GAVEL_PAYLOAD_KEYS=k1:%s",
	"api_key=%s",
	"api-key: %s",
	"apiKey=%s",
	"?X-Amz-Signature=%s&x=1",
	"?sig=%s",
	"/callback?code=%s&state=1",
	"encryptionKey:=%s",
	"pin=%s",
	"%s@example.org",
	"mailto:%s@mail.example.co.in?subject=x",
	"first.%s+tag@example.org",
	"?user=%s%%40example.org",
	"<%s@xn--h2brj9c.xn--p1ai>",
	"-----BEGIN RSA PRIVATE KEY-----\n%s\n-----END RSA PRIVATE KEY-----",
	"-----BEGIN PRIVATE KEY-----\nMII\n%s",
}

func plant(shape, secret string) string {
	return strings.ReplaceAll(strings.ReplaceAll(shape, "%s", secret), "%%", "%")
}

func TestSecretsAreTakenOutOfText(t *testing.T) {
	const secret = "hunter2hunter2"
	for _, shape := range shapes {
		for _, around := range []string{"%s", "dial: %s: refused", "(%s)", "[%s]", "a\n%s\nb", "x=%s"} {
			text := strings.ReplaceAll(around, "%s", plant(shape, secret))
			if got := maskText(text); strings.Contains(got, secret) {
				t.Errorf("%q came out as %q", text, got)
			}
		}
	}
}

func TestHarmlessTextIsLeftAlone(t *testing.T) {
	for _, text := range []string{
		"",
		"case_01J9ZC5V3E opened by dev:officer@north",
		"pass GP-2026-0001: scanned out at gate 2",
		"signal: terminated",
		"author: nobody",
		"listening on http://127.0.0.1:8080/cases/case_01?page=2",
		"GET /cases/{id}: 200 in 12 ms",
		"duplicate key value violates unique constraint \"case_key\"",
		"rpc error: code = Unavailable desc = connection refused",
		"/src/mod/github.com/jackc/pgx/v5@v5.11.0/conn.go:12",
		"128.9 Mt CO₂-e, 3 % more; दिल्ली",
		"sha256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	} {
		if got := maskText(text); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}

func TestWhatSurroundsASecretStays(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"connect to postgres://app:pw@db:5432/gavel: refused", "connect to postgres://[masked]@db:5432/gavel: refused"},
		{"host=db password=pw sslmode=disable", "host=db password=[masked] sslmode=disable"},
		{"got Bearer abc, want none", "got Bearer [masked], want none"},
		{"mail to a@b.org bounced", "mail to [masked] bounced"},
	} {
		if got := maskText(tt.text); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestTextIsBounded(t *testing.T) {
	if got := maskText(strings.Repeat("x", maxLookedAt+1)); got != "[65537 bytes not shown]" {
		t.Errorf("got %.80q", got)
	}
	long := maskText(strings.Repeat("é", maxShown)) // two bytes each
	if len(long) > maxShown+40 || !strings.HasSuffix(long, "é… [16384 bytes more]") {
		t.Errorf("got %d bytes ending in %q", len(long), long[len(long)-30:])
	}
	// A secret across the cut is masked before it is cut.
	split := strings.Repeat("x", maxShown-10) + " someone@example.org"
	if got := maskText(split); strings.Contains(got, "someone") {
		t.Errorf("got ending %q", got[len(got)-40:])
	}
}

func TestHostileTextDoesNotStallTheLog(t *testing.T) {
	for _, piece := range []string{"a@", "@a.", "password=", `password="\`, "://:", "-----BEGIN PRIVATE KEY-----", "eyJ.", "%40", "key_"} {
		text := strings.Repeat(piece, maxLookedAt/len(piece))
		began := time.Now()
		maskText(text)
		wait.Within(t, fmt.Sprintf("%d bytes of %q", len(text), piece), time.Since(began), 2*time.Second)
	}
}

func FuzzMaskText(f *testing.F) {
	f.Add("", "")
	f.Add("password=", "\"")
	f.Add(`token="x`, "@example.org")
	f.Add("-----BEGIN PRIVATE KEY-----", "-----END")
	f.Fuzz(func(t *testing.T, before, after string) {
		const secret = "Zq7Zq7Zq7Zq7"
		if strings.Contains(before+after, secret[:4]) || len(before)+len(after) > 4<<10 {
			return
		}
		for _, shape := range shapes {
			text := before + "\n" + plant(shape, secret) + "\n" + after
			if got := maskText(text); strings.Contains(got, secret) {
				t.Errorf("%q came out as %q", text, got)
			}
		}
	})
}
