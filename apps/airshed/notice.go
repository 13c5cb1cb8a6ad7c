package airshed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Told is what became of a message about objects of the lake.
type Told struct {
	Started []Scan // that it set off
	Known   int    // arrivals that an earlier message told of
	Ignored int    // deletions, objects that are not of the lake, a server that only tries the line
}

// Bounds of what messages set off.
const (
	mostArrivals = 100 // objects of the lake that one message tells of
	mostWaiting  = 500 // scans that are not done; more come when they are
)

// notice takes a message of the lake's server and has every object that has come
// looked at, once however often it is told of. What is not about the lake is ignored: a
// server sends everything it sends to everybody who listens.
func (a *app) notice(ctx context.Context, actor identity.Actor, body []byte) (told Told, err error) {
	if err := a.store.rules.May(actor, actNotice); err != nil {
		return told, err
	}
	n, err := feed.ParseNotices(body)
	if err != nil {
		text, _ := fault.Words(err)
		return told, fault.From(fault.KindOf(err), err, "%s", text).WithNext("send notices in the form of S3, EventBridge, SQS or SNS, as the server made them")
	}
	if !a.watches(actor.Org) {
		return told, fault.New(fault.Conflict, "this organisation has no data lake here").WithNext("have the operator set %s, or use a token of the organisation whose lake it is", settingLake)
	}
	ours := a.lake.arrivals(n.Arrivals)
	told.Ignored = n.Others + len(n.Arrivals) - len(ours)
	if len(ours) > mostArrivals {
		return told, fault.New(fault.TooLarge, "a message tells of more than %d objects of the lake", mostArrivals).WithNext("send them in several messages")
	}
	if len(ours) == 0 {
		return told, nil
	}
	if err := a.store.hasRoom(ctx, actor.Org); err != nil {
		return told, err
	}
	for _, arrival := range ours {
		scan, started, err := a.store.StartScan(ctx, actor, ScanRequest{Kind: Event, Key: arrivalKey(arrival), Object: arrival.Key})
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

// arrivals are those that are files of this lake, by their keys in it.
func (l *Lake) arrivals(all []feed.Arrival) (ours []feed.Arrival) {
	for _, a := range all {
		key, within := strings.CutPrefix(a.Key, l.config.Within)
		if a.Key = key; within && a.Bucket == l.config.Name && strings.HasPrefix(a.Key, l.config.Prefix) && strings.HasSuffix(a.Key, ".json") {
			ours = append(ours, a)
		}
	}
	return ours
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
	return string(Event) + ":" + hex.EncodeToString(sum[:])
}

// hasRoom refuses more while very many scans wait.
func (s *Store) hasRoom(ctx context.Context, org identity.Org) error {
	const count = `select count(*) from (select from airshed.scan where state = 'running' limit $1) waiting`
	var n int
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error { return tx.QueryRow(ctx, count, mostWaiting).Scan(&n) })
	if err == nil && n >= mostWaiting {
		return fault.New(fault.TooMany, "%d scans are under way", n).WithNext("send it again in some minutes; the next turn of the schedule looks at the newest object anyway")
	}
	return err
}
