package rest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"

	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

type eventsInput struct {
	Body struct {
		Events []string `json:"events" minItems:"1" maxItems:"500" doc:"As the device signed them, in its order."`
	}
}

// An OutcomeBody is what became of one event.
type OutcomeBody struct {
	Digest string        `json:"digest" doc:"SHA-256 of the signed event."`
	ID     string        `json:"event_id"`
	Fate   replay.Fate   `json:"fate" enum:"applied,duplicate,question"`
	Reason replay.Reason `json:"reason,omitempty" doc:"Of a question."`
	With   string        `json:"counts_instead,omitempty" doc:"The event that counts instead, by its digest."`
}

// A GapBody is events that a device has numbered and not sent.
type GapBody struct {
	Station string `json:"station"`
	First   int64  `json:"first"`
	Last    int64  `json:"last"`
}

// An EventsBody is what became of a batch, one outcome for each event in its order.
type EventsBody struct {
	Results []OutcomeBody `json:"results"`
	Gaps    []GapBody     `json:"gaps"`
}

type eventsOutput struct{ Body EventsBody }

func (s *Answers) events(ctx context.Context, who identity.Actor, in *eventsInput) (*eventsOutput, error) {
	rep, err := s.desk.Replay(ctx, who, in.Body.Events)
	if err != nil {
		return nil, err
	}
	out := EventsBody{Results: make([]OutcomeBody, len(rep.Outcomes)), Gaps: make([]GapBody, len(rep.Gaps))}
	for i, o := range rep.Outcomes {
		out.Results[i] = OutcomeBody{string(o.Digest), o.ID, o.Fate, o.Reason, string(o.With)}
	}
	for i, g := range rep.Gaps {
		out.Gaps[i] = GapBody{g.Device, g.First, g.Last}
	}
	return &eventsOutput{out}, nil
}

// EventPhotoParts are the parts of a photo that is sent after its event.
type EventPhotoParts struct {
	Event string `json:"event" doc:"The digest of the signed event."`
	Photo string `json:"photo" format:"binary" doc:"The very bytes that the event names."`
}

func (s *Answers) eventPhoto(ctx context.Context, who identity.Actor, in *scanInput) (*struct{}, error) {
	_, params, err := mime.ParseMediaType(in.Type)
	if err != nil || params["boundary"] == "" {
		return nil, fault.From(fault.Invalid, errNotMultipart, "the body must be in parts")
	}
	parts := multipart.NewReader(bytes.NewReader(in.RawBody), params["boundary"])
	all := map[string][]byte{}
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			all[p.FormName()], err = io.ReadAll(p)
		}
		if err != nil {
			return nil, fault.From(fault.Invalid, errNotMultipart, "the body's parts cannot be read")
		}
	}
	return nil, s.desk.EventPhoto(ctx, who, replay.Digest(all["event"]), all["photo"])
}
