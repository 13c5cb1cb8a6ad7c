package manual

import (
	"bytes"
	"image"
	_ "image/jpeg" // the pictures' formats
	_ "image/png"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// pictured is the address of a picture that a page shows; empty if it is not one
// of ours. Nothing is fetched from elsewhere.
func pictured(pg *page, to string) string {
	at := path.Join(path.Dir(pg.file), to)
	if strings.Contains(to, ":") || path.Dir(at) != pictures {
		return ""
	}
	return Path + "/pictures/" + path.Base(at)
}

// measure writes a picture's size beside it, so that the text below does not
// jump when it arrives.
func measure(n *ast.Image, files fs.FS) {
	if len(n.Destination) == 0 {
		return
	}
	body, err := fs.ReadFile(files, pictures+"/"+path.Base(string(n.Destination)))
	if err != nil {
		return
	}
	if size, _, err := image.DecodeConfig(bytes.NewReader(body)); err == nil {
		n.SetAttributeString("width", []byte(strconv.Itoa(size.Width)))
		n.SetAttributeString("height", []byte(strconv.Itoa(size.Height)))
	}
}
