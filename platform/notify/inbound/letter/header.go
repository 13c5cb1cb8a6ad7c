package letter

import (
	"bytes"
	"mime"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A header is the fields of a mail or of a part, in order.
type header []field

type field struct{ name, value string } // the name in small letters, the value unfolded

// get is the first field of a name.
func (h header) get(name string) string {
	for _, f := range h {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// has reports whether there is a field of a name.
func (h header) has(name string) bool {
	return slices.ContainsFunc(h, func(f field) bool { return f.name == name })
}

// all are the values of the fields of these names, name by name.
func (h header) all(names ...string) (out []string) {
	for _, name := range names {
		for _, f := range h {
			if f.name == name {
				out = append(out, f.value)
			}
		}
	}
	return out
}

// split parts a mail into header and body at the first empty line. Mail whose
// first line is no field has no header.
func split(raw []byte) (head, body []byte) {
	for _, end := range []string{"\r\n", "\n"} {
		if bytes.HasPrefix(raw, []byte(end)) {
			return nil, raw[len(end):]
		}
	}
	at, skip := -1, 0
	for _, end := range []string{"\r\n\r\n", "\n\n", "\n\r\n"} {
		if i := bytes.Index(raw, []byte(end)); i >= 0 && (at < 0 || i < at) {
			at, skip = i, len(end)
		}
	}
	if at < 0 {
		return raw, nil
	}
	return raw[:at], raw[at+skip:]
}

var fieldName = regexp.MustCompile(`^[!-9;-~]{1,100}$`)

// readHeader reads fields as far as they can be read. A line that is neither a
// field nor the rest of one is left out.
func (l *Letter) readHeader(head []byte) (h header) {
	if len(head) > maxHeader {
		head = head[:maxHeader]
		l.Cut = true
		l.defect(BadHeader)
	}
	var values [][]byte // grown in place: a field may be folded over thousands of lines
	for line := range strings.Lines(string(head)) {
		line = strings.TrimRight(line, "\r\n")
		switch name, value, ok := strings.Cut(line, ":"); {
		case strings.HasPrefix(line, "From ") && len(h) == 0: // a mailbox file's own line
		case (strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")) && len(h) > 0:
			values[len(h)-1] = append(append(values[len(h)-1], ' '), strings.TrimSpace(line)...)
		case ok && fieldName.MatchString(strings.TrimRight(name, " \t")) && len(h) < maxFields:
			h = append(h, field{name: strings.ToLower(strings.TrimRight(name, " \t"))})
			values = append(values, []byte(strings.TrimSpace(value)))
		default:
			l.defect(BadHeader)
		}
	}
	for i, v := range values {
		h[i].value = string(v)
	}
	if len(h) == 0 {
		l.defect(NoHeader)
	}
	return h
}

// decodeWords reads RFC 2047's words; what cannot be read stays as it is.
func decodeWords(s string) string {
	dec := mime.WordDecoder{CharsetReader: charsetReader}
	out, err := dec.DecodeHeader(s)
	if err != nil {
		out = s
	}
	return valid(out)
}

// valid is text that can be kept: UTF-8 without zero bytes.
func valid(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// oneLine is a text without line ends and with single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip is at most n bytes of a text, not cutting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

var (
	bracketed = regexp.MustCompile(`<([^<>\s]{1,400})>`)
	bareID    = regexp.MustCompile(`^[^<>\s@]+@[^<>\s@]+$`)
	bareAddr  = regexp.MustCompile(`[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?`)
)

// messageIDs are the ids in fields, without brackets, each once. Some servers
// fold an id in the middle; others leave the brackets out.
func messageIDs(values []string) (ids []string) {
	for _, v := range values {
		found := bracketed.FindAllStringSubmatch(v, maxIDs)
		if found == nil {
			found = bracketed.FindAllStringSubmatch(strings.ReplaceAll(v, " ", ""), maxIDs)
		}
		for _, m := range found {
			ids = append(ids, valid(m[1]))
		}
		if found == nil && len(v) < 400 && bareID.MatchString(v) {
			ids = append(ids, valid(v))
		}
	}
	return bounded(ids, maxIDs)
}

// addresses are the addresses in fields, in small letters, each once. A field
// that cannot be read by the rules is searched for what looks like one.
func addresses(values []string) (out []string) {
	parser := mail.AddressParser{WordDecoder: &mime.WordDecoder{CharsetReader: charsetReader}}
	for _, v := range values {
		v = clip(v, 64<<10)
		list, err := parser.ParseList(v)
		if err != nil {
			for _, found := range bareAddr.FindAllString(v, maxAddrs) {
				out = append(out, lower(found))
			}
			continue
		}
		for _, a := range list {
			out = append(out, lower(valid(a.Address)))
		}
	}
	return bounded(out, maxAddrs)
}

// SameAddress reports whether two addresses are one, whatever the size of their
// letters of ASCII.
func SameAddress(a, b string) bool { return lower(a) == lower(b) }

// lower is an address in small letters. Only those of ASCII have a small form
// here: Unicode's rules make one address of two, a Kelvin sign a k.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// bounded keeps each once, and no more than most: the first and the last of
// them, which in a list of references are the beginning and what was answered.
func bounded(all []string, most int) []string {
	var out []string
	for _, s := range all {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
		if len(out) > 4*most {
			break
		}
	}
	if len(out) > most {
		out = append(out[:most/2:most/2], out[len(out)-most/2:]...)
	}
	return out
}

// date reads the moment a mail claims to be of.
func date(s string) time.Time {
	t, err := mail.ParseDate(s)
	if err != nil || t.Year() < 1980 || t.Year() > 2200 {
		return time.Time{}
	}
	return t.UTC()
}
