package outside

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Bucket is what the lake needs of its storage: platform/blob's S3 bucket or its
// folder. Others write there too.
type Bucket interface {
	// List visits every object whose key begins with the prefix, in any order, and
	// ends with the first error of visit.
	List(ctx context.Context, prefix string, visit func(key string, size int64, modified time.Time) error) error
	// Load reads an object of at most limit bytes.
	Load(ctx context.Context, key string, limit int64) ([]byte, blob.ETag, error)
	// Draft begins a new object.
	Draft(ctx context.Context) (blob.Draft, error)
}

// LakeConfig is where the lake is.
type LakeConfig struct {
	Bucket Bucket
	Name   string // of the bucket, for addresses as s3://name/key
	Prefix string // below which objects lie; empty is data/
	Within string // folder of the bucket that all keys are below, which notices name and we do not; empty or "a/b/"
	// LastGood is the last snapshot of the lake that was kept, from before this
	// process began; a fault of the kind NotFound says that there is none. It may be
	// nil.
	LastGood LastGood
}

// LastGood finds the last snapshot of a lake that was kept.
type LastGood func(context.Context) (Snapshot, error)

// Lake reads and writes the data lake. It is safe for use by many goroutines.
type Lake struct {
	config LakeConfig
	net    Network
	source origin.Source

	mu   sync.Mutex
	good *Found // the last that was read
}

// DefaultPrefix is below which objects of the lake lie unless somebody says
// otherwise.
const DefaultPrefix = "data/"

// Bounds of a look into the lake.
const (
	maxListed  = 100_000
	maxSkipped = 5 // objects that cannot be used, before we look no further back
)

// NewLake makes a client of the lake.
func NewLake(n Network, c LakeConfig) *Lake {
	if n.Wait == nil {
		n.Wait = pause
	}
	if c.Prefix == "" {
		c.Prefix = DefaultPrefix
	}
	return &Lake{config: c, net: n, source: origin.Named(origin.Lake)}
}

// Name is what the lake's bucket is called.
func (l *Lake) Name() string { return l.config.Name }

// Arrivals are those that are files of this lake, by their keys in it.
func (l *Lake) Arrivals(all []feed.Arrival) (ours []feed.Arrival) {
	for _, a := range all {
		key, within := strings.CutPrefix(a.Key, l.config.Within)
		if a.Key = key; within && a.Bucket == l.config.Name && strings.HasPrefix(a.Key, l.config.Prefix) &&
			strings.HasSuffix(a.Key, ".json") {
			ours = append(ours, a)
		}
	}
	return ours
}

// A Found is an object of the lake.
type Found struct {
	Object   *lake.Object
	Key      string
	Modified time.Time // by the bucket's clock; zero where it was asked for by key
	Snapshot Snapshot
	Stale    bool   // an earlier object stands in for one that could not be read
	Why      string // what is wrong, where it is stale; for a person
}

// Listed is the object as a source of an analysis: stale ones say so.
func (f Found) Listed() lake.Source {
	s := f.Snapshot.Listed()
	s.Stale, s.Note = f.Stale, f.Why
	return s
}

// Latest is the newest object that can be used. Where the newest cannot be, or the
// bucket does not answer, the last good one is given, marked as stale.
func (l *Lake) Latest(ctx context.Context) (Found, error) {
	listed, err := l.list(ctx)
	if err != nil {
		return l.fallback(ctx, err)
	}
	var first error
	for i, at := range listed[:min(len(listed), maxSkipped)] {
		f, err := l.At(ctx, at.Key)
		if err == nil {
			f.Modified = at.Modified
			if i > 0 {
				f.Stale, f.Why = true, instead(first)
			}
			l.remember(f)
			return f, nil
		}
		if ctx.Err() != nil {
			return Found{}, err
		}
		first = cmp.Or(first, err)
	}
	if first == nil {
		first = fault.New(fault.NotFound, "nothing lies below %s", l.config.Prefix)
	}
	return l.fallback(ctx, first)
}

// instead says why an older object is used.
func instead(err error) string {
	text, _ := fault.Words(err)
	return "an earlier object is used: " + text
}

// list is the objects below the prefix, the newest first.
func (l *Lake) list(ctx context.Context) ([]lake.Listing, error) {
	var out []lake.Listing
	err := l.again(ctx, func() error {
		out = nil
		return l.config.Bucket.List(ctx, l.config.Prefix, func(key string, size int64, modified time.Time) error {
			if !strings.HasSuffix(key, ".json") || feed.CheckKey(key) != nil {
				return nil
			}
			if len(out) == maxListed {
				return fault.New(fault.TooLarge, "more than %d objects lie below %s", maxListed, l.config.Prefix).
					WithNext("move old objects elsewhere, or set a longer prefix")
			}
			out = append(out, lake.Listing{Key: key, Modified: modified, Bytes: size})
			return nil
		})
	})
	slices.SortFunc(out, func(a, b lake.Listing) int {
		return cmp.Or(b.Modified.Compare(a.Modified), cmp.Compare(b.Key, a.Key))
	})
	return out, err
}

// At reads one object, as a notice names it.
func (l *Lake) At(ctx context.Context, key string) (Found, error) {
	if err := feed.CheckKey(key); err != nil {
		return Found{}, err
	}
	if !strings.HasPrefix(key, l.config.Prefix) {
		return Found{}, fault.New(fault.Invalid, "object %.100q does not lie below %s", key, l.config.Prefix)
	}
	var body []byte
	if err := l.again(ctx, func() (err error) {
		body, _, err = l.config.Bucket.Load(ctx, key, lake.MaxBytes)
		return err
	}); err != nil {
		return Found{}, fmt.Errorf("read %s of the lake: %w", key, err)
	}
	object, err := lake.Read(body)
	if err != nil {
		text, next := fault.Words(err)
		return Found{}, fault.From(fault.Invalid, err, "object %s of the lake: %s", key, text).WithNext("%s", next)
	}
	return Found{Object: object, Key: key, Snapshot: SnapshotOf(origin.Lake, l.address(key), "application/json", l.net.now(), body)}, nil
}

func (l *Lake) address(key string) string { return "s3://" + l.config.Name + "/" + key }

// again tries a step of the storage, and tries it again after 1, 2 and 4 seconds
// where it does not answer.
func (l *Lake) again(ctx context.Context, do func() error) error {
	err := do()
	for _, d := range pauses() {
		if err == nil || ctx.Err() != nil || !fault.Is(err, fault.Unavailable) {
			return err
		}
		if err := l.net.Wait(ctx, d); err != nil {
			return err
		}
		err = do()
	}
	return err
}

// remember keeps an object for when the bucket does not answer, where nothing else
// does: it takes a good part of a process's memory.
func (l *Lake) remember(f Found) {
	if l.config.LastGood != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.good = &f
}

// fallback gives the last good object for one that could not be had.
func (l *Lake) fallback(ctx context.Context, cause error) (Found, error) {
	if ctx.Err() != nil {
		return Found{}, cause
	}
	l.mu.Lock()
	good := l.good
	l.mu.Unlock()
	if good == nil {
		good = l.kept(ctx)
	}
	if good == nil {
		return Found{}, away(ctx, l.source, cause)
	}
	f := *good
	f.Stale, f.Why = true, instead(cause)
	return f, nil
}

// kept is the last good object of an earlier process, nil where there is none that
// can be used.
func (l *Lake) kept(ctx context.Context) *Found {
	if l.config.LastGood == nil {
		return nil
	}
	snap, err := l.config.LastGood(ctx)
	if err != nil || snap.SHA256 != blob.Sum(snap.Body) {
		return nil
	}
	object, err := lake.Read(snap.Body)
	if err != nil {
		return nil
	}
	return &Found{Object: object, Key: strings.TrimPrefix(snap.URL, l.address("")), Snapshot: snap}
}

// Put writes an object to the lake, under its time and the beginning of its hash.
// The same object twice is there once.
func (l *Lake) Put(ctx context.Context, o *lake.Object) (Found, error) {
	body, err := o.Write()
	if err != nil {
		return Found{}, err
	}
	d := blob.Sum(body)
	key := l.config.Prefix + "harmonised_" + o.Time.UTC().Format("20060102_150405") + "_" + d.String()[:12] + ".json"
	if err := feed.CheckKey(key); err != nil {
		return Found{}, err
	}
	if err := l.again(ctx, func() error { return l.write(ctx, key, body, d) }); err != nil {
		return Found{}, away(ctx, l.source, err)
	}
	return Found{Object: o, Key: key, Snapshot: SnapshotOf(origin.Lake, l.address(key), "application/json", l.net.now(), body)}, nil
}

// PutReport puts a copy of a report into the lake and says where. The same bytes twice
// are there once; others under that name are a Conflict.
func (l *Lake) PutReport(ctx context.Context, key string, body []byte, d blob.Digest) (string, error) {
	if err := l.again(ctx, func() error { return l.write(ctx, key, body, d) }); err != nil {
		return "", err
	}
	return l.address(key), nil
}

func (l *Lake) write(ctx context.Context, key string, body []byte, d blob.Digest) error {
	draft, err := l.config.Bucket.Draft(ctx)
	if err != nil {
		return err
	}
	defer draft.Discard()
	if _, err := bytes.NewReader(body).WriteTo(draft); err != nil {
		return err
	}
	_, err = draft.Commit(ctx, key, d, blob.Absent)
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	there, _, err := l.config.Bucket.Load(ctx, key, lake.MaxBytes)
	if err == nil && blob.Sum(there) != d {
		err = fault.New(fault.Conflict, "another object lies at %s", key)
	}
	return err
}
