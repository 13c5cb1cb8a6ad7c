// Package outside asks the services beyond our walls: fires, air, weather, the data lake
// and the commission that reports are filed with. Every request goes through fetch.go,
// which keeps to a service's rate and never shows a key. Whatever was received stays as
// it came, as a Snapshot; a source that gave nothing is Away, and says what that costs.
//
// Harmonise puts what they gave into one object of the lake.
package outside

import (
	"context"
	"errors"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Snapshot is what a source answered, byte for byte.
type Snapshot struct {
	Name        string // of the source
	URL         string // what was asked, without any key
	FetchedAt   time.Time
	SHA256      blob.Digest
	Bytes       int64
	ContentType string // as the source says
	Body        []byte
}

// SnapshotOf is the snapshot of some bytes.
func SnapshotOf(name, url, contentType string, at time.Time, body []byte) Snapshot {
	return Snapshot{Name: name, URL: url, FetchedAt: at.UTC().Truncate(time.Second), SHA256: blob.Sum(body), Bytes: int64(len(body)),
		ContentType: contentType, Body: body}
}

// Listed is the snapshot as the lake lists its sources.
func (s Snapshot) Listed() lake.Source {
	return lake.Source{Name: s.Name, URL: s.URL, Fetched: s.FetchedAt, Bytes: s.Bytes, SHA256: s.SHA256.String()}
}

// An Away is the fault of a source that gave nothing that can be used. It says
// what that costs, so that whoever goes on without it can say so too.
type Away struct {
	Source string // its name
	Costs  string // what is lost, as origin.Source.Without says
	Fault  *fault.Error
}

// Error is what was tried, what is wrong and what it costs.
func (a *Away) Error() string { return a.Fault.Error() }

// Unwrap is the fault, by which the kind and the words are found.
func (a *Away) Unwrap() error { return a.Fault }

// away makes the fault of a source. A context that ended is the caller's doing and
// stays what it is.
func away(ctx context.Context, s origin.Source, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Away](err); ok {
		return err
	}
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	text, next := fault.Words(err)
	f := fault.From(fault.KindOf(err), err, "%s: %s; without it %s", s.Title, text, s.Without)
	if next != "" {
		f = f.WithNext("%s", next)
	}
	return &Away{Source: s.Name, Costs: s.Without, Fault: f}
}

// Lost is the fault of a source, by its name, that gave nothing for a reason.
func Lost(ctx context.Context, source string, err error) error {
	return away(ctx, origin.Named(source), err)
}

// A Memory keeps what services answered, and gives it back when the same is asked again.
type Memory interface {
	// Find is the answer to a question that was asked before.
	Find(ctx context.Context, source, url string) (snap Snapshot, known bool, err error)
	// Keep keeps an answer; good says whether it can be used. same is false where another
	// answer to the same question was kept before.
	Keep(ctx context.Context, snap Snapshot, good bool) (same bool, err error)
}

// A Network is what all clients of outside services share.
type Network struct {
	Now func() time.Time // tells when something was fetched; nil tells nothing
	// Wait pauses before a request is tried again; nil waits in real time. It is
	// not the scaled clock that is waited by: the services outside live in real
	// time, whatever a demonstration does.
	Wait func(ctx context.Context, d time.Duration) error
	// Patience bounds one try, from the first byte sent to the last received; 0 is
	// a minute.
	Patience time.Duration
}

// now is when something was fetched.
func (n Network) now() time.Time {
	if n.Now == nil {
		return time.Time{}
	}
	return n.Now()
}

// pause waits in real time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-timer.Done()
	return context.Cause(ctx)
}
