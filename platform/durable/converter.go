package durable

import (
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

// converter is what clients and workers of this installation use.
func (c Config) converter() converter.DataConverter {
	if c.ReadOld {
		return newConverter(c.Keys, readOld)
	}
	return newConverter(c.Keys, readBound)
}

// ReplayConverter opens payloads of any workflow: the engine's replayer runs a
// recorded history under names of its own. It is for nothing that is carried out.
func (k Keys) ReplayConverter() converter.DataConverter { return newConverter(k, readAnywhere) }

// Memo reads a memo of a workflow, which the client hands out as it is stored. An
// old one is always read: a workflow that lives for years carries its memo through
// all of its runs, and it only tells a repeated start from a new one.
func (c Config) Memo(workflow string, p *commonpb.Payload, into any) error {
	return at(newConverter(c.Keys, readOld), c.Namespace, workflow).FromPayload(p, into)
}

// Bound reports whether a payload of a workflow was sealed for it. One that was
// sealed here before payloads were bound was not; any other is an error.
func (c Config) Bound(workflow string, p *commonpb.Payload) (bool, error) {
	var raw converter.RawValue
	err := at(newConverter(c.Keys, readBound), c.Namespace, workflow).FromPayload(p, &raw)
	if err == nil {
		return true, nil
	}
	return false, at(newConverter(c.Keys, readOld), c.Namespace, workflow).FromPayload(p, &raw)
}

func at(dc converter.DataConverter, namespace, workflow string) converter.DataConverter {
	return converter.WithDataConverterSerializationContext(dc,
		converter.WorkflowSerializationContext{Namespace: namespace, WorkflowID: workflow})
}

// A whole converter leaves no value out: where the engine brings fewer values than
// are waited for, the library's own would leave the rest as they were, and a
// stranger's answer of nothing at all would be taken for the zero value.
type whole struct{ converter.DataConverter }

func newConverter(k Keys, r reading) converter.DataConverter {
	return whole{converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), &codec{keys: k, reads: r})}
}

// WithSerializationContext is the converter for another place.
func (w whole) WithSerializationContext(sc converter.SerializationContext) converter.DataConverter {
	return whole{converter.WithDataConverterSerializationContext(w.DataConverter, sc)}
}

// FromPayloads reads as many values as are waited for, or none.
func (w whole) FromPayloads(payloads *commonpb.Payloads, into ...any) error {
	if got := len(payloads.GetPayloads()); got < len(into) {
		return refused("%d of %d values came", got, len(into))
	}
	return w.DataConverter.FromPayloads(payloads, into...)
}
