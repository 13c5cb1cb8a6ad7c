package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// detect says what bytes look like, from their beginning. What the source says
// they are is kept beside it: where the two differ, a person may want to know.
func detect(head []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(head), ";")
	if kind != "text/plain" {
		return kind
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	first, rest, lines := bytes.Cut(text, []byte("\n"))
	first = bytes.TrimSpace(first)
	switch {
	case len(text) == 0:
		return kind
	case lines && object(first) && object(bytes.TrimSpace(rest)[:min(1, len(bytes.TrimSpace(rest)))]):
		return "application/x-ndjson"
	case text[0] == '{' || text[0] == '[':
		return "application/json"
	case bytes.ContainsAny(first, ",;\t|"):
		return "text/csv"
	}
	return kind
}

// object reports whether text begins like an object and, if it is longer, ends
// like one.
func object(b []byte) bool {
	return len(b) > 0 && b[0] == '{' && (len(b) == 1 || b[len(b)-1] == '}')
}

// shape names what a document is like: its kind and, of a table, a digest of its
// head, so that a column that was added, renamed or moved makes another shape. A
// head that is longer than what is looked at counts as far as that.
func shape(head []byte) string {
	kind := detect(head[:min(len(head), 512)])
	if kind != "text/csv" {
		return kind
	}
	first, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("\n"))
	sum := sha256.Sum256(bytes.TrimSpace(first))
	return kind + " " + hex.EncodeToString(sum[:8])
}

// secretNames are words in the names of parameters whose value is a secret. A
// parameter too many is hidden rather than one too few.
var secretNames = []string{"key", "token", "secret", "password", "passwd", "pwd", "signature", "sig", "auth", "credential", "session",
	"apikey", "mapkey", "access"}

const hidden = "…"

// cleanPlace is an address without what must not be kept: user and password, the
// fragment, parameters that look like secrets, and the given secrets wherever
// they stand. For a personal source only the host is left, because the rest
// often names the person.
func cleanPlace(place string, personal bool, secrets []string) string {
	if personal {
		u, err := url.Parse(place)
		if err != nil || u.Host == "" {
			return ""
		}
		return u.Scheme + "://" + u.Host
	}
	for _, s := range secrets {
		if s == "" {
			continue
		}
		for _, form := range []string{s, url.QueryEscape(s), url.PathEscape(s)} {
			place = strings.ReplaceAll(place, form, hidden)
		}
	}
	u, err := url.Parse(place)
	if err != nil {
		if at := strings.LastIndexByte(place, '@'); at >= 0 { // what cannot be read may hold a password
			return hidden + place[at:]
		}
		return place
	}
	if u.Host == "" && u.Opaque == "" {
		return place // a file's name, a description
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	u.RawQuery = cleanQuery(u.RawQuery)
	return strings.ReplaceAll(u.String(), url.PathEscape(hidden), hidden)
}

// cleanQuery hides values by their parameter's name and keeps the order.
func cleanQuery(raw string) string {
	if raw == "" {
		return ""
	}
	parts := strings.Split(raw, "&")
	for i, p := range parts {
		name, _, has := strings.Cut(p, "=")
		if has && secretName(name) {
			parts[i] = name + "=" + hidden
		}
	}
	return strings.Join(parts, "&")
}

func secretName(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' })
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.ContainsFunc(secretNames, func(secret string) bool {
			return word == secret || strings.HasSuffix(word, secret) && len(secret) > 4
		})
	})
}
