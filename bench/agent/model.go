package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/model/scripted"
)

const (
	turns     = 7 // that the agents of one case take together
	lastWords = "The letter has been sent."
)

// script is what the agents of a case say. Every contestant's tools have these
// names; Gavel's agents are told what to do by the word "task".
func script() scripted.Script {
	specialist := func(name string) []scripted.Rule {
		return []scripted.Rule{
			{Turn: 1, Answer: calls("look_up", "name", name)},
			{Turn: 2, Answer: scripted.Answer{Text: "The " + name + " of van 14 give a value of 41."}},
		}
	}
	orchestrator := func(word string) []scripted.Rule {
		both := scripted.Answer{Calls: append(
			calls("ask_records", word, "What do the records say of van 14?").Calls,
			calls("ask_rules", word, "Which rule applies to van 14?").Calls...)}
		return []scripted.Rule{
			{Turn: 1, Answer: both},
			{Turn: 2, Answer: calls("send_letter", "text", "Please have van 14 inspected within seven days.")},
			{Turn: 3, Answer: scripted.Answer{Text: lastWords}},
		}
	}
	return scripted.Script{Agents: map[string][]scripted.Rule{
		"orchestrator":        orchestrator("question"),
		"records":             specialist("records"),
		"rules":               specialist("rules"),
		app + "/orchestrator": orchestrator("task"),
		app + "/ask_records":  specialist("records"),
		app + "/ask_rules":    specialist("rules"),
	}}
}

func calls(tool, argument, value string) scripted.Answer {
	return scripted.Answer{Calls: []scripted.Call{{Name: tool, Args: map[string]any{argument: value}}}}
}

// A loopbackModel is the scripted model on a port of this machine.
type loopbackModel struct {
	*scripted.Server
	url    string // base of the chat API
	server *http.Server
}

func newModel() (*loopbackModel, error) {
	answers, err := scripted.New(scripted.Config{Script: script()})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &loopbackModel{Server: answers, url: "http://" + l.Addr().String() + "/v1",
		server: &http.Server{Handler: answers, ReadHeaderTimeout: 10 * time.Second}}
	go func() {
		if err := m.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			fmt.Println("model:", err) // whoever asks it notices
		}
	}()
	return m, nil
}

func (m *loopbackModel) close() { _ = m.server.Close() }
