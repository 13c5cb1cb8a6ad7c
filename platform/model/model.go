// Package model is the one door to language models.
//
// A Request goes in and a Response comes out, in a form of our own that belongs
// to no vendor: it is what transcripts hold, what the log has digests of, and
// what a bundle shows in ten years. Adapters under this folder (openai,
// anthropic) turn it into a vendor's words and back, on the vendor's own
// library with its retries off, since the engine retries. Package scripted is a
// server that answers from a script.
//
// Read Message first, then Generator. A model's answer is words: whoever asked
// checks it before it counts for anything.
package model

import (
	"context"
	"encoding/json"

	"github.com/gavelhq/gavel/platform/blob"
)

// A Generator asks a model once. It does not retry, and a failed request is a
// fault: Unavailable or TooMany may be asked again, the others may not.
type Generator interface {
	Generate(ctx context.Context, req Request) (Response, error)
}

// A Role says whose words a message holds.
type Role string

// The roles. The system's words are Request.System, never a message.
const (
	User      Role = "user"      // the task, and what the runtime has to say
	Assistant Role = "assistant" // what a model answered
	Tool      Role = "tool"      // the result of one call
)

// A Message is one contribution to a conversation. Its canonical JSON is what
// digests are made of, so fields are added, never changed.
type Message struct {
	Role  Role   `json:"role"`
	Parts []Part `json:"parts,omitempty"`
	Calls []Call `json:"calls,omitempty"` // an assistant's, in the order asked for
	// CallID names the call that a tool's message answers; Failed says that the
	// call was refused or went wrong, and why is in the text.
	CallID string `json:"call_id,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}

// A Part is a piece of a message: text or an image, one of the two.
type Part struct {
	Text  string `json:"text,omitempty"`
	Image *Image `json:"image,omitempty"`
}

// An Image is shown by its digest; its bytes lie in the blob store.
type Image struct {
	SHA256      blob.Digest `json:"sha256"`
	ContentType string      `json:"content_type"`
}

// A Call is a model's wish to have a tool run. Args are as the model wrote them:
// nobody has checked them yet, and they may not even be JSON.
type Call struct {
	ID   string `json:"id"` // unique in its message; where a model gives none, the adapter does
	Name string `json:"name"`
	Args string `json:"args"`
}

// A ToolSpec is a tool as a model sees it.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // JSON Schema of the arguments, in the full dialect
}

// An AnswerSpec asks for a final answer of a form. A server may ignore it: the
// caller validates.
type AnswerSpec struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

// Params are the settings of one request. The zero value leaves each to the
// vendor.
type Params struct {
	Temperature *float64 `json:"temperature,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"` // of the answer
}

// A Request is everything a model is told.
type Request struct {
	Model    string      `json:"model"` // as the vendor calls it
	System   string      `json:"system,omitempty"`
	Messages []Message   `json:"messages"`
	Tools    []ToolSpec  `json:"tools,omitempty"`
	Answer   *AnswerSpec `json:"answer,omitempty"`
	Params   Params      `json:"params,omitzero"`

	// Agent names who asks, for a scripted server and for traces. It is sent as
	// a header, not as words.
	Agent string `json:"-"`
	// Stream, if set, is handed the answer's text piece by piece as it comes. The
	// Response is complete all the same. It must not block.
	Stream func(text string) `json:"-"`
}

// A Stop says why a model ended its answer.
type Stop string

// The reasons.
const (
	Done      Stop = "done"
	WantsTool Stop = "tool"
	TooLong   Stop = "length"  // cut at MaxTokens, or at our own bound
	Refused   Stop = "refused" // the vendor's filter, or the model said no
)

// Usage is what a request cost, in tokens as the vendor counts them.
type Usage struct {
	Input  int64 `json:"input"`
	Cached int64 `json:"cached,omitempty"` // of the input, read from the vendor's cache
	Output int64 `json:"output"`
	// Estimated says that the server named no figures and we counted bytes: a
	// budget must not be evaded by silence.
	Estimated bool `json:"estimated,omitempty"`
}

// Add is the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{Input: u.Input + v.Input, Cached: u.Cached + v.Cached, Output: u.Output + v.Output,
		Estimated: u.Estimated || v.Estimated}
}

// Total is all tokens.
func (u Usage) Total() int64 { return u.Input + u.Output }

// An Identity says exactly who answered.
type Identity struct {
	Provider    string `json:"provider"`              // "openai", "anthropic"
	Model       string `json:"model"`                 // as resolved by the vendor
	Fingerprint string `json:"fingerprint,omitempty"` // of the vendor's set-up, where it gives one
	RequestID   string `json:"request_id,omitempty"`
}

// A Response is what came back. Its message is an assistant's.
type Response struct {
	Message  Message  `json:"message"`
	Stop     Stop     `json:"stop"`
	Usage    Usage    `json:"usage"`
	Identity Identity `json:"identity"`
}
