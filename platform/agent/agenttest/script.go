package agenttest

import (
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/model/scripted"
)

// Reply is the yard's model: it does what the script says, turn by turn. The
// script is the last of the messages that came before its first answer, so that
// what a foreman tells a clerk goes before the case's title.
func Reply(s scripted.Seen) (scripted.Answer, bool) {
	if strings.HasSuffix(s.Agent, "judge") {
		return scripted.Answer{Text: `{"word":"yes"}`}, true
	}
	script := s.Task
	for _, m := range s.Messages {
		if m.Role == "assistant" {
			break
		}
		if m.Role == "user" {
			script = m.Text
		}
	}
	turns := turnsOf(script)
	if s.Turn > len(turns) || strings.TrimSpace(turns[s.Turn-1]) == "" {
		return scripted.Answer{Text: "All of it is done."}, true
	}
	var a scripted.Answer
	for _, call := range split(turns[s.Turn-1], ';') {
		a.Calls = append(a.Calls, parse(strings.TrimSpace(call)))
	}
	return a, true
}

// turnsOf is a script's turns; "200*look a" is two hundred.
func turnsOf(script string) []string {
	var turns []string
	for _, turn := range split(script, '|') {
		n, rest, ok := strings.Cut(strings.TrimSpace(turn), "*")
		times, err := strconv.Atoi(n)
		if !ok || err != nil {
			turns = append(turns, turn)
			continue
		}
		for range times {
			turns = append(turns, rest)
		}
	}
	return turns
}

// parse reads "look a" or "clerk(look a | look b)".
func parse(call string) scripted.Call {
	if name, rest, ok := strings.Cut(call, "("); ok {
		return scripted.Call{Name: strings.TrimSpace(name), Args: map[string]any{"task": strings.TrimSuffix(strings.TrimSpace(rest), ")")}}
	}
	name, word, _ := strings.Cut(call, " ")
	return scripted.Call{Name: name, Args: map[string]any{"word": strings.TrimSpace(word)}}
}

// split cuts at a separator that stands outside brackets.
func split(s string, at rune) []string {
	var out []string
	depth, from := 0, 0
	for i, r := range s {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == at && depth == 0:
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}
