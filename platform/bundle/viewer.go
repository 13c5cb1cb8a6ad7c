package bundle

import (
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
	data := m.shown()
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

// shown is what the page says of the bundle as a whole.
func (m Manifest) shown() viewerData {
	return viewerData{Format: m.Format, Case: m.Case, Org: m.Org, MadeAt: m.MadeAt, Program: m.Program,
		Origin: m.Origin, Key: string(m.Key), Sections: m.Sections}
}

func showable(f source) bool {
	return f.open == nil && slices.Contains([]string{".json", ".ndjson", ".txt", ".md", ""}, path.Ext(f.Path))
}

// hashSource is how a content security policy names an element it allows.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
