package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/model/scripted"
)

const (
	turns     = 7 // that the agents of one case take together
	lastWords = "The letter has been sent."

	walker    = "walker"
	walkTurns = 6 // of a walker, each with a look-up; one more answers
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

// asModel is the argument with which this program is the model: a process of its own,
// so that its work is nobody's. It ends with its standard input.
const asModel = "model"

// A pace is how long the model thinks about a walker's turn.
type pace struct{ Least, Most time.Duration }

// beModel serves the script, and says where.
func beModel() error {
	m := &slowModel{answered: map[string]time.Time{}}
	if err := json.NewDecoder(os.Stdin).Decode(&m.pace); err != nil {
		return err
	}
	var err error
	if m.Server, err = scripted.New(scripted.Config{Script: script(), Reply: m.reply}); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0) // nobody is left to answer
	}()
	mux := http.NewServeMux()
	mux.Handle("/", m)
	mux.HandleFunc("GET /report", m.report)
	return (&http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}).Serve(l)
}

// A slowModel answers at once by the script, and walkers as slowly as models are. It
// notes how long each finished answer waited until it was asked for the next.
type slowModel struct {
	*scripted.Server
	pace pace

	mu       sync.Mutex // guards what follows
	answered map[string]time.Time
	waits    []time.Duration
}

func (m *slowModel) reply(s scripted.Seen) (scripted.Answer, bool) {
	if s.Agent != app+"/"+walker {
		return scripted.Answer{}, false
	}
	at := slices.IndexFunc(s.Messages, func(m scripted.Message) bool { return strings.HasPrefix(m.Text, "case_") })
	id := s.Messages[at].Text
	m.mu.Lock()
	if before, ok := m.answered[id]; ok {
		m.waits = append(m.waits, time.Since(before))
	}
	m.mu.Unlock()
	time.Sleep(m.pace.Least + rand.N(m.pace.Most-m.pace.Least+1)) //nolint:gosec // nobody guesses it
	m.mu.Lock()
	m.answered[id] = time.Now()
	m.mu.Unlock()
	if s.Turn > walkTurns {
		return scripted.Answer{Text: lastWords}, true
	}
	return calls("look_up", "name", fmt.Sprint(s.Turn)), true
}

// A report is what the model has seen so far.
type report struct {
	Requests int
	Waits    []time.Duration // from an answer to the next question of the same run, since the last report
}

func (m *slowModel) report(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	r := report{Requests: m.Requests(), Waits: m.waits}
	m.waits = nil
	m.mu.Unlock()
	_ = json.NewEncoder(w).Encode(r) // who asked may have gone
}

// A loopbackModel is the model, seen from the bench.
type loopbackModel struct {
	address string
	url     string // base of the chat API
	cmd     *exec.Cmd
	stdin   io.WriteCloser
}

func newModel(p pace) (*loopbackModel, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	m := &loopbackModel{cmd: exec.Command(self, asModel)} //nolint:gosec,noctx // this program; it is stopped by its handle
	m.cmd.Stderr = os.Stderr
	if m.stdin, err = m.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := m.cmd.Start(); err != nil {
		return nil, err
	}
	if err := json.NewEncoder(m.stdin).Encode(p); err != nil {
		return nil, errors.Join(err, m.close())
	}
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the model does not say where it is: %w", err), m.close())
	}
	m.address = "http://" + strings.TrimSpace(said)
	m.url = m.address + "/v1"
	return m, nil
}

// report asks it what it has seen.
func (m *loopbackModel) report(ctx context.Context) (r report, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.address+"/report", nil)
	if err != nil {
		return r, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return r, err
	}
	defer res.Body.Close()
	return r, json.NewDecoder(res.Body).Decode(&r)
}

func (m *loopbackModel) close() error {
	m.stdin.Close()
	return m.cmd.Wait()
}
