package model

import "encoding/json"

// Masked is a request with every text of its conversation masked: what people, tools and the model itself said, and the arguments
// of calls. What is our own code's, the system's words and the tools, stays. What a mask would leave in no form is left out
// whole. Images are not looked into.
func (r Request) Masked(mask func(string) string) Request {
	messages := make([]Message, len(r.Messages))
	for i, m := range r.Messages {
		parts := make([]Part, len(m.Parts))
		for j, p := range m.Parts {
			if p.Text != "" {
				p.Text = mask(p.Text)
			}
			parts[j] = p
		}
		calls := make([]Call, len(m.Calls))
		for j, c := range m.Calls {
			was := c.Args
			if c.Args = mask(c.Args); json.Valid([]byte(was)) && !json.Valid([]byte(c.Args)) {
				c.Args = "{}"
			}
			calls[j] = c
		}
		m.Parts, m.Calls = parts, calls
		if len(parts) == 0 {
			m.Parts = nil
		}
		if len(calls) == 0 {
			m.Calls = nil
		}
		messages[i] = m
	}
	r.Messages = messages
	return r
}
