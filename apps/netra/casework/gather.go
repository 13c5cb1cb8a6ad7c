package casework

import (
	"bytes"
	"context"

	"github.com/gavelhq/gavel/apps/netra/rule/feed"
	"github.com/gavelhq/gavel/apps/netra/rule/gate"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Bundle is some lines of a feed as somebody sends them.
type Bundle struct {
	Ingest  string // that they go on with; empty begins one
	Name    string // of the file or the feed
	Format  feed.Format
	Mapping *feed.Mapping // of the format mapped
	Body    []byte
	Before  int // lines of the file that came with earlier ones
}

// mostReasons bounds how many reasons an ingest tells apart.
const mostReasons = 20

// otherReasons is what the others are counted under.
const otherReasons = "for other reasons"

// Take reads lines of a feed, stops what holds personal data, refuses what cannot be weighed, and keeps the others. It answers when
// they are kept, so who sends line after line is held up by how fast that goes; who comes while enough others are at
// it is sent away for a moment.
func (d *Desk) Take(ctx context.Context, actor identity.Actor, b Bundle) (store.Ingest, error) {
	var i store.Ingest
	if err := d.store.May(actor, store.ActIngest); err != nil {
		return i, err
	}
	select {
	case d.busy <- struct{}{}:
		defer func() { <-d.busy }()
	default:
		return i, fault.New(fault.TooMany, "%d others bring signals in at this moment", atOnce).WithNext("send it again in a second")
	}
	book, err := d.store.Book(ctx, actor)
	if err != nil {
		return i, err
	}
	w := &writer{desk: d, ctx: ctx, actor: actor, b: b, gate: gate.Gate{Book: book, Received: d.store.Now(), Kept: store.SignalsKept}}
	w.begin(b.Ingest)
	if err := feed.Read(b.Format, b.Body, b.Mapping, w.take); err != nil {
		return w.last, err
	}
	if w.part.Lines > 0 || w.last.ID == "" {
		err = w.write()
	}
	return w.last, err
}

// A writer gathers lines into parts, and has each kept.
type writer struct {
	desk  *Desk
	ctx   context.Context //nolint:containedctx // it lives as long as one call of Take
	actor identity.Actor
	b     Bundle
	gate  gate.Gate
	part  store.Part
	last  store.Ingest
}

func (w *writer) begin(ingest string) {
	w.part = store.Part{Ingest: ingest, Name: w.b.Name, Feed: string(w.b.Format), Refused: map[string]int{},
		Signals: make([]signal.Signal, 0, min(bytes.Count(w.b.Body, []byte("\n"))+1, store.MaxPart))}
}

// take has a line pass the gate.
func (w *writer) take(l feed.Line) error {
	w.part.Lines++
	why := l.Problem
	if why == "" {
		s, kinds, reason := w.gate.Pass(l.Report)
		switch {
		case kinds != nil:
			w.part.Held = append(w.part.Held, store.Held{Line: w.b.Before + l.N, Kinds: kinds})
		case reason == "":
			w.part.Signals = append(w.part.Signals, s)
		}
		why = reason
	}
	if why != "" {
		if _, told := w.part.Refused[why]; !told && len(w.part.Refused) >= mostReasons {
			why = otherReasons
		}
		w.part.Refused[why]++
	}
	if w.part.Lines < store.MaxPart {
		return nil
	}
	return w.write()
}

func (w *writer) write() (err error) {
	if w.last, err = w.desk.store.Take(w.ctx, w.actor, w.part); err == nil {
		w.begin(w.last.ID)
	}
	return err
}
