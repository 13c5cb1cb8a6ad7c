package blob

import (
	"context"
	"io"
)

// An ETag names one version of an object. It is opaque, never empty for an
// object that exists, and only comparable within one backend. Two versions
// with the same bytes may share an ETag.
type ETag string

// Absent is the version of an object that does not exist: who writes with it
// claims to be the first.
const Absent ETag = ""

// A Backend moves bytes in and out of some storage, under keys made by Store.
// Every write it makes is atomic and conditional: readers see the old object
// or the new one, whole, and never a part. Once Commit has returned without an
// error the object survives a crash of the machine.
type Backend interface {
	// Draft begins a new object, which nobody can see until it is committed.
	Draft(ctx context.Context) (Draft, error)
	// Open streams an object. The size is the one promised by the storage;
	// the reader's errors carry a fault.
	Open(ctx context.Context, key string) (body io.ReadCloser, size int64, err error)
	// Load reads an object of at most max bytes with its version.
	Load(ctx context.Context, key string, max int64) ([]byte, ETag, error)
	// Stat is the size of an object.
	Stat(ctx context.Context, key string) (size int64, err error)
	// Ping reports why the backend could not be used now, or nil.
	Ping(ctx context.Context) error
}

// A Draft is an object being written. Exactly one of Commit and Discard has an
// effect; Discard after Commit does nothing, so it can be deferred.
type Draft interface {
	io.Writer
	// Commit makes everything written visible under key, provided that the
	// object is still at version prev (Absent: that there is none). Otherwise
	// it is a Conflict where prev is Absent and Stale where it is not. The
	// digest is that of all bytes written, for backends that can have it
	// checked on the way.
	Commit(ctx context.Context, key string, d Digest, prev ETag) (ETag, error)
	// Discard gives up the draft and leaves nothing behind.
	Discard() error
}
