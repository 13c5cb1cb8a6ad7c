package blobtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

func sameBytesAtOnce(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{})
	data := content(200 << 10)
	var writers errgroup.Group
	for range 8 {
		writers.Go(func() error {
			d, err := s.PutBytes(t.Context(), data)
			if err == nil && d != blob.Sum(data) {
				err = errors.New("a wrong address: " + d.String())
			}
			return err
		})
	}
	if err := writers.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Bytes(t.Context(), blob.Sum(data), int64(len(data))); err != nil || !bytes.Equal(got, data) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func overTheBound(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{MaxBytes: 100_000})
	for _, tt := range []struct {
		name  string
		store *blob.Store
		size  int
		fits  bool
	}{
		{"at the store's bound", s, 100_000, true},
		{"one over", s, 100_001, false},
		{"far over", s, 3_000_000, false},
		{"at the caller's bound", s.Limited(1000), 1000, true},
		{"over the caller's bound", s.Limited(1000), 1001, false},
		{"a caller cannot raise the bound", s.Limited(1 << 40), 100_002, false},
	} {
		data := content(tt.size)
		_, _, err := tt.store.Put(t.Context(), bytes.NewReader(data))
		if tt.fits {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		expectKind(t, tt.name, err, fault.TooLarge)
		expectAbsent(t, s, data)
		expectAbsent(t, s, data[:100_000%len(data)])
	}
}

func failedSource(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{})
	broken := errors.New("the line went dead")
	for _, n := range []int{0, 1000, 2 << 20} {
		data := content(n)
		_, _, err := s.Put(t.Context(), io.MultiReader(bytes.NewReader(data), failing{broken}))
		if !errors.Is(err, broken) {
			t.Errorf("after %d bytes: got %v, want the source's own error", n, err)
		}
		expectAbsent(t, s, data)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func cancelledPut(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{})
	for _, n := range []int{1000, 2 << 20} {
		ctx, cancel := context.WithCancel(t.Context())
		data := content(n)
		// The caller goes away between the first half and the second.
		source := io.MultiReader(bytes.NewReader(data[:n/2]), calling{cancel}, bytes.NewReader(data[n/2:]))
		_, _, err := s.Put(ctx, source)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d bytes: got %v, want context.Canceled", n, err)
		}
		expectAbsent(t, s, data)
		expectAbsent(t, s, data[:n/2])
	}

	// Nothing is read on behalf of a caller who has gone.
	ctx, cancel := context.WithCancel(t.Context())
	endless := &pattern{}
	_, _, err := s.Put(ctx, io.MultiReader(calling{cancel}, endless))
	if !errors.Is(err, context.Canceled) || endless.n > 1<<20 {
		t.Errorf("got %v after reading %d bytes more, want context.Canceled soon", err, endless.n)
	}
}

// calling is an empty source that calls a function on the way.
type calling struct{ call func() }

func (c calling) Read([]byte) (int, error) {
	c.call()
	return 0, io.EOF
}

func cancelledCalls(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{})
	kept := mustPut(t, s, []byte("kept"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"put":       func() error { _, err := s.PutBytes(ctx, []byte("late")); return err },
		"open":      func() error { _, err := s.Open(ctx, kept); return err },
		"bytes":     func() error { _, err := s.Bytes(ctx, kept, 10); return err },
		"stat":      func() error { _, err := s.Stat(ctx, kept); return err },
		"put named": func() error { _, err := s.PutNamed(ctx, "late", nil, blob.Absent); return err },
		"get named": func() error { _, _, err := s.GetNamed(ctx, "late"); return err },
		"ping":      func() error { return s.Ping(ctx) },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", name, err)
		}
	}
	expectAbsent(t, s, []byte("late"))
	_, _, err := s.GetNamed(t.Context(), "late")
	expectKind(t, "name written after cancel", err, fault.NotFound)
}

func discardedDraft(t *testing.T, b blob.Backend) {
	data := content(2 << 20)
	draft, err := b.Draft(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := draft.Write(data); err != nil {
		t.Fatal(err)
	}
	for range 2 { // once more does nothing
		if err := draft.Discard(); err != nil {
			t.Errorf("discard: %v", err)
		}
	}
	expectAbsent(t, blob.New(b, blob.Config{}), data)
}

// littleMemory moves 64 MiB each way and counts every byte allocated meanwhile,
// garbage included, so that the answer does not depend on the collector.
func littleMemory(t *testing.T, b blob.Backend) {
	const size, allowed = 64 << 20, 16 << 20
	s := blob.New(b, blob.Config{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)

	d, n, err := s.Put(t.Context(), io.LimitReader(&pattern{}, size))
	if err != nil || n != size {
		t.Fatalf("put: got %d bytes, %v", n, err)
	}
	r, err := s.Open(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := io.Copy(io.Discard, r); err != nil || n != size {
		t.Fatalf("read: got %d bytes, %v", n, err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > allowed {
		t.Errorf("moving %d bytes twice allocated %d, want at most %d", size, got, allowed)
	}
}

// pattern is an endless source that needs no memory.
type pattern struct{ n uint64 }

func (s *pattern) Read(p []byte) (int, error) {
	for i := range p {
		s.n++
		p[i] = byte(s.n ^ s.n>>8 ^ s.n>>16)
	}
	return len(p), nil
}
