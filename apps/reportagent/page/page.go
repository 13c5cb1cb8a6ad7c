// Package page is what people see of reports. So far that is what the platform's own pages say of them.
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
