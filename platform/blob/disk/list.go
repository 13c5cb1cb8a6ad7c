package disk

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"
)

// List visits every object whose key begins with a prefix, whoever put it there, in
// any order, and ends with the first error of visit. Keys are what Load takes; what
// is still being written is none.
func (f *Folder) List(ctx context.Context, prefix string, visit func(key string, size int64, modified time.Time) error) error {
	return fs.WalkDir(f.root.FS(), ".", func(key string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // it went while we looked
			return nil
		case err != nil:
			return readFault(err)
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() && (key == drafts || !leads(key+"/", prefix) && key != "."):
			return fs.SkipDir
		case !d.Type().IsRegular() || !strings.HasPrefix(key, prefix):
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return readFault(err)
		}
		return visit(key, info.Size(), info.ModTime().UTC())
	})
}

// leads reports whether objects with a prefix may lie in a folder.
func leads(folder, prefix string) bool {
	return strings.HasPrefix(folder, prefix) || strings.HasPrefix(prefix, folder)
}
