package agent_test

import (
	"flag"
	"fmt"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
)

var turns = flag.Int("turns", 120, "turns of the run whose history is weighed; more than one stretch has")

// What a history may hold, in bytes: of a stretch but the first, and of one's payloads.
const (
	mostOfAStretch  = 2 << 10
	mostOfItsWords  = 1 << 10
	mostOfAHistory  = 12 << 10 // of two hundred turns, as the server counts
	turnsOfAStretch = 50
)

// TestAHistoryHoldsDigestsOnly weighs the history of a long run, each turn with
// a model call and a look-up of five kilobytes: it grows by a small constant with every
// stretch of fifty turns, whatever has been said in them.
func TestAHistoryHoldsDigestsOnly(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) { c.Window = 10 << 20 }) // nothing is summed up
	r.run()
	c := r.open("clerk", fmt.Sprintf("%d*look long", *turns))
	if got := r.closed(c.ID); got.Status != "done" {
		t.Fatalf("the case ended %q", got.Status)
	}
	client := durabletest.Dial(t)
	id := r.app + "/north/" + c.Key
	d, err := client.DescribeWorkflowExecution(t.Context(), id, "")
	if err != nil {
		t.Fatal(err)
	}
	total := d.WorkflowExecutionInfo.HistorySizeBytes
	if n := r.model.Requests(); n != *turns+1 {
		t.Fatalf("%d turns, want %d and the answer", n, *turns)
	}
	var stretches, words []int // bytes, and of these payloads, since the stretch before
	bytes, payloads := 0, 0
	it := client.GetWorkflowHistory(t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for it.HasNext() {
		e, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		bytes, payloads = bytes+proto.Size(e), payloads+weigh(e)
		if e.EventType == enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED {
			stretches, words = append(stretches, bytes), append(words, payloads)
			bytes, payloads = 0, 0
		}
	}
	fmt.Printf("history: %d turns in %d stretches, %d bytes as the server says; by stretch %v, payloads %v\n",
		*turns, len(stretches), total, stretches, words)
	if want := *turns/turnsOfAStretch + 1; len(stretches) < max(want, 2) {
		t.Fatalf("%d stretches, want at least two and %d: there is nothing to compare", len(stretches), want)
	}
	for i, n := range stretches[1:] {
		if n > mostOfAStretch || words[i+1] > mostOfItsWords {
			t.Errorf("stretch %d took %d bytes, %d of payloads; want at most %d and %d", i+2, n, words[i+1], mostOfAStretch, mostOfItsWords)
		}
	}
	if most := int64(mostOfAHistory + max(0, *turns-200)/turnsOfAStretch*mostOfAStretch); total > most {
		t.Errorf("%d bytes, want at most %d", total, most)
	}
}

// weigh is the bytes of all payloads of an event.
func weigh(e *historypb.HistoryEvent) int {
	n := 0
	var walk func(protoreflect.Message)
	walk = func(m protoreflect.Message) {
		if p, ok := m.Interface().(*commonpb.Payload); ok {
			n += proto.Size(p)
			return
		}
		m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			switch {
			case f.IsMap() && f.MapValue().Message() != nil:
				v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { walk(v.Message()); return true })
			case f.IsList() && f.Message() != nil:
				for i := range v.List().Len() {
					walk(v.List().Get(i).Message())
				}
			case f.Message() != nil && !f.IsMap() && !f.IsList():
				walk(v.Message())
			}
			return true
		})
	}
	walk(e.ProtoReflect())
	return n
}
