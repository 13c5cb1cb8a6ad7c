package content

import (
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/bundle"
)

// Arguments, results and what people were shown have a digest each. A short one
// stands in its line; a longer one is a file of its own, under its digest, since
// a line has a bound.
const (
	textsFolder = "texts/"
	maxInLine   = 64 << 10 // bytes
)

func textName(sha256 string) string { return textsFolder + sha256 + ".json" }

// texts puts them in.
type texts struct {
	w    *bundle.Writer
	have map[string]bool
}

func newTexts(w *bundle.Writer) *texts { return &texts{w: w, have: map[string]bool{}} }

// put returns what stands in the line: the text, or nothing where it has become
// a file.
func (t *texts) put(text []byte, sha256 string) (string, error) {
	if len(text) <= maxInLine || t.have[sha256] {
		if len(text) > maxInLine {
			return "", nil
		}
		return string(text), nil
	}
	t.have[sha256] = true
	return "", t.w.Text(textName(sha256), text)
}

// A reading finds the texts again, and notes which files were asked for.
type reading struct {
	r    *bundle.Reader
	used map[string]bool
}

func newReading(r *bundle.Reader) *reading { return &reading{r: r, used: map[string]bool{}} }

// is reports whether a text is there and has the digest.
func (t *reading) is(inLine, sha256 string) bool {
	text := []byte(inLine)
	if name := textName(sha256); inLine == "" && t.r.Has(name) {
		t.used[name] = true
		var err error
		if text, err = t.r.Text(name); err != nil {
			return false
		}
	}
	return len(text) > 0 && act.Digest(text) == sha256
}

// text is the text itself, for who has checked it.
func (t *reading) text(inLine, sha256 string) []byte {
	if inLine != "" {
		return []byte(inLine)
	}
	text, err := t.r.Text(textName(sha256))
	if err != nil {
		return nil
	}
	return text
}

// knows reports whether a file is one of these or a text that a line names.
func (t *reading) knows(files ...string) func(string) bool {
	return func(name string) bool { return among(files...)(name) || t.used[name] }
}
