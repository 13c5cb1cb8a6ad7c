package telemetry

import (
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// maskSpans takes secrets out of spans as handler takes them out of log lines:
// an error recorded on a span is as talkative as one that is logged.
func maskSpans(spans []sdktrace.ReadOnlySpan) []sdktrace.ReadOnlySpan {
	masked := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, s := range spans {
		masked[i] = maskedSpan{s}
	}
	return masked
}

// A maskedSpan is a span without its secrets.
type maskedSpan struct{ sdktrace.ReadOnlySpan }

func (s maskedSpan) Name() string { return maskText(s.ReadOnlySpan.Name()) }

func (s maskedSpan) Attributes() []attribute.KeyValue {
	return maskAttributes(s.ReadOnlySpan.Attributes())
}

func (s maskedSpan) Status() sdktrace.Status {
	status := s.ReadOnlySpan.Status()
	status.Description = maskText(status.Description)
	return status
}

func (s maskedSpan) Events() []sdktrace.Event {
	events := make([]sdktrace.Event, len(s.ReadOnlySpan.Events()))
	for i, e := range s.ReadOnlySpan.Events() {
		e.Name = maskText(e.Name)
		e.Attributes = maskAttributes(e.Attributes)
		events[i] = e
	}
	return events
}

func (s maskedSpan) Links() []sdktrace.Link {
	links := make([]sdktrace.Link, len(s.ReadOnlySpan.Links()))
	for i, l := range s.ReadOnlySpan.Links() {
		l.Attributes = maskAttributes(l.Attributes)
		links[i] = l
	}
	return links
}

func maskAttributes(attrs []attribute.KeyValue) []attribute.KeyValue {
	masked := make([]attribute.KeyValue, len(attrs))
	for i, kv := range attrs {
		masked[i] = attribute.KeyValue{Key: kv.Key, Value: maskValue(string(kv.Key), kv.Value)}
	}
	return masked
}

func maskValue(key string, v attribute.Value) attribute.Value {
	switch v.Type() {
	case attribute.BOOL, attribute.INT64, attribute.FLOAT64, attribute.BOOLSLICE, attribute.INT64SLICE, attribute.FLOAT64SLICE:
		if secretKey(key, isNumber) {
			return attribute.StringValue(hidden)
		}
		return v
	}
	if secretKey(key, isText) {
		return attribute.StringValue(hidden)
	}
	switch v.Type() {
	case attribute.STRINGSLICE:
		texts := v.AsStringSlice() // a copy
		for i := range texts {
			texts[i] = maskText(texts[i])
		}
		return attribute.StringSliceValue(texts)
	case attribute.BYTESLICE:
		return attribute.StringValue("[bytes not shown]")
	}
	return attribute.StringValue(maskText(v.String()))
}
