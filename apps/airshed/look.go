package airshed

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
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
// scan has ended: it was refused, for there is nothing to look at, or another has looked
// at the same bytes.
func (s *Steps) Read(ctx context.Context, in ScanInput) (there bool, err error) {
	a := s.app
	scan, err := a.scan(ctx, in)
	if err != nil || scan.State != ScanRunning {
		return false, err
	}
	if scan.Data == "" {
		if scan.Data, err = a.fetch(ctx, in, scan); err != nil {
			return false, a.orRefuse(ctx, in, scan, err)
		}
	}
	return a.unlessSame(ctx, in, scan)
}

// fetch reads an object of the lake, keeps it, and notes what the scan reads: the
// digest of its bytes. It waits for its turn: an object takes a good part of a
// process's memory.
func (a *app) fetch(ctx context.Context, in ScanInput, scan Scan) (digest string, err error) {
	leave, err := a.shelf.take(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	found, err := a.fromLake(ctx, in.Org, scan)
	if err != nil {
		return "", err
	}
	kept, err := a.store.kept.Take(ctx, identity.Gavel(in.Org), evidence.Receipt{Source: LakeSource, Once: "scan:" + scan.ID, ContentType: "application/json", Place: found.Snapshot.URL},
		bytes.NewReader(found.Snapshot.Body))
	if err != nil {
		return "", err
	}
	why := found.Why
	switch age := scan.BeganAt.Sub(found.Object.Time); {
	case kept.SHA256 != found.Snapshot.SHA256:
		why = "" // an earlier try kept other bytes: what is said of these is not of those
	case why == "" && age > current:
		which := map[bool]string{true: "newest object", false: "object"}[scan.Object == ""]
		why = fmt.Sprintf("the %s is %d hours old", which, int(age.Hours()))
	}
	return kept.SHA256.String(), a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error { return a.store.got(ctx, tx, scan.ID, kept.SHA256, kept.Place, why) })
}

// unlessSame ends a scan whose bytes another has looked at by the same rules: there is
// nothing new to find. It reports whether the scan goes on.
func (a *app) unlessSame(ctx context.Context, in ScanInput, scan Scan) (on bool, err error) {
	bounds, err := a.store.boundaryAt(ctx, in.Org, scan.BeganAt)
	if err != nil {
		return false, err
	}
	scan.Rules = rulesBy(bounds)
	err = a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		scan.SameAs, scan.Found, err = a.store.sameAs(ctx, tx, scan.Data, scan.Rules)
		if err != nil || scan.SameAs == "" {
			return err
		}
		scan.State = ScanDone
		return a.store.end(ctx, tx, in.Org, scan, nil)
	})
	return scan.SameAs == "", err
}

func (a *app) scan(ctx context.Context, in ScanInput) (scan Scan, err error) {
	err = a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		scan, err = scanBy(ctx, tx, "id", in.Scan)
		return err
	})
	return scan, err
}

// fromLake reads the object that was asked for, or the newest.
func (a *app) fromLake(ctx context.Context, org identity.Org, scan Scan) (Found, error) {
	if a.lake == nil || org != a.lakeOf {
		return Found{}, fault.New(fault.Conflict, "this organisation has no data lake here").WithNext("hand a file in, or have the operator set %s", settingLake)
	}
	if scan.Object != "" {
		return a.lake.At(ctx, scan.Object)
	}
	return a.lake.Latest(ctx)
}

// orRefuse passes on a fault that may go away, and ends the scan for any other.
func (a *app) orRefuse(ctx context.Context, in ScanInput, scan Scan, why error) error {
	if fault.KindOf(why).Retryable() || ctx.Err() != nil {
		return why
	}
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

// Look says which episodes of a scan are to be answered.
func (s *Steps) Look(ctx context.Context, in ScanInput) (keys []surge.Key, err error) {
	a := s.app
	err = a.with(ctx, in, func(scan Scan, data *analysis.Dataset) error {
		board := data.Board()
		for _, l := range board.Episodes {
			_, news, err := a.store.news(ctx, in.Org, sightingOf(scan, board, l))
			if err != nil {
				return err
			}
			if news && going(board, l) {
				keys = append(keys, l.Episode.Key)
			}
		}
		return nil
	})
	return keys, err
}

// going reports whether an episode went on not long before the data end.
func going(b analysis.Board, l analysis.Listed) bool {
	return b.At.Sub(l.Episode.Last.End()) <= current
}

func sightingOf(scan Scan, b analysis.Board, l analysis.Listed) sighting {
	return sighting{scan: scan, at: b.At, episode: l.Episode, station: l.Station}
}

// Answer analyses one episode and writes down what that says.
func (s *Steps) Answer(ctx context.Context, in ScanInput, key surge.Key) error {
	a := s.app
	return a.with(ctx, in, func(scan Scan, data *analysis.Dataset) error {
		answer, err := data.Analyse(key)
		if err != nil {
			return err
		}
		body, err := answer.JSON()
		if err != nil {
			return err
		}
		once := string(key) + ":" + blob.Sum(body).String()
		kept, err := a.store.kept.Take(ctx, identity.Gavel(in.Org), evidence.Receipt{Source: AnalysisSource, Once: once, ContentType: "application/json", Place: string(key) + ".json"}, bytes.NewReader(body))
		if err != nil {
			return err
		}
		g := sighting{scan: scan, at: answer.At, episode: answer.Episode, station: answer.Station.Name}
		return a.store.answer(ctx, in.Org, g, answer, kept.SHA256)
	})
}

// Conclude notes of known episodes how long they have gone on, and ends the scan.
func (s *Steps) Conclude(ctx context.Context, in ScanInput) error {
	a := s.app
	defer a.drop()
	return a.with(ctx, in, func(scan Scan, data *analysis.Dataset) error {
		board := data.Board()
		body, err := board.JSON()
		if err != nil {
			return err
		}
		scan.State = ScanDone
		return a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
			for _, l := range board.Episodes {
				g := sightingOf(scan, board, l)
				key, _, err := g.known(ctx, tx)
				if err == nil && key != "" {
					err = a.store.seen(ctx, tx, key, g)
				}
				if err != nil {
					return err
				}
				if going(board, l) {
					scan.Found++
				}
			}
			return a.store.end(ctx, tx, in.Org, scan, body)
		})
	})
}
