package survey

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// Steps are the activities of scans and of the watch over a lake.
type Steps struct{ surveyor *Surveyor }

// Read gets the object a scan is of, and keeps its bytes. there is false where the
// scan has ended: it was refused, for there is nothing to look at, or another has looked
// at the same bytes.
func (s *Steps) Read(ctx context.Context, in store.ScanInput) (there bool, err error) {
	v := s.surveyor
	scan, err := v.store.WorkOn(ctx, in, store.DoingRead)
	if err != nil || scan.State != job.Running {
		return false, err
	}
	if scan.Data == "" {
		if scan.Data, err = v.fetch(ctx, in, scan); err != nil {
			return false, v.orRefuse(ctx, in, scan, err)
		}
	}
	return v.unlessSame(ctx, in, scan)
}

// fetch reads an object of the lake, keeps it, and notes what the scan reads: the
// digest of its bytes. It waits for its turn: an object takes a good part of a
// process's memory.
func (v *Surveyor) fetch(ctx context.Context, in store.ScanInput, scan store.Scan) (digest string, err error) {
	leave, err := v.shelf.Take(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	found, err := v.fromLake(ctx, in.Org, scan)
	if err != nil {
		return "", err
	}
	kept, err := v.store.Kept().Take(ctx, identity.Gavel(in.Org), evidence.Receipt{Source: origin.Lake, Once: "scan:" + scan.ID,
		ContentType: "application/json", Place: found.Snapshot.URL},
		bytes.NewReader(found.Snapshot.Body))
	if err != nil {
		return "", err
	}
	why := found.Why
	switch age := scan.BeganAt.Sub(found.Object.Time); {
	case kept.SHA256 != found.Snapshot.SHA256:
		why = "" // an earlier try kept other bytes: what is said of these is not of those
	case why == "" && age > Current:
		which := map[bool]string{true: "newest object", false: "object"}[scan.Object == ""]
		why = fmt.Sprintf("the %s is %d hours old", which, int(age.Hours()))
	}
	return kept.SHA256.String(), v.store.Got(ctx, in.Org, scan.ID, kept.SHA256, kept.Place, why)
}

// unlessSame ends a scan whose bytes another has looked at by the same rules: there is
// nothing new to find. It reports whether the scan goes on.
func (v *Surveyor) unlessSame(ctx context.Context, in store.ScanInput, scan store.Scan) (on bool, err error) {
	footing, err := v.store.FootingAt(ctx, in.Org, scan.BeganAt)
	if err != nil {
		return false, err
	}
	scan.Rules = footing.Name()
	same, err := v.store.EndIfSame(ctx, in.Org, scan)
	return same == "", err
}

// fromLake reads the object that was asked for, or the newest.
func (v *Surveyor) fromLake(ctx context.Context, org identity.Org, scan store.Scan) (outside.Found, error) {
	if !v.lake.By(org) {
		return outside.Found{}, fault.New(fault.Conflict, "this organisation has no data lake here").
			WithNext("hand a file in, or have the operator set %s", outside.SettingLake).Because("no_lake")
	}
	if scan.Object != "" {
		return v.lake.Lake.At(ctx, scan.Object)
	}
	return v.lake.Lake.Latest(ctx)
}

// orRefuse passes on a fault that may go away, and ends the scan for any other.
func (v *Surveyor) orRefuse(ctx context.Context, in store.ScanInput, scan store.Scan, why error) error {
	if fault.KindOf(why).Retryable() || ctx.Err() != nil {
		return why
	}
	words, next := fault.Words(why)
	if next != "" {
		words += "; " + next
	}
	scan.State, scan.Reason = job.Refused, words
	return v.store.EndScan(ctx, in.Org, scan)
}

// GiveUpScan ends a scan of which a step failed for good.
func (s *Steps) GiveUpScan(ctx context.Context, in store.ScanInput, why string) error {
	scan, err := s.surveyor.store.ScanOf(ctx, in)
	if err != nil {
		return err
	}
	scan.State, scan.Reason = job.Refused, why
	return s.surveyor.store.EndScan(ctx, in.Org, scan)
}

// Current is how long after its last hour an episode is still looked at: what ended
// before that is history, and is listed without being analysed.
const Current = 24 * time.Hour

// Look says which episodes of a scan are to be answered.
func (s *Steps) Look(ctx context.Context, in store.ScanInput) (keys []surge.Key, err error) {
	v := s.surveyor
	err = v.with(ctx, in, store.DoingLook, func(scan store.Scan, data *analysis.Dataset) error {
		board := data.Board()
		for _, l := range board.Episodes {
			_, news, err := v.store.News(ctx, in.Org, sightingOf(scan, board, l))
			if err != nil {
				return err
			}
			if news && going(board, l) {
				keys = append(keys, l.Episode.Key)
			}
		}
		return v.store.Expect(ctx, in, len(keys))
	})
	return keys, err
}

// going reports whether an episode went on not long before the data end.
func going(b analysis.Board, l analysis.Listed) bool {
	return b.At.Sub(l.Episode.Last.End()) <= Current
}

func sightingOf(scan store.Scan, b analysis.Board, l analysis.Listed) store.Sighting {
	return store.Sighting{Scan: scan, At: b.At, Episode: l.Episode, Station: l.Station}
}

// Answer analyses one episode and writes down what that says.
func (s *Steps) Answer(ctx context.Context, in store.ScanInput, key surge.Key) error {
	v := s.surveyor
	return v.with(ctx, in, store.DoingAnswer, func(scan store.Scan, data *analysis.Dataset) error {
		listed, err := data.Listed(key)
		if err != nil {
			return err
		}
		by, err := v.store.MethodFor(ctx, in.Org, store.Sighting{Episode: listed.Episode})
		if err != nil {
			return err
		}
		answer, err := data.Analyse(key, by)
		if err != nil {
			return err
		}
		body, err := answer.JSON()
		if err != nil {
			return err
		}
		once := string(key) + ":" + blob.Sum(body).String()
		kept, err := v.store.Kept().Take(ctx, identity.Gavel(in.Org), evidence.Receipt{Source: store.AnalysisSource, Once: once,
			ContentType: "application/json", Place: string(key) + ".json"}, bytes.NewReader(body))
		if err != nil {
			return err
		}
		g := store.Sighting{Scan: scan, At: answer.At, Episode: answer.Episode, Station: answer.Station.Name}
		return v.store.WriteAnswer(ctx, in.Org, g, answer, kept.SHA256)
	})
}

// Conclude notes of known episodes how long they have gone on, and ends the scan.
func (s *Steps) Conclude(ctx context.Context, in store.ScanInput) error {
	v := s.surveyor
	defer v.drop()
	return v.with(ctx, in, store.DoingConclude, func(scan store.Scan, data *analysis.Dataset) error {
		board := data.Board()
		body, err := board.JSON()
		if err != nil {
			return err
		}
		scan.State = job.Done
		var seen []store.Sighting
		for _, l := range board.Episodes {
			seen = append(seen, sightingOf(scan, board, l))
			if going(board, l) {
				scan.Found++
			}
		}
		return v.store.Conclude(ctx, in.Org, scan, body, seen)
	})
}
