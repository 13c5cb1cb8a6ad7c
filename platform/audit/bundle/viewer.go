package bundle

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the viewer's parts
	"encoding/base64"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/identity"
)

// The viewer is one page that needs no server: style, script and data are in it,
// and its policy lets it fetch nothing. tokens.css is the console's own; a test
// compares them.
var (
	//go:embed viewer/index.html
	viewerPage string
	//go:embed viewer/tokens.css
	viewerTokens string
	//go:embed viewer/viewer.css
	viewerStyle string
	//go:embed viewer/viewer.js
	viewerScript string
)

// viewerData is what the page shows. A file that is shown stands in it as it is
// in the bundle, so that both can be compared.
type viewerData struct {
	Format   string       `json:"format"`
	Case     string       `json:"case"`
	Org      identity.Org `json:"org"`
	MadeAt   time.Time    `json:"made_at"`
	Program  string       `json:"program"`
	Origin   string       `json:"origin"`
	Key      string       `json:"key"`
	Sections []Part       `json:"sections"`
	Files    []shownFile  `json:"files"`
}

type shownFile struct {
	Path   string      `json:"path"`
	Size   int64       `json:"size"`
	SHA256 blob.Digest `json:"sha256"`
	Text   *string     `json:"text,omitempty"` // not there where it is too long or no text
}

// maxShown bounds the text in the page: a browser opens that much in a second.
const maxShown = 24 << 20

const (
	dataOpens  = `<script type="application/json" id="bundle-data">`
	dataCloses = `</script>`
)

// viewerOf makes the page of the files that are there so far.
func viewerOf(m Manifest, d *draft) ([]byte, error) {
	data := viewerData{Format: m.Format, Case: m.Case, Org: m.Org, MadeAt: m.MadeAt, Program: m.Program,
		Origin: m.Origin, Key: string(m.Key), Sections: m.Sections}
	left := maxShown
	for _, f := range d.ordered() {
		one := shownFile{Path: f.Path, Size: f.Size, SHA256: f.SHA256}
		if showable(f) && len(f.data) <= left {
			text := string(f.data)
			one.Text = &text
			left -= len(text)
		}
		data.Files = append(data.Files, one)
	}
	text, err := json.Marshal(data) // escapes what could end the element it stands in
	if err != nil {
		return nil, err
	}
	style := viewerTokens + viewerStyle
	page := strings.NewReplacer(
		"@style-hash@", hashSource(style), "@script-hash@", hashSource(viewerScript),
		"@style@", style, "@script@", viewerScript, "@data@", string(text), "@case@", m.Case,
	).Replace(viewerPage)
	return []byte(page), nil
}

func showable(f source) bool {
	return f.open == nil && slices.Contains([]string{".json", ".ndjson", ".txt", ".md", ""}, path.Ext(f.Path))
}

// hashSource is how a content security policy names an element it allows.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// checkViewer compares what the page shows with the files.
func checkViewer(rep *Report, o *opened) {
	c := rep.Check("the viewer shows these files", "what index.html shows is what the files of the bundle say, byte for byte",
		"anything about the files that it does not show; nor that a browser shows it without fault")
	page, err := o.archive.bytes(viewerFile)
	if err != nil {
		c.Found(viewerFile, "%s cannot be read: %s.", viewerFile, words(err))
		return
	}
	_, rest, found := bytes.Cut(page, []byte(dataOpens))
	text, after, closed := bytes.Cut(rest, []byte(dataCloses))
	var data viewerData
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if !found || !closed || bytes.Contains(after, []byte(dataOpens)) || dec.Decode(&data) != nil {
		c.Found(viewerFile, "%s does not hold the data it should show.", viewerFile)
		return
	}
	m := o.manifest
	if data.Case != m.Case || data.Org != m.Org || !data.MadeAt.Equal(m.MadeAt) || data.Key != string(m.Key) || !slices.Equal(data.Sections, m.Sections) {
		c.Found(viewerFile, "%s shows another case, time, key or list of sections than %s.", viewerFile, manifestFile)
	}
	shown := 0
	for _, f := range data.Files {
		listed, ok := m.file(f.Path)
		switch {
		case !ok || listed.SHA256 != f.SHA256 || listed.Size != f.Size:
			c.Found(viewerFile, "%s lists %s otherwise than %s.", viewerFile, clip(f.Path), manifestFile)
		case f.Text != nil && blob.Sum([]byte(*f.Text)) != listed.SHA256:
			c.Found(viewerFile, "%s shows another %s than the bundle holds.", viewerFile, f.Path)
		case f.Text != nil:
			shown++
		}
	}
	if inSections(m) != len(data.Files) {
		c.Found(viewerFile, "%s does not list every file of the bundle's sections.", viewerFile)
	}
	c.Saw("%s shown", count(shown, "file"))
}

// inSections counts the files that belong to sections.
func inSections(m Manifest) int {
	n := 0
	for _, f := range m.Files {
		if f.Section != own {
			n++
		}
	}
	return n
}
