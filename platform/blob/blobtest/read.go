package blobtest

import (
	"errors"
	"io"
	"testing"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// overwrite puts other bytes where a blob lies, which no Store ever does.
func overwrite(t *testing.T, b blob.Backend, d blob.Digest, data []byte) {
	t.Helper()
	_, etag, err := b.Load(t.Context(), key(d), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	draft, err := b.Draft(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer draft.Discard()
	if _, err := draft.Write(data); err != nil {
		t.Fatal(err)
	}
	if _, err := draft.Commit(t.Context(), key(d), blob.Sum(data), etag); err != nil {
		t.Fatal(err)
	}
}

func damageOnRead(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{})
	for i, damage := range map[int]func([]byte) []byte{
		100_000: func(p []byte) []byte { p[50_000] ^= 1; return p },
		100_001: func(p []byte) []byte { return p[:len(p)-1] },
		100_002: func(p []byte) []byte { return append(p, 0) },
		100_003: func(p []byte) []byte { return nil },
	} {
		data := content(i)
		d := mustPut(t, s, data)
		overwrite(t, b, d, damage(data))

		_, err := s.Bytes(t.Context(), d, 1<<20)
		expectDamaged(t, "bytes", err)
		r, err := s.Open(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(r)
		expectDamaged(t, "stream", err)
		_, err = r.Read(make([]byte, 1))
		expectDamaged(t, "stream, asked again", err)
		r.Close()
	}
}

func damageOnSecondPut(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{})
	data := content(5000)
	overwrite(t, b, mustPut(t, s, data), data[:4999])
	_, err := s.PutBytes(t.Context(), data)
	expectDamaged(t, "put over a shorter object", err)
}

func expectDamaged(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, blob.ErrDamaged) || !fault.Is(err, fault.Internal) {
		t.Errorf("%s: got %v, want an internal fault that is ErrDamaged", what, err)
	}
}

func boundedBytes(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{})
	d := mustPut(t, s, content(1000))
	if _, err := s.Bytes(t.Context(), d, 1000); err != nil {
		t.Errorf("at the bound: %v", err)
	}
	_, err := s.Bytes(t.Context(), d, 999)
	expectKind(t, "over the bound", err, fault.TooLarge)
}
