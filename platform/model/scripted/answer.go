package scripted

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// reply is an answer on its way out.
type reply struct {
	id     string
	text   string
	calls  []wireCall
	finish string
	usage  map[string]any
}

// wireCall is a call in the published shape. Index is for streams only.
type wireCall struct {
	Index    *int   `json:"index,omitempty"`
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"`
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// write sends an answer, well or badly.
func write(w http.ResponseWriter, r *http.Request, s Seen, a Answer) {
	w.Header().Set("X-Request-Id", fmt.Sprintf("req_scripted_%d", s.N))
	a = misbehave(a)
	switch {
	case a.Fails == Hangs:
		<-r.Context().Done()
	case a.Body != "":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(max(a.Status, http.StatusOK))
		w.Write([]byte(a.Body))
	case a.Status >= 400:
		refuse(w, a.Status, "scripted_error", "the script says so")
	case s.Stream:
		stream(w, compose(s, a), a.Fails)
	default:
		whole(w, compose(s, a), a.Fails)
	}
}

// misbehave turns those ways to be bad that are an ordinary answer with odd
// contents into that answer.
func misbehave(a Answer) Answer {
	switch a.Fails {
	case Error500:
		return Answer{Status: http.StatusInternalServerError}
	case RateLimit:
		return Answer{Status: http.StatusTooManyRequests}
	case TenMB:
		return Answer{Text: strings.Repeat("All work and no play. ", 10<<20/22+1)}
	case Nothing:
		return Answer{}
	case NoSuchTool:
		return Answer{Calls: []Call{{Name: "no_such_tool", Args: map[string]any{"why": "the script says so"}}}}
	case BrokenArgs:
		name := "no_such_tool"
		if len(a.Calls) > 0 {
			name = a.Calls[0].Name
		}
		return Answer{Calls: []Call{{Name: name, Raw: `{"amount": "12.`}}}
	case ManyCalls:
		call := Call{Name: "no_such_tool"}
		if len(a.Calls) > 0 {
			call = a.Calls[0]
		}
		call.ID = ""
		many := Answer{Calls: make([]Call, 1000)}
		for i := range many.Calls {
			many.Calls[i] = call
		}
		return many
	}
	return a
}

// compose puts an answer into the API's words. Ids follow from the request, so
// that a request that is sent again is answered with the same ones.
func compose(s Seen, a Answer) reply {
	digest := s.Digest.String()[:16]
	out := reply{id: "chatcmpl-scripted-" + digest, text: a.Text, finish: a.Stop}
	if a.JSON != nil {
		text, err := json.Marshal(a.JSON)
		if err != nil {
			text = []byte(`"the hook's answer is no JSON"`)
		}
		out.text = string(text)
	}
	for i, c := range a.Calls {
		call := wireCall{ID: c.ID, Type: "function"}
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%s_%d", digest, i+1)
		}
		call.Function.Name, call.Function.Arguments = c.Name, c.args()
		out.calls = append(out.calls, call)
	}
	if out.finish == "" {
		out.finish = "stop"
		if len(out.calls) > 0 {
			out.finish = "tool_calls"
		}
	}
	out.usage = usage(s, out)
	return out
}

// usage counts four bytes as a token: the figures are made up, but they grow
// with the words as real ones do, and a repeat costs the same.
func usage(s Seen, out reply) map[string]any {
	in, answer := len(s.System), len(out.text)
	for _, m := range s.Messages {
		in += len(m.Text)
		for _, c := range m.Calls {
			in += len(c.Raw)
		}
	}
	for _, c := range out.calls {
		answer += len(c.Function.Arguments) + len(c.Function.Name)
	}
	in, answer = in/4+1, answer/4+1
	return map[string]any{"prompt_tokens": in, "completion_tokens": answer, "total_tokens": in + answer}
}

// head is what an answer and each piece of a stream begin with.
func (o reply) head(object string) map[string]any {
	return map[string]any{"id": o.id, "object": object, "created": 0, "model": Model, "system_fingerprint": "fp_scripted"}
}

// whole sends the answer in one piece.
func whole(w http.ResponseWriter, o reply, fails Behaviour) {
	message := map[string]any{"role": "assistant", "content": o.text, "refusal": nil}
	if len(o.calls) > 0 {
		message["tool_calls"] = o.calls
		if o.text == "" {
			message["content"] = nil
		}
	}
	body := o.head("chat.completion")
	body["usage"] = o.usage
	body["choices"] = []any{map[string]any{"index": 0, "message": message, "finish_reason": o.finish, "logprobs": nil}}
	if fails == NoChoice {
		body["choices"] = []any{}
	}
	if fails == Well || fails == NoChoice {
		send(w, http.StatusOK, body)
		return
	}
	text, err := json.Marshal(body)
	if err != nil {
		return // maps of strings always marshal
	}
	w.Header().Set("Content-Type", "application/json")
	if fails == CutOff {
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	}
	w.Write(text[:len(text)/2])
	if fails == CutOff {
		panic(http.ErrAbortHandler) // the connection ends here
	}
}

// stream sends the answer as events: the text in words, then the calls in
// halves.
func stream(w http.ResponseWriter, o reply, fails Behaviour) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	e := events{w: w, reply: o}
	e.flush, _ = w.(http.Flusher)
	e.send(map[string]any{"role": "assistant", "content": ""}, nil)
	for i, piece := range pieces(o.text) {
		if i > 0 && fails == CutOff {
			panic(http.ErrAbortHandler)
		}
		e.send(map[string]any{"content": piece}, nil)
	}
	if fails == BrokenJSON {
		e.raw(`{"id":"chatcmpl-scripted","choices":[{"index":0,"del`)
	}
	for i, c := range o.calls {
		args := c.Function.Arguments
		half := len(args) / 2
		for half > 0 && !utf8.RuneStart(args[half]) {
			half--
		}
		c.Index, c.Function.Arguments = &i, args[:half]
		e.send(map[string]any{"tool_calls": []wireCall{c}}, nil)
		rest := wireCall{Index: &i}
		rest.Function.Arguments = args[half:]
		e.send(map[string]any{"tool_calls": []wireCall{rest}}, nil)
	}
	if fails == CutOff {
		panic(http.ErrAbortHandler)
	}
	if fails != NoChoice {
		e.send(map[string]any{}, o.finish)
	}
	last := o.head("chat.completion.chunk")
	last["choices"], last["usage"] = []any{}, o.usage
	e.value(last)
	e.raw("[DONE]")
}

// events writes a stream.
type events struct {
	w     http.ResponseWriter
	flush http.Flusher
	reply reply
}

func (e events) send(delta map[string]any, finish any) {
	piece := e.reply.head("chat.completion.chunk")
	piece["choices"] = []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": nil}}
	e.value(piece)
}

func (e events) value(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		return // maps of strings always marshal
	}
	e.raw(string(text))
}

func (e events) raw(text string) {
	fmt.Fprintf(e.w, "data: %s\n\n", text)
	if e.flush != nil {
		e.flush.Flush()
	}
}

// pieces cuts a text after its spaces, and a long one into a few hundred parts.
func pieces(text string) []string {
	words := strings.SplitAfter(text, " ")
	if text == "" {
		return nil
	}
	const most = 512
	if len(words) <= most {
		return words
	}
	size := (len(words) + most - 1) / most
	var all []string
	for len(words) > 0 {
		n := min(size, len(words))
		all, words = append(all, strings.Join(words[:n], "")), words[n:]
	}
	return all
}
