package gavel

import (
	"embed"
	"io/fs"
)

//go:embed *.md docs/*/*.md docs/pictures
var documents embed.FS

// Documents are the project's documents and their pictures, each under its path
// in the repository, so that a server can show the ones it was built with. It
// stands here because nothing lower down can reach README.md.
func Documents() fs.FS { return documents }
