package evidence

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestContentIsCalledWhatItLooksLike(t *testing.T) {
	for content, want := range map[string]string{
		"":                                "text/plain",
		"a,b\n1,2\n":                      "text/csv",
		"\xef\xbb\xbfa;b\r\n":             "text/csv",
		" {\"a\": 1}":                     "application/json",
		"[1,\n2]":                         "application/json",
		"{\"a\":1}\n{\"a\":2}\n":          "application/x-ndjson",
		"{\"a\":1}\n":                     "application/json",
		"{\n\"a\":1}":                     "application/json",
		"just words":                      "text/plain",
		"%PDF-1.7":                        "application/pdf",
		"<!DOCTYPE html><title>x</title>": "text/html",
		"\x1f\x8b\x08":                    "application/x-gzip",
		"\x00\x01":                        "application/octet-stream",
	} {
		if got := detect([]byte(content)); got != want {
			t.Errorf("%q: got %s, want %s", content, got, want)
		}
	}
}

func TestSecretsDoNotStayInAPlace(t *testing.T) {
	for _, tt := range []struct {
		place    string
		personal bool
		secrets  []string
		want     string
	}{
		{"https://example.org/a.csv?day=14&b", false, nil, "https://example.org/a.csv?day=14&b"},
		{"https://u:p@example.org/a#frag", false, nil, "https://example.org/a"},
		{"https://example.org/?MAP_KEY=abc&x-api-key=1&accessToken=2&X-Amz-Signature=3&monkey=4", false, nil,
			"https://example.org/?MAP_KEY=…&x-api-key=…&accessToken=…&X-Amz-Signature=…&monkey=4"},
		{"https://example.org/api/csv/s3cr%2Ft/VIIRS?q=s3cr%2Ft", false, []string{"s3cr/t"}, "https://example.org/api/csv/…/VIIRS?q=…"},
		{"https://mail.example.org/inbox/meera?x=1", true, nil, "https://mail.example.org"},
		{"meera.csv", true, nil, ""},
		{"stations 2026.csv", false, nil, "stations 2026.csv"},
		{"postgres://u:p@[bad/x", false, nil, "…@[bad/x"},
		{"", false, []string{""}, ""},
	} {
		if got := cleanPlace(tt.place, tt.personal, tt.secrets); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.place, got, tt.want)
		}
	}
}

func TestNoGivenSecretSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Z0-9+/=]{12,20}`).Draw(t, "secret")
		place := rapid.SampledFrom([]string{"https://h/%s/x", "https://h/x?q=%s", "https://%s@h/", "https://h/x#%s", "%s",
			"ftp://u:%s@h:9/%s?%s"}).Draw(t, "place")
		got := cleanPlace(strings.ReplaceAll(place, "%s", secret), false, []string{secret})
		if strings.Contains(got, secret) {
			t.Fatalf("%q keeps the secret", got)
		}
	})
}
