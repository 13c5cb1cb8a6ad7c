package telemetry

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden stands where something was taken out.
const hidden = "[masked]"

// Bounds of one text in a log line or span, in bytes. Beyond the first it is not
// even looked at; beyond the second it is cut, after masking, so that no secret
// is cut into a shape that is not recognised.
const (
	maxLookedAt = 64 << 10
	maxShown    = 16 << 10
)

// What a value is, as far as its key matters.
type shape bool

const (
	isText   shape = false
	isNumber shape = true
)

// secretParts make a key secret wherever they stand in it, joined or not:
// "apiToken", "X-Auth-Token", "gavel_dev_token_key".
var secretParts = []string{
	"password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey", "credential",
	"authorization", "authorisation", "cookie", "bearer", "signature", "email", "phone", "aadhaar",
}

// secretWords make a key secret when they are one of its words. "pass" is not
// among them: it is a thing that people are given.
var secretWords = map[string]bool{
	"pwd": true, "pin": true, "otp": true, "jwt": true, "dsn": true, "auth": true, "session": true,
	"key": true, "keys": true, "mobile": true, "csrf": true, "nonce": true, "salt": true,
}

// secretKey reports whether what stands under a key is never shown. A number
// under "token" or "key" is a count ("input_tokens", "keys": 3) and is shown; a
// number under any other secret key is not. "key_id" names a key and is shown.
func secretKey(key string, is shape) bool {
	words := keyWords(key)
	if len(words) >= 2 && words[len(words)-2] == "key" && words[len(words)-1] == "id" {
		words = words[:len(words)-2]
	}
	countable := func(s string) bool { return s == "token" || s == "key" || s == "keys" }
	joined := strings.Join(words, "")
	for _, part := range secretParts {
		if strings.Contains(joined, part) && (is == isText || !countable(part)) {
			return true
		}
	}
	for _, word := range words {
		if secretWords[word] && (is == isText || !countable(word)) {
			return true
		}
	}
	return false
}

// keyWords splits "setCookie2", "Set-Cookie" and "http.request.set_cookie" into
// lower-case words.
func keyWords(key string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	var before rune
	for _, r := range key {
		if !unicode.IsLetter(r) {
			flush()
		} else {
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				flush()
			}
			word.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	flush()
	return words
}

// A rule takes one kind of secret out of running text.
type rule struct {
	hint    []string // lower-case; without one of these in it a text cannot match
	match   *regexp.Regexp
	replace string
}

// assigned is a name before "=" or ":" whose value is secret: one that contains
// a long word, or has a short one among its parts. "signal:" is neither.
const assigned = `(?:[a-z0-9_.-]*(?:password|passwd|passphrase|secret|token|credential)[a-z0-9_.-]{0,8}` +
	`|(?:[a-z0-9]+[_.-])*(?:pwd|sig|signature|session|dsn|otp|pin|csrf|auth|[a-z0-9]*keys?))`

// rules are applied in this order, the widest first. Go's regular expressions do
// not backtrack, so no text can stall them for long.
var rules = []rule{
	{ // PEM private keys
		[]string{"private key"},
		regexp.MustCompile(`(?i)-----BEGIN[A-Z0-9 ]*PRIVATE KEY-----(?:[^-]|-[^-])*(?:-----END[A-Z0-9 ]*-----)?`), hidden,
	},
	{ // headers whose whole line is secret
		[]string{"cookie", "authorization"},
		regexp.MustCompile(`(?i)([a-z0-9_-]*(?:cookies?|authorization)\\?["'\]]*[ \t]*[:=][^\S\r\n]*)[^\r\n]+`), "$1" + hidden,
	},
	{ // user information of a URL; a password may hold anything but spaces
		[]string{"://"},
		regexp.MustCompile(`(?i)([a-z][a-z0-9+.-]*://)(?:[^\s"'<>/?#@]*:[^\s"'<>]*@|[^\s"'<>/?#]*@)`), "$1" + hidden + "@",
	},
	{ // credentials as HTTP sends them
		[]string{"bearer", "basic"},
		regexp.MustCompile(`(?i)(bearer|basic)([ \t:=]+["']?)[^\s"',;<>]+`), "$1$2" + hidden,
	},
	{ // development tokens
		[]string{"gvdev"},
		regexp.MustCompile(`(?i)gvdev(?:\.|%2e)[^\s"'<>,;&]*`), hidden,
	},
	{ // JSON web tokens
		[]string{"eyj"},
		regexp.MustCompile(`eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)*`), hidden,
	},
	{ // name=value, "name": "value", name:[…]
		[]string{"pass", "pwd", "secret", "token", "credential", "sig", "key", "session", "dsn", "otp", "pin", "csrf", "auth"},
		regexp.MustCompile(`(?i)((?:\b|_)` + assigned + `\\?["'\]]*[ \t]*(?::=|=|:)[ \t]*)` +
			`(?:\\?"(?:[^"\\\r\n]|\\[^"\r\n])*\\?"|'[^'\r\n]*'|\[[^\]\r\n]*\]|\{[^}\r\n]*\}|[^\s,;&"'}\])]+)`), "$1" + hidden,
	},
	{ // a one-time code in an address
		[]string{"code="},
		regexp.MustCompile(`(?i)([?&](?:[a-z_]*_)?code=)[^\s&#"']+`), "$1" + hidden,
	},
	{ // e-mail addresses, also as they stand in a query
		[]string{"@", "%40"},
		regexp.MustCompile(`(?i)[\p{L}\p{M}\p{N}.!#$%'*+=^_{|}~-]+(?:@|%40)(?:[\p{L}\p{M}\p{N}-]+\.)+(?:xn--[a-z0-9-]+|[\p{L}\p{M}]{2,})`),
		hidden,
	},
}

// maskText takes everything that looks like a secret or an e-mail address out
// of a text, and bounds it. It errs towards taking out too much.
func maskText(s string) string {
	if len(s) > maxLookedAt {
		return fmt.Sprintf("[%d bytes not shown]", len(s))
	}
	lower := strings.ToLower(s)
	for _, r := range rules {
		for _, hint := range r.hint {
			if strings.Contains(lower, hint) {
				s = r.match.ReplaceAllString(s, r.replace)
				break
			}
		}
	}
	if len(s) <= maxShown {
		return s
	}
	cut := maxShown
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… [%d bytes more]", s[:cut], len(s)-cut)
}
