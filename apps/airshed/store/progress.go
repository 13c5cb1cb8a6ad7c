package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// Job is how far a scan or an ingest is; the zero Job of one from before that was kept.
func (s *Store) Job(ctx context.Context, actor identity.Actor, k job.Kind, id string) (j job.Job, err error) {
	if err := s.rules.May(actor, k.Read); err != nil {
		return j, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		j, err = job.Find(ctx, tx, k, id)
		return err
	})
	return j, err
}

// What a scan is at, in a word.
const (
	DoingRead     = "reading"    // the object
	DoingLook     = "looking"    // for surges in it
	DoingAnswer   = "answering"  // one surge after another
	DoingConclude = "concluding" // what was found is written down
)

// scanSteps are the steps of a scan besides its answers: reading, looking, concluding.
const scanSteps = 3

// WorkOn is ScanOf for a step of that workflow, which says what it is at. A scan that
// somebody has called off is ended.
func (s *Store) WorkOn(ctx context.Context, in ScanInput, doing string) (scan Scan, err error) {
	err = s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		if scan, err = scanBy(ctx, tx, in.Scan); err != nil || scan.State != job.Running {
			return err
		}
		how, err := scanProgress(ctx, tx, in.Scan, doing)
		if err != nil {
			return err
		}
		j, err := job.Report(ctx, tx, ScanJob, in.Org, in.Scan, how)
		if end, off := j.CalledOff(); err == nil && off {
			scan.State, scan.Reason = end.State, end.Reason
			return s.end(ctx, tx, in.Org, scan, nil)
		}
		return err
	})
	return scan, err
}

// scanProgress is how many steps of a scan are behind it. How many there are is known once
// it has looked: Expect says so.
func scanProgress(ctx context.Context, tx pgx.Tx, id, doing string) (job.Progress, error) {
	j, err := job.Find(ctx, tx, ScanJob, id)
	how := job.Progress{Doing: doing, Total: max(j.Total, scanSteps)}
	if err != nil || doing == DoingRead {
		return how, err
	}
	how.Done = 1
	switch doing {
	case DoingAnswer:
		err = tx.QueryRow(ctx, `select 2 + count(*) from airshed.answer where scan = $1`, id).Scan(&how.Done)
	case DoingConclude:
		how.Done = how.Total - 1
	}
	return how, err
}

// Expect notes how many answers a scan is going to give.
func (s *Store) Expect(ctx context.Context, in ScanInput, answers int) error {
	return s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		_, err := job.Report(ctx, tx, ScanJob, in.Org, in.Scan, job.Progress{Doing: DoingAnswer, Done: 2, Total: scanSteps + answers})
		return err
	})
}

// What an ingest is at, in a word.
const (
	DoingAsk   = "asking"  // the services outside
	DoingWrite = "writing" // what they said, to the lake
)

// WorkOnIngest is IngestOf for a step of that workflow, which says what it is at. An ingest
// that somebody has called off is ended.
func (s *Store) WorkOnIngest(ctx context.Context, in IngestInput, doing string) (Ingest, []Came, error) {
	err := s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error { return s.reportIngest(ctx, tx, in, doing) })
	if err != nil {
		return Ingest{}, nil, err
	}
	return s.IngestOf(ctx, in)
}

// reportIngest says how many sources have been asked, and ends an ingest that somebody has
// called off.
func (s *Store) reportIngest(ctx context.Context, tx pgx.Tx, in IngestInput, doing string) error {
	how := job.Progress{Doing: doing}
	for _, o := range origin.All() {
		if !o.Asked {
			how.Total++ // the lake is written to last
		}
	}
	if err := tx.QueryRow(ctx, `select count(*) from airshed.ingest_source where ingest = $1`, in.Ingest).Scan(&how.Done); err != nil {
		return err
	}
	how.Done = min(how.Done, how.Total-1)
	j, err := job.Report(ctx, tx, IngestJob, in.Org, in.Ingest, how)
	if end, off := j.CalledOff(); err == nil && off {
		return s.endIngest(ctx, tx, in.Org, Ingest{ID: in.Ingest, State: end.State, Reason: end.Reason})
	}
	return err
}
