// Package sealtest looks for what must not be found: it searches every table
// and every stored file for words that somebody planted, to show that an
// erasure left nothing readable.
//
// A test plants a word that occurs nowhere else, shows that the search finds it
// where it still stands in plain, erases, and searches again. Database looks
// through all tables past every wall, Folder through blobs and logs, and Search
// through any bytes a test has at hand, such as a decoded workflow history.
package sealtest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode/utf16"
)

// A Find is a place where a needle can be read.
type Find struct {
	Where  string // "gavel.note.body (0,1)" or a path
	Needle string
	How    string // in which writing: "plain", "base64", …
}

// String is one line for a failing test.
func (f Find) String() string { return fmt.Sprintf("%s holds %q as %s", f.Where, f.Needle, f.How) }

// A Report is what was looked through and what was found. A search that looked
// at nothing proves nothing: tests check the counts, too.
type Report struct {
	Tables, Columns, Values int
	Files                   int
	Bytes                   int64
	Finds                   []Find
}

// minNeedle keeps needles from being found by chance in ciphertext: eight bytes
// are expected once in 10^19.
const minNeedle = 8

var unbroken = strings.NewReplacer("\r", "", "\n", "")

// Search looks through bytes for needles of at least eight characters, in plain
// (in any case) and in the writings that programs put text into.
func Search(where string, data []byte, needles ...string) []Find {
	var finds []Find
	folded := bytes.ToLower(data)
	joined := unbroken.Replace(string(data)) // base64 is often broken into lines
	for _, needle := range needles {
		if len(needle) < minNeedle {
			panic(fmt.Sprintf("the needle %q is too short to be sure of", needle))
		}
		for _, w := range writings(needle) {
			if bytes.Contains(data, w.form) || strings.Contains(joined, string(w.form)) || w.folds &&
				bytes.Contains(folded, bytes.ToLower(w.form)) {
				finds = append(finds, Find{where, needle, w.name})
				break
			}
		}
	}
	return finds
}

type writing struct {
	name  string
	form  []byte
	folds bool // also looked for without regard to case
}

// writings are the ways in which text is found in stored bytes.
func writings(needle string) []writing {
	quoted, _ := json.Marshal(needle) // a string cannot fail
	all := []writing{
		{"plain", []byte(needle), true},
		{"JSON", quoted[1 : len(quoted)-1], true},
		{"JSON in ASCII", []byte(inASCII(needle)), true},
		{"HTML", []byte(html.EscapeString(needle)), true},
		{"URL", []byte(url.QueryEscape(needle)), true},
		{"URL path", []byte(url.PathEscape(needle)), true},
		{"hex", []byte(hex.EncodeToString([]byte(needle))), true},
		{"UTF-16", inUTF16(needle), false},
	}
	for shift := range 3 {
		for name, enc := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64url": base64.RawURLEncoding} {
			all = append(all, writing{name, inBase64(enc, needle, shift), false})
		}
	}
	return all
}

// inASCII is JSON as programs write it that keep to ASCII.
func inASCII(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

func inUTF16(s string) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return b
}

// inBase64 is the part of the needle's base64 that does not depend on what
// stands before and after it, when it begins at a place with this remainder by 3.
func inBase64(enc *base64.Encoding, s string, shift int) []byte {
	text := enc.EncodeToString(append(make([]byte, shift), s...))
	from := []int{0, 2, 3}[shift]
	to := (shift + len(s)) / 3 * 4
	return []byte(text[from:to])
}
