package model

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// The bounds of an answer. One over them is cut, and its Stop is TooLong.
const (
	MaxText  = 1 << 20   // bytes of text
	MaxCalls = 64        // calls in one answer
	MaxArgs  = 256 << 10 // bytes of one call's arguments
	MaxName  = 256       // bytes of a call's name or id
)

// The bounds of a request. One over them is refused before it is sent.
const (
	MaxAsked    = 16 << 20 // bytes of text in all
	MaxMessages = 10_000
	MaxTools    = 128 // the least that every vendor takes
	MaxImages   = 20
	MaxImage    = 5 << 20 // bytes of one image
)

// ImageTypes are the kinds of image that every vendor reads.
func ImageTypes() []string { return []string{"image/gif", "image/jpeg", "image/png", "image/webp"} }

// Check refuses a request that no vendor would understand, in words that say
// what is wrong: adapters need not repeat it.
func (r Request) Check() error {
	switch {
	case r.Model == "":
		return fault.New(fault.Invalid, "the request names no model")
	case len(r.Messages) == 0:
		return fault.New(fault.Invalid, "the request has no message")
	case len(r.Messages) > MaxMessages:
		return fault.New(fault.TooLarge, "the request has %d messages; the most is %d", len(r.Messages), MaxMessages)
	case len(r.Tools) > MaxTools:
		return fault.New(fault.TooLarge, "the request has %d tools; the most is %d", len(r.Tools), MaxTools)
	case r.Params.MaxTokens < 0:
		return fault.New(fault.Invalid, "the most tokens of an answer cannot be %d", r.Params.MaxTokens)
	}
	if err := r.checkTools(); err != nil {
		return err
	}
	if size := r.size(); size > MaxAsked {
		return fault.New(fault.TooLarge, "the request has %d bytes of text; the most is %d", size, MaxAsked)
	}
	return r.checkMessages()
}

func (r Request) checkTools() error {
	seen := map[string]bool{}
	for _, t := range r.Tools {
		if t.Name == "" || seen[t.Name] {
			return fault.New(fault.Invalid, "the tool name %q is empty or there twice", t.Name)
		}
		seen[t.Name] = true
	}
	return nil
}

// checkMessages also sees to it that a tool's message answers a call that was
// made before and is not answered yet.
func (r Request) checkMessages() error {
	open, images := map[string]bool{}, 0
	for i, m := range r.Messages {
		for _, p := range m.Parts {
			if p.Image != nil {
				images++
			}
		}
		if err := m.check(open); err != nil {
			return fault.New(fault.Invalid, "message %d: %v", i+1, err)
		}
	}
	if images > MaxImages {
		return fault.New(fault.TooLarge, "the request has %d images; the most is %d", images, MaxImages)
	}
	return nil
}

func (m Message) check(open map[string]bool) error {
	if err := m.readable(); err != nil {
		return err
	}
	for _, p := range m.Parts {
		if err := p.check(m.Role); err != nil {
			return err
		}
	}
	switch m.Role {
	case Assistant:
		for _, c := range m.Calls {
			if c.ID == "" || c.Name == "" || open[c.ID] {
				return fault.New(fault.Invalid, "call %q of %q has no name, or its id is empty or there twice", c.ID, c.Name)
			}
			open[c.ID] = true
		}
	case Tool:
		if !open[m.CallID] {
			return fault.New(fault.Invalid, "it answers call %q, which is not open", m.CallID)
		}
		delete(open, m.CallID)
	case User:
	default:
		return fault.New(fault.Invalid, "role %q is not known", m.Role)
	}
	if len(m.Calls) > 0 && m.Role != Assistant {
		return fault.New(fault.Invalid, "only a model's message holds calls")
	}
	return nil
}

func (p Part) check(of Role) error {
	if p.Image == nil {
		return nil
	}
	if p.Text != "" {
		return fault.New(fault.Invalid, "a part is text or an image, not both")
	}
	if of == Assistant {
		return fault.New(fault.Invalid, "a model's message holds no image")
	}
	if !slices.Contains(ImageTypes(), p.Image.ContentType) || p.Image.SHA256.IsZero() {
		return fault.New(fault.Invalid, "an image of type %q; it is one of %s and has a digest",
			p.Image.ContentType, strings.Join(ImageTypes(), ", "))
	}
	return nil
}

// size is the bytes of text of the whole request, images left out.
func (r Request) size() int {
	n := len(r.System)
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			n += len(p.Text)
		}
		for _, c := range m.Calls {
			n += len(c.Args) + len(c.Name)
		}
	}
	for _, t := range r.Tools {
		n += len(t.Description) + len(t.Schema)
	}
	if r.Answer != nil {
		n += len(r.Answer.Schema)
	}
	return n
}

// Estimate is what the request and an answer to it cost, about, for a server
// that does not say: four bytes of English are a token.
func (r Request) Estimate(answer Message) Usage {
	out := 0
	for _, p := range answer.Parts {
		out += len(p.Text)
	}
	for _, c := range answer.Calls {
		out += len(c.Name) + len(c.Args)
	}
	return Usage{Input: int64(r.size()+3) / 4, Output: int64(out+3) / 4, Estimated: true}
}
