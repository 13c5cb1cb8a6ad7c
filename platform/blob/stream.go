package blob

import (
	"context"
	"crypto/sha256"
	"hash"
	"io"

	"github.com/gavelhq/gavel/platform/fault"
)

// A verifier passes a blob through and withholds io.EOF from one that does not
// match its address.
type verifier struct {
	body io.ReadCloser
	hash hash.Hash
	want Digest
	done error // what the end of the stream was found to be, kept for later reads
}

func newVerifier(body io.ReadCloser, want Digest) *verifier {
	return &verifier{body: body, hash: sha256.New(), want: want}
}

// Read verifies what it passes on.
func (v *verifier) Read(p []byte) (int, error) {
	if v.done != nil {
		return 0, v.done
	}
	n, err := v.body.Read(p)
	v.hash.Write(p[:n])
	if err == io.EOF && Digest(v.hash.Sum(nil)) != v.want {
		err = fault.New(fault.Internal, "blob %s is damaged: %w", v.want, ErrDamaged)
	}
	v.done = err
	return n, err
}

// Close closes the stored object; a blob closed before its end is not verified.
func (v *verifier) Close() error { return v.body.Close() }

// A readFunc is a Read method on its own.
type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// until reads from r for as long as ctx lasts. It cannot interrupt a Read that
// is blocked; the source's own deadline must.
func until(ctx context.Context, r io.Reader) io.Reader {
	return readFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return r.Read(p)
	})
}
