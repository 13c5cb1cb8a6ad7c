// Package blobtest holds the promises that every blob.Backend keeps, as one
// suite of tests, and finds the S3 server that tests run against.
package blobtest

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// Run tests a backend. open returns a new, empty one for each test and cleans
// up after it.
func Run(t *testing.T, open func(*testing.T) blob.Backend) {
	for _, promise := range []struct {
		name string
		test func(*testing.T, blob.Backend)
	}{
		{"RoundTrip", roundTrip},
		{"SameBytesAtOnceAreOneBlob", sameBytesAtOnce},
		{"WhatIsOverTheBoundIsNotStored", overTheBound},
		{"AFailedSourceLeavesNothing", failedSource},
		{"ACancelledPutLeavesNothing", cancelledPut},
		{"ACancelledContextStopsEveryCall", cancelledCalls},
		{"DamageIsSeenOnRead", damageOnRead},
		{"DamageIsSeenOnSecondPut", damageOnSecondPut},
		{"WhatIsMissingIsNotFound", missing},
		{"BytesAreBounded", boundedBytes},
		{"LargeBlobsNeedLittleMemory", littleMemory},
		{"ADiscardedDraftLeavesNothing", discardedDraft},
		{"ATakenNameIsAConflict", takenName},
		{"AnOvertakenWriterIsStale", overtakenWriter},
		{"NoUpdateIsLost", noUpdateLost},
		{"OneOfManyFirstWritersWins", oneFirstWriter},
		{"NamesStayInTheirFolder", namesStayInside},
		{"NamedObjectsAreBounded", boundedNames},
		{"PingAnswers", pingAnswers},
	} {
		t.Run(promise.name, func(t *testing.T) { promise.test(t, open(t)) })
	}
}

// content is n bytes that do not compress and are the same every time.
func content(n int) []byte {
	data := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16)}).Read(data)
	return data
}

// key is where Store keeps a blob: part of the format, so that a bucket can be
// read without Gavel.
func key(d blob.Digest) string {
	hex := d.String()
	return "blobs/" + hex[:2] + "/" + hex[2:4] + "/" + hex
}

func expectKind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if !fault.Is(err, want) {
		t.Errorf("%s: got error %v, want kind %s", what, err, want)
	}
}

func mustPut(t *testing.T, s *blob.Store, data []byte) blob.Digest {
	t.Helper()
	d, err := s.PutBytes(t.Context(), data)
	if err != nil {
		t.Fatalf("put %d bytes: %v", len(data), err)
	}
	return d
}

func expectAbsent(t *testing.T, s *blob.Store, data []byte) {
	t.Helper()
	_, err := s.Stat(context.WithoutCancel(t.Context()), blob.Sum(data))
	expectKind(t, "stat of what must not be stored", err, fault.NotFound)
}

func roundTrip(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{})
	for _, n := range []int{0, 1, 64 << 10, 1 << 20, 1<<20 + 1, 3 << 20} {
		data := content(n)
		d, size, err := s.Put(t.Context(), bytes.NewReader(data))
		if err != nil || d != blob.Sum(data) || size != int64(n) {
			t.Fatalf("put %d bytes: got %s, %d, %v", n, d, size, err)
		}
		if size, err := s.Stat(t.Context(), d); err != nil || size != int64(n) {
			t.Errorf("stat of %d bytes: got %d, %v", n, size, err)
		}
		if got, err := s.Bytes(t.Context(), d, int64(n)); err != nil || !bytes.Equal(got, data) {
			t.Errorf("bytes of %d bytes: got %d bytes, %v", n, len(got), err)
		}
		r, err := s.Open(t.Context(), d)
		if err != nil {
			t.Fatalf("open %d bytes: %v", n, err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, data) {
			t.Errorf("stream of %d bytes: got %d bytes, %v", n, len(got), err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

func missing(t *testing.T, b blob.Backend) {
	s := blob.New(b, blob.Config{})
	d := blob.Sum([]byte("never stored"))
	_, err := s.Open(t.Context(), d)
	expectKind(t, "open", err, fault.NotFound)
	_, err = s.Bytes(t.Context(), d, 10)
	expectKind(t, "bytes", err, fault.NotFound)
	_, err = s.Stat(t.Context(), d)
	expectKind(t, "stat", err, fault.NotFound)
	_, _, err = s.GetNamed(t.Context(), "log/checkpoint")
	expectKind(t, "get named", err, fault.NotFound)
}

func pingAnswers(t *testing.T, b blob.Backend) {
	if err := blob.New(b, blob.Config{}).Ping(t.Context()); err != nil {
		t.Error(err)
	}
}
