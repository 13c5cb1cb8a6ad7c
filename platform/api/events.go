package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/event"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Events lets programs follow what happens, as a stream or in pages, in the order
// of the log. Nobody is told of what they could not look up.
type Events struct {
	Events *event.Reader
	May    func(identity.Actor, string) error // policy's word
	Beat   time.Duration                      // how often a stream that is quiet says that it is there; zero: eventBeat

	pulse *pulse
}

// Operations registers what it answers.
func (s *Events) Operations(a *API) {
	s.pulse = newPulse(s.Events)
	if s.Beat == 0 {
		s.Beat = eventBeat
	}
	Serve(a, Route{ID: "followEvents", Method: http.MethodGet, Path: "/v1/events", Acts: []string{"events.read"}, Tag: "Events",
		Title: "Follow what happens",
		Text: "With Accept: text/event-stream it is a stream, which goes on after Last-Event-ID. Otherwise it is a page. Both use the " +
			"id of an event as the place to go on from. " +
			"Without one they begin now; after=first begins with the first there is. Every event comes at least once and in order; its " +
			"words are fetched from what it is about.",
		Slow: true,
		Answers: []Answer{{Status: http.StatusOK, Of: EventPageBody{}, Words: "A page, or a stream."},
			{Status: http.StatusOK, Media: "text/event-stream", Of: EventBody{}}}}, s.follow)
}

// seen says which act somebody must be allowed to be told of a kind of record.
// What is not here is for who reads the log. Records of tests are told to nobody:
// that there is one would be a hint.
var seen = map[audit.Kind]string{
	audit.CaseStep: "case.read", audit.Snapshot: "case.read", "case_subject": "case.read", "evidence": "case.read", "facts": "case.read",
	audit.Removal: "case.read",
	"proposal":    "proposal.read", audit.Decision: "proposal.read", audit.Act: "proposal.read", "delegation": "person.read",
	audit.ModelCall: "run.read", audit.Policy: "run.read", "run_order": "run.read", "run_end": "run.read", "asked_again": "run.read",
	"words_shown": "run.read",
}

const untold audit.Kind = "seed"

func (s *Events) told(who identity.Actor) func(event.Event) bool {
	answers := map[string]bool{}
	return func(e event.Event) bool {
		act, known := seen[e.Kind]
		if !known {
			act = "audit.read"
		}
		may, asked := answers[act]
		if !asked {
			may = s.May(who, act) == nil
			answers[act] = may
		}
		return may && e.Kind != untold
	}
}

type eventsInput struct {
	After       string `query:"after" maxLength:"60" doc:"The id of the last event you had; first for all there are."`
	PageSize    int    `query:"page_size" minimum:"1" maximum:"500" doc:"Of a page: look at so many records at most; 100 if it is left out."`
	LastEventID string `header:"Last-Event-ID" maxLength:"60" doc:"The same as after, as browsers send it."`
}

// An EventBody is that something happened.
type EventBody struct {
	ID      audit.RecordID `json:"id" doc:"Of its record in the log, and the place to go on from."`
	At      time.Time      `json:"at"`
	Type    audit.Kind     `json:"type" doc:"The kind of its record: case, proposal, decision, act, model_call, …"`
	App     string         `json:"app"`
	Subject string         `json:"subject" doc:"The id of what it is about."`
	Actor   EventActorBody `json:"actor"`
}

// An EventActorBody is who did it.
type EventActorBody struct {
	Kind identity.Kind `json:"kind"`
	ID   string        `json:"id"`
}

// An EventPageBody is some events, and where to go on.
type EventPageBody struct {
	Items []EventBody `json:"items"`
	Next  string      `json:"next" doc:"Send it as after. It moves on past what you may not see."`
	More  bool        `json:"more" doc:"There is more already."`
}

type eventsOutput struct{ Body func(huma.Context) }

func (s *Events) follow(ctx context.Context, who identity.Actor, in *eventsInput) (*eventsOutput, error) {
	x := exchangeOf(ctx)
	place, err := s.place(ctx, who.Org, in)
	if err != nil {
		return nil, err
	}
	if strings.Contains(x.r.Header.Get("Accept"), "text/event-stream") {
		leave, err := s.pulse.join(who)
		if err != nil {
			return nil, err
		}
		return &eventsOutput{func(huma.Context) {
			defer leave()
			x.failed = s.stream(ctx, x, who, place)
		}}, nil
	}
	page, err := s.page(ctx, who, place, in.PageSize)
	if err != nil {
		return nil, err
	}
	return &eventsOutput{func(huma.Context) { x.setJSON(http.StatusOK, page) }}, nil
}

// place is where to go on.
func (s *Events) place(ctx context.Context, org identity.Org, in *eventsInput) (audit.RecordID, error) {
	sent := in.After
	if in.LastEventID != "" {
		sent = in.LastEventID // a browser that connects again keeps the address
	}
	switch sent {
	case "first":
		return "", nil
	case "":
		return s.Events.Newest(ctx, org)
	}
	if _, err := s.Events.After(ctx, org, audit.RecordID(sent), 1); err != nil {
		return "", err
	}
	return audit.RecordID(sent), nil
}

// look reads what follows a place, without what somebody may not see, and where
// that ends.
func (s *Events) look(ctx context.Context, who identity.Actor, after audit.RecordID,
	limit int) (items []EventBody, next audit.RecordID, full bool, err error) {
	events, err := s.Events.After(ctx, who.Org, after, limit)
	told := s.told(who)
	items, next = []EventBody{}, after
	for _, e := range events {
		next = e.Record
		if told(e) {
			items = append(items, EventBody{ID: e.Record, At: e.At.UTC(), Type: e.Kind, App: e.App, Subject: e.Subject,
				Actor: EventActorBody{e.ActorKind, e.ActorID}})
		}
	}
	return items, next, len(events) == limit, err
}

func (s *Events) page(ctx context.Context, who identity.Actor, place audit.RecordID, limit int) (EventPageBody, error) {
	if limit == 0 {
		limit = 100
	}
	items, next, full, err := s.look(ctx, who, place, limit)
	where := string(next)
	if where == "" {
		where = "first"
	}
	return EventPageBody{items, where, full}, err
}

// Timing of a stream: a beat when nothing happens, so that both sides know the
// other is there, and an end, after which permission is asked anew.
const (
	eventBeat = 15 * time.Second
	eventLife = 30 * time.Minute
)

// stream sends events until the caller leaves or is not let in any more, the server
// closes or the stream is old.
func (s *Events) stream(ctx context.Context, x *exchange, who identity.Actor, place audit.RecordID) error {
	news, stop := s.pulse.follow(ctx, who.Org)
	defer stop()
	out := x.stream()
	h := x.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // or a proxy holds events back
	beat, life := time.NewTicker(s.Beat), time.NewTimer(eventLife)
	defer beat.Stop()
	defer life.Stop()
	text := ": follow\n\n"
	for {
		for full := true; full; {
			items, next, more, err := s.look(ctx, who, place, event.MaxPage)
			if err != nil {
				return streamEnd(ctx, err)
			}
			text += lines(items, place, next)
			place, full = next, more
			if _, err := out.Write([]byte(text)); err != nil {
				return nil // the caller has gone
			}
			text = ""
		}
		if out.control.Flush() != nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-x.api.mux.Site().Closing():
			return nil
		case <-life.C:
			return nil
		case <-news:
		case <-beat.C:
			if x.api.mux.Site().Gone(ctx) {
				return nil
			}
			text = ": beat\n\n"
		}
	}
}

// streamEnd is how a stream ends that cannot go on: it breaks off, and the caller
// goes on from the last event they had. One that the caller left has ended well.
func streamEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("follow events: %w", err)
}

// lines are events as a stream spells them. A place without an event moves the
// caller on past what they may not see.
func lines(items []EventBody, before, after audit.RecordID) string {
	var b strings.Builder
	for _, e := range items {
		data, err := json.Marshal(e)
		if err != nil {
			panic(err) // ids and times
		}
		fmt.Fprintf(&b, "id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Type, data)
	}
	if after != before && (len(items) == 0 || items[len(items)-1].ID != after) {
		fmt.Fprintf(&b, "id: %s\n\n", after)
	}
	return b.String()
}

// tooManyStreams refuses one more.
func tooManyStreams(n int) error {
	return fault.New(fault.TooMany, "%d streams of events are open already", n).WithNext("close one, or read pages")
}
