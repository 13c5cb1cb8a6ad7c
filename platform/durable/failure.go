package durable

import (
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
)

// failures seals the words and stack traces of errors like any other payload, and
// repeats none that were not sealed for the same workflow. That something failed,
// and whether it may be tried again, the engine has to know: those stay open, and
// whoever can write to it can make a step fail.
type failures struct {
	converter.FailureConverter
	conv converter.DataConverter
}

func newFailures(conv converter.DataConverter) failures {
	return failures{conv: conv, FailureConverter: temporal.NewDefaultFailureConverter(
		temporal.DefaultFailureConverterOptions{DataConverter: conv, EncodeCommonAttributes: true})}
}

// WithSerializationContext is the converter for another place. The library's own
// failure converter has none, and would seal for no place.
func (f failures) WithSerializationContext(sc converter.SerializationContext) converter.FailureConverter {
	return newFailures(converter.WithDataConverterSerializationContext(f.conv, sc))
}

// strangersWords stand for what a failure says that was not sealed here.
const strangersWords = "a failure whose words were not sealed for this workflow"

// FailureToError reads a failure. One that claims to come from our code, and whose
// words were not sealed by it, is an error without words and of no kind.
func (f failures) FailureToError(failure *failurepb.Failure) error {
	if failure == nil {
		return nil
	}
	heard := proto.CloneOf(failure)
	for one := heard; one != nil; one = one.GetCause() {
		if f.ours(one) {
			continue
		}
		one.Message, one.StackTrace, one.EncodedAttributes = strangersWords, "", nil
		if app := one.GetApplicationFailureInfo(); app != nil {
			app.Type, app.Details = "", nil
		}
	}
	return f.FailureConverter.FailureToError(heard)
}

// ours reports whether a failure's words are the engine's own or sealed here.
func (f failures) ours(one *failurepb.Failure) bool {
	if one.GetFailureInfo() != nil && one.GetApplicationFailureInfo() == nil {
		return true
	}
	var raw converter.RawValue
	return one.GetEncodedAttributes() != nil && f.conv.FromPayload(one.GetEncodedAttributes(), &raw) == nil
}
