package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/gavelhq/gavel/platform/fault"
)

// The bounds of a Store whose Config names none. A single upload to S3 ends at
// 5 GiB, so no Config may go beyond that.
const (
	DefaultMaxBytes      = 1 << 30 // 1 GiB for a blob
	DefaultMaxNamedBytes = 8 << 20 // 8 MiB for a named object, which is held in memory
	largestMaxBytes      = 5 << 30
)

// copyBuffer is the memory a streaming Put needs, beside the backend's own.
const copyBuffer = 64 << 10

// ErrDamaged says that stored bytes no longer match the address they are kept
// under. Trying again will not help: the object must be restored from a copy.
var ErrDamaged = errors.New("stored bytes do not match their address")

// A Config bounds a Store. Zero values take the defaults.
type Config struct {
	MaxBytes      int64 // largest blob that Put accepts
	MaxNamedBytes int64 // largest object that PutNamed accepts and GetNamed returns
}

// A Store keeps blobs by digest and small objects by name. It is safe for
// concurrent use, also by several processes on one backend.
type Store struct {
	backend Backend
	bounds  Config
}

// New makes a store on a backend.
func New(backend Backend, bounds Config) *Store {
	if bounds.MaxBytes <= 0 {
		bounds.MaxBytes = DefaultMaxBytes
	}
	if bounds.MaxNamedBytes <= 0 {
		bounds.MaxNamedBytes = DefaultMaxNamedBytes
	}
	bounds.MaxBytes = min(bounds.MaxBytes, largestMaxBytes)
	return &Store{backend: backend, bounds: bounds}
}

// Limited is the same store with a lower bound for Put: what one caller may
// send. It never raises the bound.
func (s *Store) Limited(maxBytes int64) *Store {
	bounds := s.bounds
	bounds.MaxBytes = max(0, min(bounds.MaxBytes, maxBytes))
	return &Store{backend: s.backend, bounds: bounds}
}

// Put stores all that r yields and returns its address and size. Storing the
// same bytes again is no error and changes nothing. Where r fails, the bound is
// passed or ctx ends, nothing is stored. Memory use does not grow with the size.
func (s *Store) Put(ctx context.Context, r io.Reader) (Digest, int64, error) {
	draft, err := s.backend.Draft(ctx)
	if err != nil {
		return Digest{}, 0, fmt.Errorf("begin blob: %w", err)
	}
	defer draft.Discard()

	d, size, err := s.fill(ctx, draft, r)
	if err != nil {
		return Digest{}, 0, err
	}
	_, err = draft.Commit(ctx, d.key(), d, Absent)
	if fault.Is(err, fault.Conflict) {
		err = s.expectSize(ctx, d, size)
	}
	if err != nil {
		return Digest{}, 0, fmt.Errorf("store blob %s: %w", d, err)
	}
	return d, size, nil
}

// fill copies r into the draft up to the bound and hashes it on the way.
func (s *Store) fill(ctx context.Context, draft Draft, r io.Reader) (Digest, int64, error) {
	hash := sha256.New()
	// One byte over the bound is enough to know that it is passed.
	bounded := io.LimitReader(until(ctx, r), s.bounds.MaxBytes+1)
	size, err := io.CopyBuffer(io.MultiWriter(draft, hash), bounded, make([]byte, copyBuffer))
	if err != nil {
		return Digest{}, 0, fmt.Errorf("receive blob: %w", err)
	}
	if size > s.bounds.MaxBytes {
		return Digest{}, 0, fault.New(fault.TooLarge, "a blob may have at most %d bytes here", s.bounds.MaxBytes)
	}
	if err := ctx.Err(); err != nil {
		return Digest{}, 0, fmt.Errorf("receive blob: %w", err)
	}
	return Digest(hash.Sum(nil)), size, nil
}

// expectSize is asked when the address is taken already: by the same bytes,
// unless what lies there was damaged.
func (s *Store) expectSize(ctx context.Context, d Digest, want int64) error {
	got, err := s.backend.Stat(ctx, d.key())
	if err != nil {
		return err
	}
	if got != want {
		return fault.New(fault.Internal, "blob %s has %d bytes where %d belong: %w", d, got, want, ErrDamaged)
	}
	return nil
}

// PutBytes is Put for bytes already in memory.
func (s *Store) PutBytes(ctx context.Context, data []byte) (Digest, error) {
	d, _, err := s.Put(ctx, bytes.NewReader(data))
	return d, err
}

// Open streams a blob. The bytes are verified as they are read: io.EOF is
// returned only when all of them match the address, and an error that is
// ErrDamaged when they do not. Until io.EOF the bytes read are unproven and must
// not be acted on. The caller closes the reader.
func (s *Store) Open(ctx context.Context, d Digest) (io.ReadCloser, error) {
	body, _, err := s.backend.Open(ctx, d.key())
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", d, err)
	}
	return newVerifier(body, d), nil
}

// Bytes reads a whole blob of at most limit bytes into memory, verified.
func (s *Store) Bytes(ctx context.Context, d Digest, limit int64) ([]byte, error) {
	body, size, err := s.backend.Open(ctx, d.key())
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", d, err)
	}
	defer body.Close()
	if size > limit {
		return nil, fault.New(fault.TooLarge, "blob %s has %d bytes; at most %d were asked for", d, size, limit)
	}
	data := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	// The promised size may be wrong in a damaged store, so the bound holds here too.
	n, err := io.Copy(data, io.LimitReader(newVerifier(body, d), size+1))
	if err != nil {
		return nil, fmt.Errorf("read blob %s: %w", d, err)
	}
	if n > size {
		return nil, fault.New(fault.Internal, "blob %s is longer than its %d bytes: %w", d, size, ErrDamaged)
	}
	return data.Bytes(), nil
}

// Stat is the size of a blob in bytes, without reading it.
func (s *Store) Stat(ctx context.Context, d Digest) (int64, error) {
	size, err := s.backend.Stat(ctx, d.key())
	if err != nil {
		return 0, fmt.Errorf("look for blob %s: %w", d, err)
	}
	return size, nil
}

// Ping reports why the store could not be used now, or nil. It asks the real
// backend and may take as long as ctx allows.
func (s *Store) Ping(ctx context.Context) error { return s.backend.Ping(ctx) }
