package letter

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/quotedprintable"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// A walker goes through the parts of a mail and collects.
type walker struct {
	letter *Letter
	seen   int // parts
	size   int // bytes of text
	text   []string
	report *Report
}

// words is the text of all parts that are text.
func (w *walker) words() string { return strings.Join(w.text, "\n\n") }

// A kind is a part's content type, read as far as it can be.
type kind struct {
	media  string // "text/plain"
	params map[string]string
}

var boundaryForm = regexp.MustCompile(`(?i)boundary\s*=\s*"?([^";\r\n]{1,200})"?`)

func (l *Letter) kindOf(h header) kind {
	value := h.get("content-type")
	if value == "" {
		return kind{"text/plain", nil}
	}
	media, params, err := mime.ParseMediaType(value)
	if err == nil {
		return kind{media, params}
	}
	l.defect(BadType)
	bare, _, _ := strings.Cut(value, ";")
	k := kind{strings.ToLower(strings.TrimSpace(bare)), map[string]string{}}
	if m := boundaryForm.FindStringSubmatch(value); m != nil {
		k.params["boundary"] = strings.TrimSpace(m[1])
	}
	if !strings.Contains(k.media, "/") {
		k.media = "text/plain"
	}
	return k
}

// reports are the machine-readable parts of reports. In any other mail they are
// files: somebody passes on what they were told.
var reports = map[string]bool{"message/delivery-status": true, "message/feedback-report": true, "message/disposition-notification": true}

// part reads one part and those inside it.
func (w *walker) part(h header, body []byte, depth int) {
	l := w.letter
	if w.seen++; w.seen > maxParts {
		l.defect(TooManyParts)
		l.Cut = true
		return
	}
	k := l.kindOf(h)
	l.parts = append(l.parts, clip(valid(k.media), 100))
	switch {
	case strings.HasPrefix(k.media, "multipart/"):
		w.multipart(k, body, depth)
	case reports[k.media] && w.inReport():
		w.status(k.media, l.decode(h, body))
	case k.media == "message/rfc822" || k.media == "text/rfc822-headers" || k.media == "message/global":
		w.returned(h, k, l.decode(h, body))
	case w.attached(h, k):
		w.file(h, k, l.decode(h, body))
	case k.media == "text/html":
		w.add(FromHTML(l.toText(k, l.decode(h, body))))
		l.HTML = true
	default:
		w.add(l.toText(k, l.decode(h, body)))
	}
}

// attached reports whether a part is a file rather than words.
func (w *walker) attached(h header, k kind) bool {
	disposition, _, _ := strings.Cut(strings.ToLower(h.get("content-disposition")), ";")
	if strings.TrimSpace(disposition) == "attachment" {
		return true
	}
	return k.media != "text/plain" && k.media != "text/html"
}

func (w *walker) add(text string) {
	text = clip(text, max(0, MaxText-w.size))
	w.size += len(text)
	if w.size >= MaxText {
		w.letter.Cut = true
	}
	if strings.TrimSpace(text) != "" {
		w.text = append(w.text, text)
	}
}

func (w *walker) multipart(k kind, body []byte, depth int) {
	l := w.letter
	if depth == maxDepth {
		l.defect(TooDeep)
		l.Cut = true
		return
	}
	parts, ended := splitParts(body, k.params["boundary"])
	if !ended || len(parts) == 0 {
		l.defect(NoBoundary)
	}
	if len(parts) == 0 { // still somebody's words
		w.add(l.toText(kind{media: "text/plain"}, body))
		return
	}
	if k.media == "multipart/alternative" {
		w.alternative(parts, depth)
		return
	}
	for _, raw := range parts {
		head, inner := split(raw)
		w.part(l.partHeader(head), inner, depth+1)
	}
}

// alternative takes one of several forms of the same words: the plain one, or
// the richest where that is empty. Calendar parts among them are read too.
func (w *walker) alternative(parts [][]byte, depth int) {
	type form struct {
		h    header
		body []byte
	}
	var plain, rich []form
	for _, raw := range parts {
		head, inner := split(raw)
		h := w.letter.partHeader(head)
		switch k := w.letter.kindOf(h); {
		case k.media == "text/plain":
			plain = append(plain, form{h, inner})
		case k.media == "text/html" || strings.HasPrefix(k.media, "multipart/"):
			rich = append(rich, form{h, inner})
		default:
			w.part(h, inner, depth+1)
		}
	}
	before := len(w.text)
	for _, f := range plain {
		w.part(f.h, f.body, depth+1)
	}
	for i := len(rich) - 1; i >= 0 && len(w.text) == before; i-- {
		w.part(rich[i].h, rich[i].body, depth+1)
	}
}

// partHeader reads a part's header, which may well be empty.
func (l *Letter) partHeader(head []byte) header {
	if len(bytes.TrimSpace(head)) == 0 {
		return nil
	}
	return l.readHeader(head)
}

// splitParts cuts a body at its boundary. ended says that the closing one was
// there: a mail that was cut off on its way lacks it.
func splitParts(body []byte, boundary string) (parts [][]byte, ended bool) {
	if boundary == "" {
		return nil, false
	}
	mark := []byte("--" + boundary)
	start := -1
	for at := 0; at < len(body); {
		next := len(body)
		if i := bytes.IndexByte(body[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		if line := bytes.TrimRight(body[at:next], " \t\r\n"); bytes.HasPrefix(line, mark) {
			rest := line[len(mark):]
			if len(rest) == 0 || string(rest) == "--" {
				if start >= 0 {
					parts = append(parts, trimEnd(body[start:at]))
				}
				if start = next; len(rest) > 0 {
					return parts, true
				}
				if len(parts) > maxParts {
					return parts, false
				}
			}
		}
		at = next
	}
	if start >= 0 && start < len(body) {
		parts = append(parts, body[start:])
	}
	return parts, false
}

// trimEnd takes off the line end that belongs to the boundary.
func trimEnd(b []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
}

// decode undoes the transfer encoding. Broken bytes give what could be read.
func (l *Letter) decode(h header, body []byte) []byte {
	encoding, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(h.get("content-transfer-encoding"))), ";")
	switch strings.TrimSpace(encoding) {
	case "", "7bit", "8bit", "binary":
		return body
	case "quoted-printable":
		out, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(body)))
		if err != nil {
			l.defect(BadEncoding)
			if len(out) == 0 {
				return body
			}
		}
		return out
	case "base64":
		return l.fromBase64(body)
	}
	l.defect(BadEncoding)
	return body
}

func (l *Letter) fromBase64(body []byte) []byte {
	clean := bytes.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '+', r == '/':
			return r
		case r != '=' && r != '\r' && r != '\n' && r != ' ' && r != '\t':
			l.defect(BadEncoding)
		}
		return -1
	}, body)
	if len(clean)%4 == 1 { // six bits are no byte
		l.defect(BadEncoding)
		clean = clean[:len(clean)-1]
	}
	out, err := base64.RawStdEncoding.DecodeString(string(clean))
	if err != nil {
		l.defect(BadEncoding)
	}
	return out
}

// toText reads bytes in the character set that the part names, or in what they
// evidently are.
func (l *Letter) toText(k kind, b []byte) string {
	b = b[:min(len(b), 4*MaxText)]
	if bytes.IndexByte(b, 0) >= 0 && !strings.HasPrefix(strings.ToLower(k.params["charset"]), "utf-16") {
		l.defect(HasNUL)
	}
	name := strings.ToLower(strings.TrimSpace(k.params["charset"]))
	if name == "" || name == "utf-8" || name == "us-ascii" || name == "utf8" || name == "ascii" {
		if utf8.Valid(b) {
			return lines(valid(string(b)))
		}
		if name != "" {
			l.defect(BadCharset)
		}
		name = "windows-1252" // what a mail that does not say is most often
	}
	enc, err := htmlindex.Get(name)
	if err != nil {
		l.defect(BadCharset)
		return lines(valid(string(b)))
	}
	out, err := enc.NewDecoder().Bytes(b)
	if err != nil {
		l.defect(BadCharset)
		return lines(valid(string(b)))
	}
	return lines(valid(string(out)))
}

// lines is a text with our line ends.
func lines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func charsetReader(name string, in io.Reader) (io.Reader, error) {
	enc, err := htmlindex.Get(name)
	if err != nil {
		return nil, err
	}
	return enc.NewDecoder().Reader(in), nil
}

// file keeps an attachment.
func (w *walker) file(h header, k kind, body []byte) {
	l := w.letter
	if k.media == "text/calendar" {
		l.method = calendarMethod(k, body)
	}
	if len(l.Files) == MaxFiles || len(body) > MaxFile {
		l.Cut = true
		return
	}
	l.Files = append(l.Files, File{Name: fileName(h, k), Type: clip(valid(k.media), 100), Bytes: body})
}

// fileName is what the sender called a file, without folders and control
// characters.
func fileName(h header, k kind) string {
	name := k.params["name"]
	if _, params, err := mime.ParseMediaType(h.get("content-disposition")); err == nil && params["filename"] != "" {
		name = params["filename"]
	}
	name = path.Base(strings.ReplaceAll(decodeWords(name), `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 { // also marks that turn a name around
			return -1
		}
		return r
	}, name)
	if name == "." || name == "/" || name == ".." {
		return ""
	}
	return clip(name, maxFileName)
}

var methodForm = regexp.MustCompile(`(?im)^METHOD:([A-Z]{1,20})\s*$`)

// calendarMethod is what a calendar part is: an invitation, or an answer to one.
func calendarMethod(k kind, body []byte) string {
	if m := k.params["method"]; m != "" {
		return strings.ToUpper(m)
	}
	if m := methodForm.FindSubmatch(body[:min(len(body), 64<<10)]); m != nil {
		return strings.ToUpper(string(m[1]))
	}
	return ""
}
