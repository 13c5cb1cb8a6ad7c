package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/gavelhq/gavel/platform/fault"
)

// GenAI makes the spans of agents at work, under the names that OpenTelemetry's
// conventions for generative AI give them. The conventions still change, and
// this file is the only one that knows them. The zero GenAI records nothing.
//
// A span holds names, ids and counts: no prompt, no answer, no argument, no
// result, and of an error only its kind, because its text may quote any of them.
// The names come from registries and settings. What does not look like a name
// is left out all the same, since some of it passes through a model.
type GenAI struct{ tracer trace.Tracer }

// GenAI makes spans that go where this Telemetry sends its others.
func (t *Telemetry) GenAI() GenAI {
	return GenAI{t.Tracers.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL))}
}

// An Agent is who works, and in which conversation: the run's id.
type Agent struct{ Name, Conversation string }

// StartAgent begins a stretch of an agent's work, such as one turn: a span ends
// in the process that began it, so a run that waits for people is several. Spans
// begun with the returned context are parts of it, and log lines name it. The
// function ends it.
func (g GenAI) StartAgent(ctx context.Context, a Agent) (context.Context, func(error)) {
	ctx, span := g.start(ctx, semconv.GenAIOperationNameInvokeAgent, a.Name, trace.SpanKindInternal, a.attributes())
	return ctx, func(err error) { end(span, err) }
}

// A ModelCall is one request to a model, as it is sent.
type ModelCall struct {
	Agent
	Provider string // "openai", "anthropic"
	Model    string // as asked for
}

// A ModelAnswer is what came back, apart from the words.
type ModelAnswer struct {
	Model                 string // as the vendor resolved it
	Input, Cached, Output int64  // tokens; Cached is part of Input
}

// StartModelCall begins a request to a model. The function ends it; of a failed
// request the answer is not looked at.
func (g GenAI) StartModelCall(ctx context.Context, c ModelCall) (context.Context, func(ModelAnswer, error)) {
	attributes := named(c.attributes(), semconv.GenAIProviderNameKey, c.Provider)
	attributes = named(attributes, semconv.GenAIRequestModelKey, c.Model)
	ctx, span := g.start(ctx, semconv.GenAIOperationNameChat, c.Model, trace.SpanKindClient, attributes)
	return ctx, func(answer ModelAnswer, err error) {
		if err == nil {
			span.SetAttributes(answer.attributes()...)
		}
		end(span, err)
	}
}

// A ToolCall is one run of a tool that is in the registry.
type ToolCall struct {
	Agent
	Tool string // as the registry calls it
	Call string // id of the model's call
}

// StartTool begins a run of a tool. The function ends it.
func (g GenAI) StartTool(ctx context.Context, c ToolCall) (context.Context, func(error)) {
	attributes := named(c.attributes(), semconv.GenAIToolNameKey, c.Tool)
	attributes = named(attributes, semconv.GenAIToolCallIDKey, c.Call)
	attributes = append(attributes, semconv.GenAIToolType("function"))
	ctx, span := g.start(ctx, semconv.GenAIOperationNameExecuteTool, c.Tool, trace.SpanKindInternal, attributes)
	return ctx, func(err error) { end(span, err) }
}

// start begins a span named by its operation and what it is done with.
func (g GenAI) start(ctx context.Context, operation attribute.KeyValue, with string, kind trace.SpanKind,
	attributes []attribute.KeyValue) (context.Context, trace.Span) {
	if g.tracer == nil {
		g.tracer = noop.Tracer{}
	}
	name := operation.Value.AsString()
	if isName(with) {
		name += " " + with
	}
	return g.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(append(attributes, operation)...))
}

// end closes a span; an error is told by its kind.
func end(span trace.Span, err error) {
	if err != nil {
		kind := fault.KindOf(err)
		span.SetAttributes(semconv.ErrorTypeKey.String(kind.Code()))
		span.SetStatus(codes.Error, kind.Sentence())
	}
	span.End()
}

func (a Agent) attributes() []attribute.KeyValue {
	return named(named(nil, semconv.GenAIAgentNameKey, a.Name), semconv.GenAIConversationIDKey, a.Conversation)
}

func (a ModelAnswer) attributes() []attribute.KeyValue {
	return append(named(nil, semconv.GenAIResponseModelKey, a.Model),
		semconv.GenAIUsageInputTokensKey.Int64(a.Input),
		semconv.GenAIUsageCacheReadInputTokensKey.Int64(a.Cached),
		semconv.GenAIUsageOutputTokensKey.Int64(a.Output))
}

// named adds an attribute if its value looks like a name.
func named(all []attribute.KeyValue, key attribute.Key, value string) []attribute.KeyValue {
	if !isName(value) {
		return all
	}
	return append(all, key.String(value))
}

// maxName is the length of the longest name that is shown, in bytes.
const maxName = 128

// isName reports whether a text can be the name or id of something: one short
// word without spaces, and no e-mail address.
func isName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for _, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && r != '_' && r != '-' && r != '.' && r != ':' && r != '/' {
			return false
		}
	}
	return true
}
