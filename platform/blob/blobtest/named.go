package blobtest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

func takenName(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{})
	first, err := s.PutNamed(t.Context(), "log/checkpoint", []byte("one"), blob.Absent)
	if err != nil || first == blob.Absent {
		t.Fatalf("first: got version %q, %v", first, err)
	}
	for _, data := range []string{"two", "one"} { // the same bytes are no excuse
		_, err = s.PutNamed(t.Context(), "log/checkpoint", []byte(data), blob.Absent)
		expectKind(t, "second first writer", err, fault.Conflict)
	}
	data, etag, err := s.GetNamed(t.Context(), "log/checkpoint")
	if err != nil || string(data) != "one" || etag != first {
		t.Errorf("got %q, version %q, %v; want the first write, version %q", data, etag, err, first)
	}
}

func overtakenWriter(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{})
	_, err := s.PutNamed(t.Context(), "head", []byte("x"), `"d41d8cd98f00b204e9800998ecf8427e"`)
	expectKind(t, "a version of nothing", err, fault.Stale)

	one, err := s.PutNamed(t.Context(), "head", []byte("one"), blob.Absent)
	if err != nil {
		t.Fatal(err)
	}
	two, err := s.PutNamed(t.Context(), "head", []byte("two"), one)
	if err != nil || two == one {
		t.Fatalf("second: got version %q after %q, %v", two, one, err)
	}
	_, err = s.PutNamed(t.Context(), "head", []byte("three"), one)
	expectKind(t, "the overtaken writer", err, fault.Stale)
	if data, etag, err := s.GetNamed(t.Context(), "head"); err != nil || string(data) != "two" || etag != two {
		t.Errorf("got %q, version %q, %v; want two, version %q", data, etag, err, two)
	}
	if _, err = s.PutNamed(t.Context(), "head", nil, two); err != nil {
		t.Errorf("emptying it: %v", err)
	}
}

// noUpdateLost counts to 30 in one object from six writers at once.
func noUpdateLost(t *testing.T, b blob.Backend) {
	const writers, each = 6, 5
	s := blob.New(b, blob.Config{})
	if _, err := s.PutNamed(t.Context(), "count", []byte("0"), blob.Absent); err != nil {
		t.Fatal(err)
	}
	var all errgroup.Group
	for range writers {
		all.Go(func() error {
			for done := 0; done < each; {
				data, etag, err := s.GetNamed(t.Context(), "count")
				if err != nil {
					return err
				}
				n, err := strconv.Atoi(string(data))
				if err != nil {
					return fmt.Errorf("read a torn object: %w", err)
				}
				_, err = s.PutNamed(t.Context(), "count", []byte(strconv.Itoa(n+1)), etag)
				switch {
				case err == nil:
					done++
				case !fault.Is(err, fault.Stale):
					return err
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	if data, _, err := s.GetNamed(t.Context(), "count"); err != nil || string(data) != "30" {
		t.Errorf("got %q, %v; want 30", data, err)
	}
}

func oneFirstWriter(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{})
	var won atomic.Int32
	var all errgroup.Group
	for i := range 8 {
		all.Go(func() error {
			_, err := s.PutNamed(t.Context(), "first", []byte{byte(i)}, blob.Absent)
			if err == nil {
				won.Add(1)
			} else if !fault.Is(err, fault.Conflict) {
				return err
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	if won.Load() != 1 {
		t.Errorf("%d writers believe they were first, want 1", won.Load())
	}
}

func namesStayInside(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{})
	for _, name := range []string{
		"", "/", "..", ".", "../x", "x/../../y", "x/..", "./x", "/etc/passwd", "x/", "x//y", ".hidden", "x/.y",
		`x\y`, `..\x`, "x y", "x\x00y", "x\ny", "naïve", "x%2e%2e/y", "x?y", "x#y", "c:x",
		strings.Repeat("x", 201), strings.Repeat("x/", 256) + "y",
	} {
		_, err := s.PutNamed(t.Context(), name, []byte("x"), blob.Absent)
		expectKind(t, fmt.Sprintf("put %q", name), err, fault.Invalid)
		_, _, err = s.GetNamed(t.Context(), name)
		expectKind(t, fmt.Sprintf("get %q", name), err, fault.Invalid)
	}
	for _, name := range []string{"x", "tile/0/x001/234", "tile/0/x001/234.p/5", "a..b", "A-b_c.json", strings.Repeat("x", 200)} {
		if _, err := s.PutNamed(t.Context(), name, []byte(name), blob.Absent); err != nil {
			t.Errorf("put %q: %v", name, err)
		}
		if data, _, err := s.GetNamed(t.Context(), name); err != nil || string(data) != name {
			t.Errorf("get %q: got %q, %v", name, data, err)
		}
	}
}

func boundedNames(t *testing.T, b blob.Backend) {
	roomy, tight := blob.New(b, blob.Config{MaxNamedBytes: 2000}), blob.New(b, blob.Config{MaxNamedBytes: 1000})
	_, err := tight.PutNamed(t.Context(), "big", content(1001), blob.Absent)
	expectKind(t, "put over the bound", err, fault.TooLarge)
	if _, err := roomy.PutNamed(t.Context(), "big", content(1001), blob.Absent); err != nil {
		t.Fatal(err)
	}
	_, _, err = tight.GetNamed(t.Context(), "big")
	expectKind(t, "get over the bound", err, fault.TooLarge)
	if data, _, err := roomy.GetNamed(t.Context(), "big"); err != nil || !bytes.Equal(data, content(1001)) {
		t.Errorf("got %d bytes, %v", len(data), err)
	}
}
