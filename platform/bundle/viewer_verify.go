package bundle

import (
	"bufio"
	"bytes"
	_ "embed" // for the list of pages
	"encoding/json"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// A page is the viewer's, read from front to back. It is never in memory as a
// whole, and neither is a file that it shows.
type page struct {
	r      *bufio.Reader
	buf    []byte
	before []byte // what stands before the data
	after  []byte // and behind it
}

// maxShell bounds what stands around the data: markup, style and script.
const maxShell = 1 << 20

var (
	errOther  = fault.New(fault.Invalid, "something else stands there")
	errNoData = fault.New(fault.Invalid, "it does not hold the data it should show")
)

// begin reads as far as the data.
func (p *page) begin(body io.Reader) error {
	p.r = bufio.NewReaderSize(body, maxShell)
	head, err := p.r.Peek(maxShell)
	if err != nil && err != io.EOF {
		return err
	}
	i := bytes.Index(head, []byte(dataOpens))
	if i < 0 {
		return errNoData
	}
	p.before = bytes.Clone(head[:i])
	_, err = p.r.Discard(i + len(dataOpens))
	return err
}

// expect reads exactly this text.
func (p *page) expect(text []byte) error {
	if cap(p.buf) < len(text) {
		p.buf = make([]byte, len(text))
	}
	got := p.buf[:len(text)]
	if _, err := io.ReadFull(p.r, got); err != nil || !bytes.Equal(got, text) {
		return errOther
	}
	return nil
}

// next reads this text if it is there.
func (p *page) next(text string) bool {
	got, err := p.r.Peek(len(text))
	if err != nil || string(got) != text {
		return false
	}
	_, err = p.r.Discard(len(text))
	return err == nil
}

// finish reads what stands behind the data. The data end once.
func (p *page) finish() (err error) {
	if err := p.expect([]byte(dataCloses)); err != nil {
		return err
	}
	p.after, err = io.ReadAll(io.LimitReader(p.r, maxShell+1))
	if err != nil || len(p.after) > maxShell || bytes.Contains(p.after, []byte(dataOpens)) {
		return errOther
	}
	return nil
}

// checkViewer compares what the page shows with the files: it is written anew from
// them, and must come out the same.
func checkViewer(rep *Report, o *opened) {
	c := rep.Check("the viewer shows these files", "what index.html shows is what the files of the bundle say, byte for byte",
		"anything about the files that it does not show; nor that a browser shows it without fault")
	body, err := o.archive.open(viewerFile)
	if err != nil {
		c.Found(viewerFile, "%s cannot be read: %s.", viewerFile, words(err))
		return
	}
	defer body.Close()
	p := &page{}
	if p.begin(body) != nil {
		c.Found(viewerFile, "%s does not hold the data it should show.", viewerFile)
		return
	}
	head, err := o.manifest.shownHead()
	if err != nil || p.expect(head) != nil {
		c.Found(viewerFile, "%s shows another case, time, key or list of sections than %s.", viewerFile, manifestFile)
		return
	}
	shown := 0
	for i, f := range inSections(o.manifest) {
		with, err := p.shows(o, f, i)
		if err != nil {
			c.Found(viewerFile, "%s lists or shows %s otherwise than the bundle holds it.", viewerFile, f.Path)
			return
		}
		if with {
			shown++
		}
	}
	c.Saw("%s shown", count(shown, "file"))
	if p.expect(shownTail(o.manifest)) != nil || p.finish() != nil {
		c.Found(viewerFile, "%s does not list the files of the bundle's sections and no others.", viewerFile)
		return
	}
	checkShell(rep, p.shell(o.manifest.Case))
}

// knownViewers are the pages that programs of ours have put around the data: one a
// line, by SHA-256, with the day it was first there.
//
//go:embed viewer/known.txt
var knownViewers string

// shell is the SHA-256 of what stands around the data, whatever the case.
func (p *page) shell(caseID string) blob.Digest {
	before := bytes.ReplaceAll(p.before, []byte(caseID), []byte("@case@"))
	return blob.Sum(slices.Concat(before, []byte(dataOpens+"@data@"+dataCloses), p.after))
}

// checkShell asks whether the page is one of ours. Whoever holds the key can sign
// another around the same data, which tells people something else.
func checkShell(rep *Report, shell blob.Digest) {
	c := rep.Check("the viewer is one that came with a program",
		"what index.html does with the data is what a program that was given out does",
		"that a browser shows it without fault")
	for line := range strings.Lines(knownViewers) {
		if sum, since, _ := strings.Cut(strings.TrimSpace(line), " "); sum == shell.String() {
			c.Saw("the page of%s", clip(" "+strings.TrimSpace(since)))
			return
		}
	}
	c.Leave(viewerFile, "%s is a page that this program does not know: its data are those of the bundle, and what it says around them "+
		"is nobody's word.", viewerFile)
}

// shownHead is the data of the page as far as its list of files.
func (m Manifest) shownHead() ([]byte, error) {
	text, err := json.Marshal(m.shown())
	return bytes.TrimSuffix(text, []byte("null}")), err
}

// shownTail is what stands behind the last file.
func shownTail(m Manifest) []byte {
	if len(inSections(m)) == 0 {
		return []byte("null}")
	}
	return []byte("]}")
}

// shows compares one file of the page, and says whether its text is there.
func (p *page) shows(o *opened, f File, i int) (with bool, err error) {
	text, err := json.Marshal(shownFile{Path: f.Path, Size: f.Size, SHA256: f.SHA256})
	if err != nil {
		return false, err
	}
	before := []byte{','}
	if i == 0 {
		before[0] = '['
	}
	if err := p.expect(append(before, bytes.TrimSuffix(text, []byte("}"))...)); err != nil {
		return false, err
	}
	if !p.next(`,"text":"`) {
		return false, p.expect([]byte{'}'})
	}
	body, err := o.archive.open(f.Path)
	if err != nil {
		return false, err
	}
	defer body.Close()
	if err := p.expectText(body); err != nil {
		return false, err
	}
	return true, p.expect([]byte(`"}`))
}

// expectText reads the JSON of a text, without the marks around it.
func (p *page) expectText(body io.Reader) error {
	piece, kept := make([]byte, atOnce), 0
	for {
		n, err := body.Read(piece[kept:])
		n += kept
		whole := n
		if err == nil { // a letter may go on in the next piece
			whole = wholeRunes(piece[:n])
		}
		if !utf8.Valid(piece[:whole]) {
			return errOther
		}
		text, jsonErr := json.Marshal(string(piece[:whole]))
		if jsonErr != nil {
			return jsonErr
		}
		if differs := p.expect(text[1 : len(text)-1]); differs != nil {
			return differs
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		kept = copy(piece, piece[whole:n])
	}
}

// wholeRunes is how much of a text is there without a letter that was cut.
func wholeRunes(b []byte) int {
	for back := 1; back <= min(utf8.UTFMax-1, len(b)); back++ {
		if at := len(b) - back; utf8.RuneStart(b[at]) {
			if !utf8.FullRune(b[at:]) {
				return at
			}
			break
		}
	}
	return len(b)
}

// inSections are the files that belong to sections.
func inSections(m Manifest) []File {
	var files []File
	for _, f := range m.Files {
		if f.Section != own {
			files = append(files, f)
		}
	}
	return files
}
