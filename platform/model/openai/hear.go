package openai

import (
	"cmp"
	"context"
	"errors"
	"mime"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/dialect"
	"github.com/gavelhq/gavel/platform/model/wire"
)

// An answer is what has been heard so far.
type answer struct {
	raw         *http.Response // its head; set as soon as there is one
	draft       wire.Draft
	id          string
	model       string
	fingerprint string
	finish      string
	refused     bool
	usage       sdk.CompletionUsage
}

// whole asks for the answer in one piece.
func (g *Generator) whole(ctx context.Context, p sdk.ChatCompletionNewParams, options []option.RequestOption, a *answer) error {
	c, err := g.chat.New(ctx, p, options...)
	if err != nil {
		return err
	}
	if c == nil || len(c.Choices) == 0 { // nil for a body that says null
		return errNoChoice
	}
	//lint:ignore SA1019 the vendor may drop it; while it is sent it says which set-up answered
	a.id, a.model, a.fingerprint, a.usage = c.ID, c.Model, c.SystemFingerprint, c.Usage
	choice := c.Choices[0]
	a.finish = choice.FinishReason
	a.draft.Text(choice.Message.Content)
	a.refuse(choice.Message.Refusal)
	for i, call := range choice.Message.ToolCalls {
		a.draft.Call(int64(i), call.ID, call.Function.Name, call.Function.Arguments)
	}
	return nil
}

// stream asks for the answer in pieces. It stops reading at a bound.
func (g *Generator) stream(ctx context.Context, p sdk.ChatCompletionNewParams, options []option.RequestOption, a *answer) error {
	pieces := g.chat.NewStreaming(ctx, p, options...)
	defer pieces.Close() //nolint:errcheck // it was only read
	heard := false
	for !a.draft.Full() && pieces.Next() {
		heard = true
		a.add(pieces.Current())
	}
	switch {
	case pieces.Err() != nil:
		return pieces.Err()
	case a.draft.Full() || a.finish != "":
		return nil
	case !heard && !eventStream(a.raw):
		return errNoChoice // a server that does not stream
	default:
		return wire.Cut(g.provider)
	}
}

func (a *answer) add(piece sdk.ChatCompletionChunk) {
	a.id, a.model = cmp.Or(a.id, piece.ID), cmp.Or(a.model, piece.Model)
	//lint:ignore SA1019 the vendor may drop it; while it is sent it says which set-up answered
	a.fingerprint = cmp.Or(a.fingerprint, piece.SystemFingerprint)
	if piece.Usage.PromptTokens != 0 || piece.Usage.CompletionTokens != 0 {
		a.usage = piece.Usage // in the last piece; some servers count up in every one
	}
	for _, choice := range piece.Choices {
		if choice.Index != 0 {
			continue // we asked for one
		}
		a.finish = cmp.Or(choice.FinishReason, a.finish)
		a.draft.Text(choice.Delta.Content)
		a.refuse(choice.Delta.Refusal)
		for _, c := range choice.Delta.ToolCalls {
			a.draft.Call(c.Index, c.ID, c.Function.Name, c.Function.Arguments)
		}
	}
}

// refuse notes a model's "no", which is its answer's text then.
func (a *answer) refuse(words string) {
	if words != "" {
		a.refused = true
		a.draft.Text(words)
	}
}

// hear turns what was heard into a response.
func (g *Generator) hear(req model.Request, words spoken, a *answer) model.Response {
	m, stop := a.draft.Message(a.stop())
	for i, c := range m.Calls {
		name := words.names.Ours(c.Name)
		m.Calls[i].Name = name
		if schema, ok := words.strict[name]; ok {
			m.Calls[i].Args = dialect.Back(schema, c.Args)
		}
	}
	if words.answer != nil && stop == model.Done && len(m.Parts) == 1 {
		m.Parts[0].Text = dialect.Back(words.answer, m.Parts[0].Text)
	}
	usage := wire.Count(a.usage.PromptTokens, a.usage.PromptTokensDetails.CachedTokens, a.usage.CompletionTokens)
	if usage.Total() == 0 {
		usage = req.Estimate(m)
	}
	id := cmp.Or(a.raw.Header.Get("X-Request-Id"), a.id)
	return model.Response{Message: m, Stop: stop, Usage: usage, Identity: model.Identity{
		Provider: g.provider, Model: wire.Word(a.model), Fingerprint: wire.Word(a.fingerprint), RequestID: wire.Word(id),
	}}
}

func (a *answer) stop() model.Stop {
	switch {
	case a.refused || a.finish == "content_filter":
		return model.Refused
	case a.finish == "length":
		return model.TooLong
	case a.finish == "tool_calls" || a.finish == "function_call":
		return model.WantsTool
	default:
		return model.Done
	}
}

// errNoChoice is an answer in the right wrapping with nothing in it.
var errNoChoice = errors.New("no choice in the answer")

// fault gives an error of the library its kind.
func (g *Generator) fault(ctx context.Context, err error, raw *http.Response) error {
	if raw != nil && raw.StatusCode >= 400 {
		r := wire.Refusal{Provider: g.provider, Status: raw.StatusCode, RequestID: raw.Header.Get("X-Request-Id")}
		if e, ok := errors.AsType[*sdk.Error](err); ok { // not where the body is a proxy's page
			r.Type, r.Code = e.Type, e.Code
		}
		return r.Fault()
	}
	if _, ok := errors.AsType[*ssestream.StreamError](err); ok {
		return fault.New(fault.Unavailable, "%s broke its answer off with an error", g.provider)
	}
	return wire.Broken(ctx, g.provider, err)
}

func eventStream(raw *http.Response) bool {
	if raw == nil {
		return false
	}
	kind, _, err := mime.ParseMediaType(raw.Header.Get("Content-Type"))
	return err == nil && kind == "text/event-stream"
}
