package ingest

import (
	"context"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
)

// A memory keeps every answer of one ingest as a snapshot, and gives it back when the
// same is asked again. So a step that was cut short goes on where it was, and the
// object is made of the bytes that were kept, not of what was in memory.
type memory struct {
	store  *store.Store
	in     store.IngestInput
	closed bool // nobody is asked any more: what was not kept is not there
}

// Find is the answer to a question that was asked before.
func (m *memory) Find(ctx context.Context, source, url string) (snap outside.Snapshot, known bool, err error) {
	a, err := m.store.IngestAnswer(ctx, m.in, source, url, origin.Named(source).MaxBytes)
	switch {
	case err != nil:
		return snap, false, err
	case a == nil && m.closed:
		return snap, false, fault.New(fault.Conflict, "an answer of %s that %s needs was not kept", source, m.in.Ingest).
			WithNext("ingest again")
	case a == nil:
		return snap, false, nil
	}
	return outside.SnapshotOf(source, url, a.ContentType, a.FetchedAt, a.Body), true, nil
}

// Keep keeps an answer. One that cannot be used is evidence of that, and is not given
// back: the question may be asked again. same is false where another answer to the
// same question was kept before.
func (m *memory) Keep(ctx context.Context, snap outside.Snapshot, good bool) (same bool, err error) {
	a := store.IngestAnswer{Source: snap.Name, URL: snap.URL, ContentType: snap.ContentType, FetchedAt: snap.FetchedAt, Body: snap.Body}
	return m.store.KeepIngestAnswer(ctx, m.in, a, good)
}
