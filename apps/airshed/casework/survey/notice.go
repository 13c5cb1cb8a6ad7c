package survey

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Told is what became of a message about objects of the lake.
type Told struct {
	Started []store.Scan // that it set off
	Known   int          // arrivals that an earlier message told of
	Ignored int          // deletions, objects that are not of the lake, a server that only tries the line
}

// MostArrivals is how many objects of the lake one message tells of.
const MostArrivals = 100

// Notice takes a message of the lake's server and has every object that has come
// looked at, once however often it is told of. What is not about the lake is ignored: a
// server sends everything it sends to everybody who listens.
func (v *Surveyor) Notice(ctx context.Context, actor identity.Actor, body []byte) (told Told, err error) {
	if err := v.store.May(actor, store.ActNotice); err != nil {
		return told, err
	}
	n, err := feed.ParseNotices(body)
	if err != nil {
		text, _ := fault.Words(err)
		return told, fault.From(fault.KindOf(err), err, "%s", text).
			WithNext("send notices in the form of S3, EventBridge, SQS or SNS, as the server made them")
	}
	if !v.Watches(actor.Org) {
		return told, fault.New(fault.Conflict, "this organisation has no data lake here").
			WithNext("have the operator set %s, or use a token of the organisation whose lake it is", outside.SettingLake)
	}
	ours := v.lake.Lake.Arrivals(n.Arrivals)
	told.Ignored = n.Others + len(n.Arrivals) - len(ours)
	if len(ours) > MostArrivals {
		return told, fault.New(fault.TooLarge, "a message tells of more than %d objects of the lake", MostArrivals).
			WithNext("send them in several messages")
	}
	if len(ours) == 0 {
		return told, nil
	}
	if err := v.store.HasRoom(ctx, actor.Org); err != nil {
		return told, err
	}
	for _, arrival := range ours {
		scan, started, err := v.store.StartScan(ctx, actor, store.ScanRequest{Kind: store.Event, Key: arrivalKey(arrival),
			Object: arrival.Key})
		if err != nil {
			return told, err
		}
		if started {
			told.Started = append(told.Started, scan)
		} else {
			told.Known++
		}
	}
	return told, nil
}

// arrivalKey names one arrival: the same object, as it was written once. A key of the
// lake may be longer than that of a scan, hence the digest. Where a notice has neither tag
// nor version, its moment tells two writes apart; one that comes twice has the same.
func arrivalKey(a feed.Arrival) string {
	parts := []any{a.Bucket, a.Key, a.ETag, a.Version, a.Size}
	if a.ETag == "" && a.Version == "" {
		parts = append(parts, a.At.UTC().Format(time.RFC3339Nano))
	}
	text, _ := json.Marshal(parts) // texts and a number cannot fail
	sum := sha256.Sum256(text)
	return string(store.Event) + ":" + hex.EncodeToString(sum[:])
}
