package airshed

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/analysis"
	"github.com/gavelhq/gavel/apps/airshed/lake"
	"github.com/gavelhq/gavel/apps/airshed/surge"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Steps are the activities of Airshed.
type Steps struct{ app *app }

// AnalysisSource is where analyses come from: our own rules.
const AnalysisSource = "airshed-analysis"

func analysisSource() evidence.Source {
	return evidence.Source{Name: AnalysisSource, Title: "Analyses of episodes", Licence: "the organisation's own; its inputs keep their licences",
		Without: "no report can be made", MaxBytes: maxAnalysis}
}

// Read gets the object a scan is of, and keeps its bytes. there is false where the
// scan was refused, for there is nothing to look at.
func (s *Steps) Read(ctx context.Context, in ScanInput) (there bool, err error) {
	a := s.app
	scan, err := a.scan(ctx, in)
	if err != nil || scan.Data != "" || scan.State != ScanRunning {
		return scan.Data != "" && scan.State == ScanRunning, err
	}
	found, err := a.fromLake(ctx, scan)
	if err != nil {
		if fault.KindOf(err).Retryable() {
			return false, err
		}
		return false, a.refuse(ctx, in, scan, err)
	}
	kept, err := a.store.kept.Take(ctx, identity.Gavel(in.Org), evidence.Receipt{Source: LakeSource, Once: "scan:" + scan.ID, ContentType: "application/json", Place: found.Snapshot.URL},
		bytes.NewReader(found.Snapshot.Body))
	if err != nil {
		return false, err
	}
	return true, a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		return a.store.got(ctx, tx, scan.ID, kept.SHA256, found.Snapshot.URL, found.Why)
	})
}

func (a *app) scan(ctx context.Context, in ScanInput) (scan Scan, err error) {
	err = a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		scan, err = scanBy(ctx, tx, "id", in.Scan)
		return err
	})
	return scan, err
}

// fromLake reads the object that was asked for, or the newest.
func (a *app) fromLake(ctx context.Context, scan Scan) (Found, error) {
	if a.lake == nil {
		return Found{}, fault.New(fault.Conflict, "this installation has no data lake").WithNext("set GAVEL_AIRSHED_LAKE, or hand a file in")
	}
	if scan.Object != "" {
		return a.lake.At(ctx, scan.Object)
	}
	return a.lake.Latest(ctx)
}

// refuse ends a scan that has nothing to look at, in words for whoever asked.
func (a *app) refuse(ctx context.Context, in ScanInput, scan Scan, why error) error {
	words, next := fault.Words(why)
	if next != "" {
		words += "; " + next
	}
	scan.State, scan.Reason = ScanRefused, words
	return a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error { return a.store.end(ctx, tx, in.Org, scan, nil) })
}

// current is how long after its last hour an episode is still looked at: what ended
// before that is history, and is listed without being analysed.
const current = 24 * time.Hour

// Look finds the episodes in what a scan reads, and analyses those that nobody had
// found before. Done again, it goes on where it was.
func (s *Steps) Look(ctx context.Context, in ScanInput) error {
	a := s.app
	scan, err := a.scan(ctx, in)
	if err != nil || scan.State != ScanRunning {
		return err
	}
	select { // one at a time in a process: an object of the lake takes a good part of the memory
	case a.busy <- struct{}{}:
		defer func() { <-a.busy }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	data, err := a.dataset(ctx, in.Org, scan)
	if err != nil {
		if fault.KindOf(err).Retryable() {
			return err
		}
		return a.refuse(ctx, in, scan, err)
	}
	board := data.Board()
	if scan.Found, scan.Fresh, err = a.lookAt(ctx, in.Org, scan, data, board); err != nil {
		return err
	}
	body, err := board.JSON()
	if err != nil {
		return err
	}
	scan.State = ScanDone
	return a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error { return a.store.end(ctx, tx, in.Org, scan, body) })
}

// dataset reads the bytes of a scan back and makes them ready.
func (a *app) dataset(ctx context.Context, org identity.Org, scan Scan) (*analysis.Dataset, error) {
	d, err := blob.Parse(scan.Data)
	if err != nil {
		return nil, err
	}
	body, err := a.bytesOf(ctx, org, d, lake.MaxBytes)
	if err != nil {
		return nil, err
	}
	object, err := lake.Read(body)
	if err != nil {
		return nil, err
	}
	rules, err := standing(nil)
	if err != nil {
		return nil, err
	}
	return analysis.Prepare(object, rules)
}

func (a *app) bytesOf(ctx context.Context, org identity.Org, d blob.Digest, most int64) ([]byte, error) {
	r, err := a.store.kept.Open(ctx, org, d)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(body)) > most {
		err = fault.New(fault.TooLarge, "%s has more than %d bytes", d, most)
	}
	return body, err
}

// lookAt goes through the episodes of a board: new ones are analysed, known ones
// noted. It says how many are going on, and how many of these are new.
func (a *app) lookAt(ctx context.Context, org identity.Org, scan Scan, data *analysis.Dataset, board analysis.Board) (found, fresh int, err error) {
	var keys []surge.Key
	for _, l := range board.Episodes {
		keys = append(keys, l.Episode.Key)
	}
	known, err := a.store.known(ctx, org, keys)
	if err != nil {
		return 0, 0, err
	}
	for _, l := range board.Episodes {
		going := board.At.Sub(l.Episode.Last.End()) <= current
		if going {
			found++
		}
		switch {
		case known[l.Episode.Key]:
			err = a.store.db.InOrg(ctx, org, func(tx pgx.Tx) error { return a.store.seen(ctx, tx, scan, l) })
		case going:
			var first bool
			if first, err = a.analyse(ctx, org, scan, data, l.Episode.Key); first {
				fresh++
			}
		}
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", l.Episode.Key, err)
		}
	}
	return found, fresh, nil
}

// analyse answers one episode and writes it down. first is false where another scan
// was faster.
func (a *app) analyse(ctx context.Context, org identity.Org, scan Scan, data *analysis.Dataset, key surge.Key) (first bool, err error) {
	answer, err := data.Analyse(key)
	if err != nil {
		return false, err
	}
	body, err := answer.JSON()
	if err != nil {
		return false, err
	}
	kept, err := a.store.kept.Take(ctx, identity.Gavel(org), evidence.Receipt{Source: AnalysisSource, Once: string(key) + ":" + scan.Data, ContentType: "application/json",
		Place: string(key) + ".json"}, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	err = a.store.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		first, err = a.store.found(ctx, tx, org, scan, answer, kept.SHA256)
		return err
	})
	return first, err
}
