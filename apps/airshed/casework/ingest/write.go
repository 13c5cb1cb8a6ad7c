package ingest

import (
	"context"
	"errors"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/job"
)

// WriteObject puts what the sources gave into one object and writes it to the lake,
// keeps its fires and ends the ingest. It reads what was kept, so that doing it again
// writes the same object: its time is that of the last source's answer.
func (s *Steps) WriteObject(ctx context.Context, in store.IngestInput) error {
	g := s.gatherer
	i, all, err := g.store.WorkOnIngest(ctx, in, store.DoingWrite)
	if err != nil || i.State != job.Running {
		return err
	}
	leave, err := g.surveyor.Shelf().Take(ctx) // an object takes a good part of a process's memory
	if err != nil {
		return err
	}
	defer leave()
	found, err := g.write(ctx, in, i, all)
	switch {
	case err == nil:
		i.State, i.Object, i.Data = job.Done, found.Key, found.Snapshot.SHA256.String()
	case fault.KindOf(err).Retryable() || ctx.Err() != nil:
		return err
	default:
		words, next := fault.Words(err)
		if next != "" {
			words += "; " + next
		}
		i.State, i.Reason = job.Refused, words
	}
	return g.store.EndIngest(ctx, in, i)
}

// GiveUpIngest ends an ingest of which a step failed for good.
func (s *Steps) GiveUpIngest(ctx context.Context, in store.IngestInput, why string) error {
	return s.gatherer.store.EndIngest(ctx, in, store.Ingest{ID: in.Ingest, State: job.Refused, Reason: why})
}

func (g *Gatherer) write(ctx context.Context, in store.IngestInput, i store.Ingest, all []store.Came) (outside.Found, error) {
	if !g.surveyor.Watches(in.Org) {
		return outside.Found{}, fault.New(fault.Conflict, "this organisation has no data lake here to write to").
			WithNext("have the operator set %s", outside.SettingLake)
	}
	p, err := g.readBack(ctx, in, i, all)
	if err != nil {
		return outside.Found{}, err
	}
	object, err := outside.Harmonise(p)
	if err != nil {
		return outside.Found{}, err
	}
	if err := g.keepReference(ctx, p.Fires); err != nil {
		return outside.Found{}, err
	}
	found, err := g.surveyor.Lake().Lake.Put(ctx, object)
	if gone, ok := errors.AsType[*outside.Away](err); ok && !fault.KindOf(err).Retryable() {
		return found, gone.Fault
	}
	return found, err
}

// keepReference writes the program's own lists, where they are new, and what satellites
// saw.
func (g *Gatherer) keepReference(ctx context.Context, fires *outside.FireAnswers) error {
	if err := g.store.KeepReference(ctx); err != nil || fires == nil {
		return err
	}
	for _, a := range fires.Answers {
		if _, err := g.store.KeepFires(ctx, a.File.Detections, a.Snapshot.SHA256); err != nil {
			return err
		}
	}
	return nil
}

// readBack reads what was kept of the sources that came.
func (g *Gatherer) readBack(ctx context.Context, in store.IngestInput, i store.Ingest, all []store.Came) (outside.Parts, error) {
	stations, err := g.store.Stations(ctx, i.BeganAt)
	if err != nil {
		return outside.Parts{}, err
	}
	outlines, err := region.India()
	if err != nil {
		return outside.Parts{}, err
	}
	p := outside.Parts{Stations: stations, Known: g.services.Known, Place: outlines.Locate, Time: i.BeganAt}
	kept := &memory{store: g.store, in: in, closed: true}
	for _, c := range all {
		p.Time = later(p.Time, c.At.UTC().Truncate(time.Second))
		if !c.Had {
			p.Away = append(p.Away, &outside.Away{Source: c.Source, Costs: c.Costs, Fault: fault.New(fault.Unavailable, "%s", c.Note)})
			continue
		}
		if _, err := g.part(ctx, kept, i, c.Source, &p); err != nil {
			return p, err
		}
	}
	return p, nil
}
