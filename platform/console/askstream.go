package console

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/ask"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// An askEvent is one event of the stream, in AG-UI's names, so that other front
// ends can read it.
type askEvent struct {
	Type      string `json:"type"`
	Thread    string `json:"threadId,omitempty"` // the case
	Run       string `json:"runId,omitempty"`
	Message   string `json:"messageId,omitempty"`
	Role      string `json:"role,omitempty"`
	Delta     string `json:"delta,omitempty"`
	Call      string `json:"toolCallId,omitempty"`
	CallName  string `json:"toolCallName,omitempty"`
	Content   string `json:"content,omitempty"`
	Text      string `json:"message,omitempty"` // what went wrong
	Code      string `json:"code,omitempty"`
	Timestamp int64  `json:"timestamp,omitempty"` // milliseconds
}

// An askStream tells a browser what happens on the way to an answer.
type askStream struct {
	w      http.ResponseWriter
	out    *web.Events // nil until there is something to tell
	page   *web.Page
	run    string
	thread string
	calls  int
	begun  bool // the message has
	facts  func([]fact.Ref) map[fact.Ref]fact.Fact
}

// streamAnswer answers in events. What is wrong with a question is an ordinary
// answer as long as nothing was sent.
func (c *Console) streamAnswer(w http.ResponseWriter, r *http.Request, actor identity.Actor, id casefile.CaseID, typed string) error {
	p := c.site.Page(r)
	s := &askStream{w: w, page: p, run: web.RequestID(r.Context()), thread: string(id),
		facts: func(refs []fact.Ref) map[fact.Ref]fact.Fact {
			found, err := c.Evidence.At(r.Context(), actor.Org, id, refs)
			if err != nil {
				return nil // the line is shown without; the box itself says what is wrong
			}
			return found
		}}
	_, err := c.Ask.Ask(r.Context(), actor, id, typed, s.tell)
	if err != nil && s.out == nil {
		return err
	}
	s.end(err)
	return nil
}

func (s *askStream) tell(e ask.Event) {
	if s.out == nil {
		s.out = web.NewEvents(s.w)
		s.send(askEvent{Type: "RUN_STARTED", Thread: s.thread, Run: s.run})
	}
	if e.Look != nil {
		s.calls++
		call := s.run + "-" + strconv.Itoa(s.calls)
		s.send(askEvent{Type: "TOOL_CALL_START", Call: call, CallName: "look_up_" + string(e.Look.Topic)})
		s.send(askEvent{Type: "TOOL_CALL_END", Call: call})
		s.send(askEvent{Type: "TOOL_CALL_RESULT", Call: call, Message: call, Role: "tool", Content: lookWords(s.page, *e.Look)})
		return
	}
	if !s.begun {
		s.begun = true
		s.send(askEvent{Type: "TEXT_MESSAGE_START", Message: s.run, Role: "assistant"})
	}
	s.send(askEvent{Type: "TEXT_MESSAGE_CONTENT", Message: s.run, Delta: lineWords(s.page, *e.Line, s.facts(e.Line.Facts)) + "\n"})
}

func (s *askStream) end(err error) {
	if s.begun {
		s.send(askEvent{Type: "TEXT_MESSAGE_END", Message: s.run})
	}
	if err != nil {
		text, _ := s.page.Told(err)
		s.send(askEvent{Type: "RUN_ERROR", Text: text, Code: fault.KindOf(err).String()})
		return
	}
	s.send(askEvent{Type: "RUN_FINISHED", Thread: s.thread, Run: s.run})
}

// send writes one event. Whoever has left is not told the rest; the answer is
// kept all the same.
func (s *askStream) send(e askEvent) {
	e.Timestamp = time.Now().UnixMilli()
	s.out.Begin()
	s.out.Event("", e)
	s.out.End()
}
