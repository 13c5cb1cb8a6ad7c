package anthropic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/wire"
)

// An answer is what has been heard so far.
type answer struct {
	raw   *http.Response // its head; set as soon as there is one
	draft wire.Draft
	id    string
	model string
	stop  sdk.StopReason
	ended bool // a stream said that it is complete

	input, read, written, output int64 // tokens: new, from the cache, put into it; and answered
}

// errNoMessage is an answer that is not one of the API.
var errNoMessage = errors.New("no message in the answer")

// whole asks for the answer in one piece.
func (g *Generator) whole(ctx context.Context, p sdk.MessageNewParams, options []option.RequestOption, a *answer) error {
	m, err := g.messages.New(ctx, p, options...)
	if err != nil {
		return err
	}
	if m == nil || !m.JSON.Type.Valid() || m.StopReason == "" { // the library makes a message of any object, and nil of null
		return errNoMessage
	}
	a.begin(*m)
	a.stop = m.StopReason
	for i, b := range m.Content {
		switch b.Type {
		case "text":
			a.draft.Text(b.Text)
		case "tool_use":
			a.draft.Call(int64(i), b.ID, b.Name, compact(b.Input))
		}
	}
	return nil
}

// compact is a call's arguments without the spaces that the server put around
// them: in a stream there are none.
func compact(input []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, input) != nil {
		return string(input)
	}
	return b.String()
}

// stream asks for the answer in pieces. It stops reading at a bound.
func (g *Generator) stream(ctx context.Context, p sdk.MessageNewParams, options []option.RequestOption, a *answer) error {
	events := g.messages.NewStreaming(ctx, p, options...)
	if events.Err() != nil {
		return events.Err()
	}
	defer events.Close() //nolint:errcheck // it was only read
	for !a.draft.Full() && !a.ended && events.Next() {
		a.add(events.Current())
	}
	switch {
	case events.Err() != nil:
		return events.Err()
	case a.draft.Full() || a.ended && a.stop != "":
		return nil
	case a.id == "":
		return errNoMessage // a server that does not stream
	default:
		return wire.Cut(provider)
	}
}

func (a *answer) begin(m sdk.Message) {
	a.id, a.model = m.ID, m.Model
	a.input, a.read, a.written, a.output = m.Usage.InputTokens, m.Usage.CacheReadInputTokens, m.Usage.CacheCreationInputTokens,
		m.Usage.OutputTokens
}

func (a *answer) add(e sdk.MessageStreamEventUnion) {
	switch e.Type {
	case "message_start":
		a.begin(e.Message)
	case "content_block_start":
		if e.ContentBlock.Type == "tool_use" {
			a.draft.Call(e.Index, e.ContentBlock.ID, e.ContentBlock.Name, "")
		} else if e.ContentBlock.Type == "text" {
			a.draft.Text(e.ContentBlock.Text)
		}
	case "content_block_delta":
		switch e.Delta.Type {
		case "text_delta":
			a.draft.Text(e.Delta.Text)
		case "input_json_delta":
			a.draft.Call(e.Index, "", "", e.Delta.PartialJSON)
		}
	case "message_delta":
		a.stop = e.Delta.StopReason
		// What it says are totals; it may leave out what the start has said.
		a.output = cmp.Or(e.Usage.OutputTokens, a.output)
		a.input = cmp.Or(e.Usage.InputTokens, a.input)
		a.read = cmp.Or(e.Usage.CacheReadInputTokens, a.read)
		a.written = cmp.Or(e.Usage.CacheCreationInputTokens, a.written)
	case "message_stop":
		a.ended = true
	}
}

// response turns what was heard into a response.
func (a *answer) response(req model.Request, names wire.Names) model.Response {
	m, stop := a.draft.Message(a.reason())
	for i, c := range m.Calls {
		m.Calls[i].Name = names.Ours(c.Name)
	}
	// Their input leaves out what went through the cache; ours is all of it.
	usage := wire.Count(wire.Tokens(a.input)+wire.Tokens(a.read)+wire.Tokens(a.written), a.read, a.output)
	if usage.Total() == 0 {
		usage = req.Estimate(m)
	}
	return model.Response{Message: m, Stop: stop, Usage: usage, Identity: model.Identity{
		Provider: provider, Model: wire.Word(a.model), RequestID: wire.Word(cmp.Or(a.raw.Header.Get("Request-Id"), a.id)),
	}}
}

func (a *answer) reason() model.Stop {
	switch a.stop {
	case sdk.StopReasonToolUse:
		return model.WantsTool
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		return model.TooLong
	case sdk.StopReasonRefusal:
		return model.Refused
	default:
		return model.Done
	}
}

// refusal gives an error of the library its kind.
func refusal(ctx context.Context, err error, raw *http.Response) error {
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok && (raw == nil || raw.StatusCode < 400) {
		return wire.Broken(ctx, provider, err)
	}
	r := wire.Refusal{Provider: provider}
	if raw != nil {
		r.Status, r.RequestID = raw.StatusCode, raw.Header.Get("Request-Id")
	}
	if ok {
		r.Type = string(e.Type())
		if r.Status < 400 { // told in the middle of a stream
			r.Status = statusOf(r.Type)
		}
	}
	return r.Fault()
}

// statusOf is the status with which the API tells a class of error elsewhere.
func statusOf(class string) int {
	switch class {
	case "invalid_request_error":
		return http.StatusBadRequest
	case "authentication_error":
		return http.StatusUnauthorized
	case "permission_error":
		return http.StatusForbidden
	case "not_found_error":
		return http.StatusNotFound
	case "request_too_large":
		return http.StatusRequestEntityTooLarge
	case "rate_limit_error":
		return http.StatusTooManyRequests
	default:
		return http.StatusInternalServerError
	}
}
