package disk

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// lockPoll is how often a writer looks whether the folder's lock is free. It is
// held for one small file's read and rename.
const lockPoll = 2 * time.Millisecond

// A draft is a file under tmp/ that is not yet an object.
type draft struct {
	folder *Folder
	file   *os.File
	name   string // below the root
	done   bool
}

// Draft begins an object. The file is readable by its owner only and writable
// through this draft alone.
func (f *Folder) Draft(ctx context.Context) (blob.Draft, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	name := filepath.Join(drafts, rand.Text())
	file, err := f.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o400)
	if err != nil {
		return nil, writeFault(err)
	}
	return &draft{folder: f, file: file, name: name}, nil
}

func (d *draft) Write(p []byte) (int, error) {
	n, err := d.file.Write(p)
	if err != nil {
		err = writeFault(err)
	}
	return n, err
}

// Discard removes the draft's file unless it became an object.
func (d *draft) Discard() error {
	if d.done {
		return nil
	}
	d.done = true
	err := errors.Join(d.file.Close(), d.folder.root.Remove(d.name))
	if err != nil {
		return writeFault(err)
	}
	return nil
}

// Commit forces the bytes out, gives them their key and forces that out too.
func (d *draft) Commit(ctx context.Context, key string, sum blob.Digest, prev blob.ETag) (blob.ETag, error) {
	defer d.Discard()
	if err := d.file.Sync(); err != nil {
		return "", writeFault(err)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := d.folder.root.MkdirAll(path.Dir(key), 0o700); err != nil {
		return "", writeFault(err)
	}
	err := d.place(ctx, key, prev)
	// Also where the key was taken: its owner may not have come to this point
	// yet, and the caller is about to rely on the object.
	if syncErr := d.folder.syncAbove(key); err == nil {
		err = syncErr
	}
	if err != nil {
		return "", err
	}
	return etag(sum), nil
}

func (d *draft) place(ctx context.Context, key string, prev blob.ETag) error {
	if prev == blob.Absent {
		// A link, unlike a rename, fails where the key is taken: atomic, no lock.
		err := d.folder.root.Link(d.name, filepath.FromSlash(key))
		if errors.Is(err, fs.ErrExist) {
			return fault.From(fault.Conflict, err, "there is an object of that name already")
		}
		if err != nil {
			return writeFault(err)
		}
		return nil
	}
	unlock, err := d.folder.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := d.folder.expect(ctx, key, prev); err != nil {
		return err
	}
	if err := d.folder.root.Rename(d.name, filepath.FromSlash(key)); err != nil {
		return writeFault(err)
	}
	d.done = true
	d.file.Close()
	return nil
}

// expect is Stale unless the object under key is at version prev. The caller
// holds the lock.
func (f *Folder) expect(ctx context.Context, key string, prev blob.ETag) error {
	size, err := f.Stat(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Stale, "the object is not there any more")
	}
	if err != nil {
		return err
	}
	_, now, err := f.Load(ctx, key, size)
	if err != nil {
		return err
	}
	if now != prev {
		return fault.New(fault.Stale, "the object changed since it was read")
	}
	return nil
}

// lock keeps out every other replacer of this folder, in this process and in
// others, until unlock. A process that dies lets go of it.
func (f *Folder) lock(ctx context.Context) (unlock func(), err error) {
	file, err := f.root.OpenFile(lockFile, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, writeFault(err)
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { file.Close() }, nil // closing releases the lock
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			file.Close()
			return nil, writeFault(err)
		}
		select {
		case <-ctx.Done():
			file.Close()
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// syncAbove forces out every folder above key, since a link or a new folder is
// only durable once the folder that holds it is.
func (f *Folder) syncAbove(key string) error {
	for dir := path.Dir(key); ; dir = path.Dir(dir) {
		folder, err := f.root.Open(filepath.FromSlash(dir))
		if err != nil {
			return writeFault(err)
		}
		err = folder.Sync()
		folder.Close()
		if err != nil {
			return writeFault(err)
		}
		if dir == "." {
			return nil
		}
	}
}

func isNotFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

func writeFault(err error) error {
	if isNotFolder(err) || errors.Is(err, fs.ErrExist) {
		return fault.From(fault.Conflict, err, "part of the name is an object, not a folder")
	}
	return fault.From(fault.Unavailable, err, "the blob folder cannot be written")
}
