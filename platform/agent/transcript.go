package agent

import (
	"encoding/json"
	"fmt"

	"github.com/gavelhq/gavel/platform/model"
)

// A node is one turn's piece of a transcript. What was said before the model
// answered comes first: late results of the turn before, and Before. Results are
// those that were there at once. The order in which a model sees them is made by
// messages, so that results stand in call order whenever they came.
type node struct {
	Parent  string          `json:"parent,omitempty"` // digest, base64url
	Late    []result        `json:"late,omitempty"`
	Before  []model.Message `json:"before,omitempty"`
	Answer  model.Message   `json:"answer"`
	Results []result        `json:"results,omitempty"`

	// Offers are the values of a brief that stay clean in a tainted run, by field.
	Offers []Offer `json:"offers,omitempty"`
	// Offered are those of a transcript from before they had a field. It is only read.
	Offered []string `json:"offered,omitempty"`
	// Compacts says that Answer is a summary which stands for everything before.
	// The nodes it stands for stay where they are, by Parent.
	Compacts bool `json:"compacts,omitempty"`
	// Stopped says that a person stopped Answer where it ends.
	Stopped bool `json:"stopped,omitempty"`
}

// A result answers one call.
type result struct {
	Call    string        `json:"call"` // "3.1": turn and position, ours; a model's own ids may repeat
	Message model.Message `json:"message"`
}

// A chain is a transcript, oldest node first. It is never changed: a new turn
// makes a new chain.
type chain []node

// then is the chain with one more node.
func (c chain) then(n node) chain { return append(c[:len(c):len(c)], n) }

// messages is what a model is shown of a transcript. late are the results of the
// newest turn's calls that came after it.
func (c chain) messages(late []result) []model.Message {
	var out []model.Message
	start := 0
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].Compacts {
			start = i
			break
		}
	}
	for i := start; i < len(c); i++ {
		n := c[i]
		if n.Compacts {
			out = append(out, userSays(summaryHead+n.Answer.Text()))
			for _, r := range n.Late {
				out = append(out, userSays("Result of an earlier call: "+r.Message.Text()))
			}
			out = append(out, n.Before...)
			continue
		}
		out = append(out, n.Before...)
		out = append(out, n.told())
		after := late
		if i+1 < len(c) {
			after = c[i+1].Late
		}
		out = append(out, inCallOrder(n, after)...)
	}
	return out
}

const summaryHead = "Summary of this conversation so far (the full text is on record):\n\n"

// inCallOrder is the results of a node's calls, one for each, in the order the
// model asked for them.
func inCallOrder(n node, late []result) []model.Message {
	var out []model.Message
	for i, call := range n.Answer.Calls {
		found := false
		for _, r := range append(n.Results[:len(n.Results):len(n.Results)], late...) {
			if position(r.Call) == i && !found {
				m := r.Message
				m.CallID = call.ID
				out = append(out, m)
				found = true
			}
		}
		if !found { // a vendor refuses a call without its result
			out = append(out, toolSays(call.ID, true, "This call has no result."))
		}
	}
	return out
}

// callID is our name for the i-th call of a turn.
func callID(seq, i int) string { return fmt.Sprintf("%d.%d", seq, i+1) }

// position is the index of a call in its turn; -1 for something else.
func position(call string) int {
	var seq, n int
	if _, err := fmt.Sscanf(call, "%d.%d", &seq, &n); err != nil {
		return -1
	}
	return n - 1
}

func toolSays(callID string, failed bool, text string) model.Message {
	return model.Message{Role: model.Tool, CallID: callID, Failed: failed, Parts: []model.Part{{Text: text}}}
}

func userSays(text string) model.Message {
	return model.Message{Role: model.User, Parts: []model.Part{{Text: text}}}
}

// size is a rough count of the tokens a model would be shown, four bytes each.
func (c chain) size() int {
	n := 0
	for _, m := range c.messages(nil) {
		for _, p := range m.Parts {
			n += len(p.Text)
		}
		for _, call := range m.Calls {
			n += len(call.Args)
		}
	}
	return n / 4
}

// weight is the bytes of text in a transcript, for the cache.
func (c chain) weight() int {
	n := 0
	for _, one := range c {
		for _, m := range one.Before {
			n += len(m.Text())
		}
		for _, r := range append(one.Results[:len(one.Results):len(one.Results)], one.Late...) {
			n += len(r.Message.Text())
		}
		n += len(one.Answer.Text()) + 200
	}
	return n
}

func (n node) encode() ([]byte, error) { return json.Marshal(n) }
