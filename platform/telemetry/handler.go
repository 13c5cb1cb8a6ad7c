package telemetry

import (
	"context"
	"log/slog"
	"slices"

	"go.opentelemetry.io/otel/trace"
)

// A handler is the slog.Handler of every log line: it takes secrets out and adds
// which trace, span and request the line belongs to, at the top level whatever
// groups are open.
type handler struct {
	next slog.Handler
	open []group // innermost last; kept here so that ids stay outside of them
}

// A group is a WithGroup and the attributes given since, masked.
type group struct {
	name  string
	attrs []slog.Attr
}

// NewHandler puts masking and trace ids before another handler.
func NewHandler(next slog.Handler) slog.Handler { return &handler{next: next} }

// Enabled is the next handler's.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// WithAttrs masks attributes once, for all lines to come.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h
	}
	if len(h.open) == 0 {
		return &handler{next: h.next.WithAttrs(maskAttrs(attrs))}
	}
	open := slices.Clone(h.open)
	last := &open[len(open)-1]
	last.attrs = slices.Concat(last.attrs, maskAttrs(attrs))
	return &handler{next: h.next, open: open}
}

// WithGroup opens a group.
func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &handler{next: h.next, open: append(slices.Clone(h.open), group{name: name})}
}

// Handle writes a line.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	line := slog.NewRecord(r.Time, r.Level, maskText(r.Message), r.PC)
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		line.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	attrs := make([]slog.Attr, 0, r.NumAttrs())
	named := false // whether the line names its request itself
	r.Attrs(func(a slog.Attr) bool {
		named = named || a.Key == requestID
		attrs = append(attrs, maskAttr(a))
		return true
	})
	if id := RequestID(ctx); id != "" && !(named && len(h.open) == 0) {
		line.AddAttrs(slog.String(requestID, maskText(id)))
	}
	for _, g := range slices.Backward(h.open) {
		inside := slog.Attr{Key: g.name, Value: slog.GroupValue(slices.Concat(g.attrs, attrs)...)}
		if secretKey(g.name, isText) {
			inside.Value = slog.StringValue(hidden)
		}
		attrs = []slog.Attr{inside}
	}
	line.AddAttrs(attrs...)
	return h.next.Handle(ctx, line)
}

// requestID is the key of a request's id in a log line.
const requestID = "request_id"

type requestIDKey struct{}

// WithRequestID is a context whose log lines carry a request's id.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID is the id of the request that ctx belongs to, empty if none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
