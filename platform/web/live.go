package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// serve is the one event stream of a browser. Four kinds of event go out:
// a notice (unnamed) {"object","version"}; "resync", read everything again;
// "beat", the organisation's time and whether the database is being heard, so
// that the page can say honestly how old it is; and "words", a piece of an answer
// that is still being written, to those who may see it.
func (h *Hub) serve(w http.ResponseWriter, r *http.Request) error {
	actor := h.site.Actor(r)
	if !actor.Known() {
		return fault.New(fault.SignIn, "a live stream needs somebody signed in").Because("not_signed_in")
	}
	s, err := h.join(actor)
	if err != nil {
		return err
	}
	defer h.leave(actor, s)
	out := NewEvents(w)
	first := s.take()
	first.turned = true // the first event is a beat
	if !h.tell(r.Context(), out, actor.Org, first) {
		return nil
	}
	h.follow(r, out, actor.Org, s)
	return nil
}

// follow tells a stream's events until the browser leaves or is signed out, the
// server closes or the stream is old.
func (h *Hub) follow(r *http.Request, out *Events, org identity.Org, s *stream) {
	beat := time.NewTicker(h.beat)
	defer beat.Stop()
	life := time.NewTimer(streamLife)
	defer life.Stop()
	for {
		var b batch
		select {
		case <-r.Context().Done():
			return
		case <-h.site.closing:
			return
		case <-life.C:
			return
		case <-s.wake:
			b = s.take()
		case <-beat.C:
			if h.site.Gone(r.Context()) {
				return
			}
			b = s.take()
			b.turned = true
		}
		if !h.tell(r.Context(), out, org, b) {
			return
		}
	}
}

// tell writes a batch and reports whether the browser still takes it.
func (h *Hub) tell(ctx context.Context, out *Events, org identity.Org, b batch) bool {
	out.Begin()
	if b.turned {
		now := h.site.cfg.Now().In(h.site.organisation(ctx, org).Zone)
		out.Event("beat", struct {
			Live  bool   `json:"live"`
			Now   string `json:"now"`
			Label string `json:"label"`
		}{b.up, now.Format(time.RFC3339Nano), clockLabel(now)})
	}
	if b.resync {
		out.Event("resync", struct{}{})
	}
	for object, version := range b.notices {
		out.Event("", struct {
			Object  string `json:"object"`
			Version int64  `json:"version"`
		}{object, version})
	}
	for _, w := range b.words {
		w.Org, w.For = "", ""
		out.Event("words", w)
	}
	return out.End()
}

// Events writes server-sent events, each batch within a time limit: Begin, Event
// for each, End. After the first failure it writes nothing more.
type Events struct {
	w       io.Writer
	control *http.ResponseController
	err     error
}

// NewEvents makes the answer to a request a stream of events.
func NewEvents(w http.ResponseWriter) *Events {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no") // or a proxy holds events back
	return &Events{w: w, control: http.NewResponseController(w)}
}

// Begin gives a batch its time.
func (e *Events) Begin() { e.err = e.control.SetWriteDeadline(time.Now().Add(streamWrite)) }

// Event writes one, of a name, or of none where that is empty.
func (e *Events) Event(name string, data any) {
	if e.err != nil {
		return
	}
	body, err := json.Marshal(data)
	if err != nil {
		e.err = err
		return
	}
	if name != "" {
		name = "event: " + name + "\n"
	}
	_, e.err = fmt.Fprintf(e.w, "%sdata: %s\n\n", name, body)
}

// End sends the batch, and reports whether the reader is still there.
func (e *Events) End() bool {
	if e.err == nil {
		e.err = e.control.Flush()
	}
	return e.err == nil
}

// liveName names the lock and channel that the pages of one actor share in a
// browser. It is a hash, so that pages of two actors never share a stream.
func liveName(p *Page) string {
	sum := sha256.Sum256([]byte(streamKey(p.Actor)))
	return "gavel-live-" + hex.EncodeToString(sum[:8])
}
