// Package page is what people read of NE-NETRA on pages. So far that is what the platform's own pages say of it.
package page

import (
	"embed"
	"io/fs"
)

//go:embed messages
var messages embed.FS

// Messages is the text, by language.
func Messages() fs.FS {
	sub, err := fs.Sub(messages, "messages")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	return sub
}
