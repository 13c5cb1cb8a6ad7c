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

var turns = flag.Int("turns", 40, "turns of the run whose history is weighed")

// TestAHistoryHoldsDigestsOnly weighs the history of a long run, each turn with
// a model call and a look-up of five kilobytes: it grows by a small constant,
// whatever has been said before.
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
	var half, all, payloads int
	seen := 0
	it := client.GetWorkflowHistory(t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for it.HasNext() {
		e, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		all += proto.Size(e)
		if e.EventType == enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED {
			seen++
		}
		if seen <= *turns/2 {
			half += proto.Size(e)
		}
		payloads += weigh(e)
	}
	fmt.Printf("history: %d turns, %d bytes as the server says, %d of payloads; second half %+.1f %%\n",
		*turns, total, payloads, 100*(float64(all-half)/float64(half)-1))
	if per := total / int64(*turns); per > 2500 {
		t.Errorf("%d bytes a turn, want at most 2500", per)
	}
	if per := payloads / *turns; per > 500 {
		t.Errorf("%d bytes of payloads a turn, want at most 500", per)
	}
	if float64(all-half) > 1.05*float64(half) {
		t.Errorf("the first half of the turns took %d bytes, the second %d", half, all-half)
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
