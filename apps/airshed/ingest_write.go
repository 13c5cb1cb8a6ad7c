package airshed

import (
	"context"
	"errors"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/platform/fault"
)

// WriteObject puts what the sources gave into one object and writes it to the lake,
// keeps its fires and ends the ingest. It reads what was kept, so that doing it again
// writes the same object: its time is that of the last source's answer.
func (s *IngestSteps) WriteObject(ctx context.Context, in IngestInput) error {
	a := s.app
	i, all, err := a.store.ingest(ctx, in)
	if err != nil || i.State != ScanRunning {
		return err
	}
	leave, err := a.shelf.take(ctx) // an object takes a good part of a process's memory
	if err != nil {
		return err
	}
	defer leave()
	found, err := a.write(ctx, in, i, all)
	switch {
	case err == nil:
		i.State, i.Object, i.Data = ScanDone, found.Key, found.Snapshot.SHA256.String()
	case fault.KindOf(err).Retryable() || ctx.Err() != nil:
		return err
	default:
		words, next := fault.Words(err)
		if next != "" {
			words += "; " + next
		}
		i.State, i.Reason = ScanRefused, words
	}
	return a.store.endIngest(ctx, in, i)
}

func (a *app) write(ctx context.Context, in IngestInput, i Ingest, all []Came) (Found, error) {
	if !a.watches(in.Org) {
		return Found{}, fault.New(fault.Conflict, "this organisation has no data lake here to write to").WithNext("have the operator set %s", settingLake)
	}
	p, err := a.readBack(ctx, in, i, all)
	if err != nil {
		return Found{}, err
	}
	object, err := Harmonise(p)
	if err != nil {
		return Found{}, err
	}
	if err := a.store.keepReference(ctx, p.Fires); err != nil {
		return Found{}, err
	}
	found, err := a.lake.Put(ctx, object)
	if gone, ok := errors.AsType[*Away](err); ok && !fault.KindOf(err).Retryable() {
		return found, gone.fault
	}
	return found, err
}

// readBack reads what was kept of the sources that came.
func (a *app) readBack(ctx context.Context, in IngestInput, i Ingest, all []Came) (Parts, error) {
	stations, err := a.store.stations(ctx, i.BeganAt)
	if err != nil {
		return Parts{}, err
	}
	outlines, err := region.India()
	if err != nil {
		return Parts{}, err
	}
	p := Parts{Stations: stations, Known: a.services.known, Place: outlines.Locate, Time: i.BeganAt}
	kept := &memory{store: a.store, org: in.Org, ingest: i.ID, closed: true}
	for _, c := range all {
		p.Time = later(p.Time, c.At.UTC().Truncate(time.Second))
		if !c.Had {
			p.Away = append(p.Away, &Away{Source: c.Source, Costs: c.Costs, fault: fault.New(fault.Unavailable, "%s", c.Note)})
			continue
		}
		if _, err := a.part(ctx, kept, i, c.Source, &p); err != nil {
			return p, err
		}
	}
	return p, nil
}
