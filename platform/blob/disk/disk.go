// Package disk keeps blobs in a folder, for one machine: small installations,
// tests and the command line. Several processes may share the folder.
//
// An object is written to a file of its own under tmp/, forced to the medium,
// and only then given its key by a hard link or a rename; the folders above are
// forced out before Commit returns. The file system must therefore support
// hard links and flock, as the local file systems of Unix do.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

const (
	drafts   = "tmp"
	lockFile = "lock"
	// abandoned is the age after which a draft can only be left over from a
	// crash: no upload takes a day.
	abandoned = 24 * time.Hour
)

// A Folder is a blob.Backend on a folder.
type Folder struct {
	// root confines every path: no key and no symbolic link leads out of it.
	root *os.Root
}

// Open opens the folder that a file URL names ("file:///var/lib/gavel/blobs"),
// making it if it is missing, and clears drafts that a crash left behind.
func Open(rawURL string) (*Folder, error) {
	path, err := parse(rawURL)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(path, drafts), 0o700); err != nil {
		return nil, fault.From(fault.Unavailable, err, "the blob folder %s cannot be made", path)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fault.From(fault.Unavailable, err, "the blob folder %s cannot be opened", path)
	}
	f := &Folder{root: root}
	if err := f.sweep(time.Now().Add(-abandoned)); err != nil {
		root.Close()
		return nil, err
	}
	return f, nil
}

func parse(rawURL string) (string, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "file" {
		return "", fault.New(fault.Invalid, "a blob folder is given as file:///absolute/path")
	}
	if (u.Host != "" && u.Host != "localhost") || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fault.New(fault.Invalid, "a blob folder's address has a path and nothing else")
	}
	if !filepath.IsAbs(u.Path) || filepath.Clean(u.Path) == "/" {
		return "", fault.New(fault.Invalid, "a blob folder is an absolute path below /")
	}
	return filepath.Clean(u.Path), nil
}

// Close releases the folder. Readers that are open stay usable.
func (f *Folder) Close() error { return f.root.Close() }

// sweep removes drafts last written before a time.
func (f *Folder) sweep(before time.Time) error {
	entries, err := fs.ReadDir(f.root.FS(), drafts)
	if err != nil {
		return fault.From(fault.Unavailable, err, "the drafts of the blob folder cannot be listed")
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.ModTime().After(before) {
			continue // it was finished meanwhile, or is being written
		}
		if err := f.root.Remove(filepath.Join(drafts, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.From(fault.Unavailable, err, "an abandoned draft cannot be removed")
		}
	}
	return nil
}

// Open streams an object.
func (f *Folder) Open(ctx context.Context, key string) (io.ReadCloser, int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	file, err := f.root.Open(filepath.FromSlash(key))
	if err != nil {
		return nil, 0, readFault(err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist // a folder of other names
	}
	if err != nil {
		file.Close()
		return nil, 0, readFault(err)
	}
	return reader{file}, info.Size(), nil
}

// Load reads an object of at most limit bytes. Its version is the digest of
// its bytes.
func (f *Folder) Load(ctx context.Context, key string, limit int64) ([]byte, blob.ETag, error) {
	body, size, err := f.Open(ctx, key)
	if err != nil {
		return nil, "", err
	}
	defer body.Close()
	if size > limit {
		return nil, "", fault.New(fault.TooLarge, "the object has %d bytes; at most %d were asked for", size, limit)
	}
	// Objects are replaced, never written in place: the size holds.
	data := make([]byte, size)
	if _, err := io.ReadFull(body, data); err != nil {
		return nil, "", fmt.Errorf("read object: %w", err)
	}
	return data, etag(blob.Sum(data)), nil
}

// Stat is the size of an object.
func (f *Folder) Stat(ctx context.Context, key string) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	info, err := f.root.Stat(filepath.FromSlash(key))
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return 0, readFault(err)
	}
	return info.Size(), nil
}

// Ping writes and removes a draft, so that a full or read-only disk is noticed.
func (f *Folder) Ping(ctx context.Context) error {
	d, err := f.Draft(ctx)
	if err != nil {
		return err
	}
	_, err = d.Write([]byte("ping"))
	return errors.Join(err, d.Discard())
}

func etag(d blob.Digest) blob.ETag { return blob.ETag(d.String()) }

// A reader gives a file's errors a kind.
type reader struct{ *os.File }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.File.Read(p)
	if err != nil && err != io.EOF {
		err = readFault(err)
	}
	return n, err
}

func readFault(err error) error {
	if errors.Is(err, fs.ErrNotExist) || isNotFolder(err) {
		return fault.From(fault.NotFound, err, "nothing is stored there")
	}
	return fault.From(fault.Unavailable, err, "the blob folder cannot be read")
}
