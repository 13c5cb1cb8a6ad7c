package scripted

import (
	"encoding/json"
	"strings"

	"github.com/gavelhq/gavel/platform/blob"
)

// A Seen is one request as the server understood it.
type Seen struct {
	Agent  string // who asks: the header, or the first line of the system's words
	Model  string // as asked for
	System string
	Turn   int    // of the conversation, from 1: one more than the model's answers in it
	Role   string // of the last message
	Last   string // its text
	Tool   string // the tool whose result it is, where it is one
	Task   string // the first user message
	// Messages is the conversation, for a hook; the log does without.
	Messages []Message
	Tools    []string // offered, as the vendor's API has them: no dots
	Answer   string   // the name of the answer's form, where one was asked for
	Stream   bool
	N        int         // how many requests there have been, this one included
	NAgent   int         // the same for this agent
	Digest   blob.Digest // of the request's body: a repeat has the same
}

// A Message is one of the conversation.
type Message struct {
	Role   string
	Text   string
	Images int
	Calls  []Call // an assistant's; Raw holds the arguments
	CallID string // a tool's
}

// request is what the server reads of a request.
type request struct {
	Model    string `json:"model"`
	Messages []struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	ResponseFormat struct {
		JSONSchema struct {
			Name string `json:"name"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Stream        bool `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// seen makes sense of a request.
func (r request) seen(agent string, body []byte) Seen {
	s := Seen{Model: r.Model, Turn: 1, Stream: r.Stream, Answer: r.ResponseFormat.JSONSchema.Name, Digest: blob.Sum(body)}
	tools := map[string]string{} // by call
	for _, m := range r.Messages {
		text, images := content(m.Content)
		if m.Role == "system" || m.Role == "developer" {
			s.System += text
			continue
		}
		said := Message{Role: m.Role, Text: text, Images: images, CallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			tools[c.ID] = c.Function.Name
			said.Calls = append(said.Calls, Call{ID: c.ID, Name: c.Function.Name, Raw: c.Function.Arguments})
		}
		s.Messages = append(s.Messages, said)
		s.Role, s.Last, s.Tool = m.Role, text, tools[m.ToolCallID]
		if m.Role == "assistant" {
			s.Turn++
		}
		if m.Role == "user" && s.Task == "" {
			s.Task = text
		}
	}
	for _, t := range r.Tools {
		s.Tools = append(s.Tools, t.Function.Name)
	}
	if agent == "" {
		agent, _, _ = strings.Cut(s.System, "\n")
	}
	s.Agent = strings.TrimSpace(agent)
	if len(s.Agent) > maxAgent {
		s.Agent = strings.ToValidUTF8(s.Agent[:maxAgent], "")
	}
	return s
}

// content is a message's text, given as a string or in parts, and how many
// images are among the parts.
func content(raw json.RawMessage) (string, int) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, 0
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", 0
	}
	images := 0
	for _, p := range parts {
		text += p.Text
		if p.Type == "image_url" {
			images++
		}
	}
	return text, images
}
