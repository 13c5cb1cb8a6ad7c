package letter

import (
	"regexp"
	"strings"

	"golang.org/x/net/publicsuffix"
)

var (
	resultForm = regexp.MustCompile(`(?i)^\s*(dmarc|dkim)\s*=\s*([a-z]+)`)
	propForm   = regexp.MustCompile(`(?i)(?:^|\s)header\.(from|d|i)\s*=\s*([^\s;]+)`)
)

// Authentic reports whether the mail server that took the mail in for us, which
// calls itself by id, found that the domain the mail claims to be from stands
// behind it: DMARC passed, or DKIM passed for that domain and DMARC did not fail
// (RFC 8601). Only the topmost results are believed: that server writes its own
// above all that came with the mail. Without an id nothing is believed.
func (l Letter) Authentic(id string) bool {
	_, domain, ok := strings.Cut(l.From, "@")
	results := l.header.all("authentication-results")
	if !ok || id == "" || len(results) == 0 {
		return false
	}
	server, rest, _ := strings.Cut(unquoted(results[0]), ";")
	name := strings.Fields(server)
	if len(name) == 0 || !strings.EqualFold(name[0], id) {
		return false
	}
	passed := false
	for one := range strings.SplitSeq(rest, ";") {
		m := resultForm.FindStringSubmatch(one)
		if m == nil {
			continue
		}
		method, result := strings.ToLower(m[1]), strings.ToLower(m[2])
		switch {
		case method == "dmarc" && result == "pass":
			passed = passed || alignedProp(one, "from", domain)
		case method == "dmarc" && result != "none":
			return false
		case method == "dkim" && result == "pass":
			passed = passed || alignedProp(one, "d", domain) || alignedProp(one, "i", domain)
		}
	}
	return passed
}

// unquoted is a field without its comments and quoted strings: a sender has a say
// in what stands in those, and may put there what looks like a result. One that
// does not end is empty.
func unquoted(s string) string {
	var out strings.Builder
	depth, quoted, escaped := 0, false, false
	for _, r := range s {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && (quoted || depth > 0):
			escaped = true
		case r == '"' && depth == 0:
			quoted = !quoted
		case quoted:
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
		case depth == 0:
			out.WriteRune(r)
		}
	}
	if quoted || depth > 0 {
		return ""
	}
	return out.String()
}

// alignedProp reports whether a result's property names a domain that speaks for
// the sender's.
func alignedProp(result, name, sender string) bool {
	for _, m := range propForm.FindAllStringSubmatch(result, 10) {
		value := m[2]
		if at := strings.LastIndexByte(value, '@'); at >= 0 {
			value = value[at+1:]
		}
		if strings.EqualFold(m[1], name) && aligned(value, sender) {
			return true
		}
	}
	return false
}

// aligned reports whether two domains belong to the same owner, as DMARC's
// relaxed alignment has it.
func aligned(a, b string) bool {
	a, b = lower(strings.TrimSuffix(a, ".")), lower(strings.TrimSuffix(b, "."))
	if a == b {
		return a != ""
	}
	one, err := publicsuffix.EffectiveTLDPlusOne(a)
	two, err2 := publicsuffix.EffectiveTLDPlusOne(b)
	return err == nil && err2 == nil && one == two
}
