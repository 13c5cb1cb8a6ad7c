// Package page is what people see of Gate Pass. So far that is words alone: of its cases, records and settings, which stand on
// the platform's own pages.
package page

import (
	"embed"
	"io/fs"
)

//go:embed messages
var messages embed.FS

// Messages is the text of the application, by language.
func Messages() fs.FS {
	sub, err := fs.Sub(messages, "messages")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	return sub
}
