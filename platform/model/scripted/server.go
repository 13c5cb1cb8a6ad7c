// Package scripted is a server that speaks OpenAI's chat API and answers from a
// script: tools, JSON schema, parallel calls, event streams. It stands where a
// model would, over real HTTP, in tests, benchmarks and demonstrations.
//
// Which agent asks is told by the header X-Gavel-Agent, or by the first line of
// the system's words. Each agent has rules, and the first that matches the
// conversation answers; a test may give a function instead. The server can also
// be as bad as models get (Behaviours).
//
// It keeps nothing between requests but counts: the answer follows from the
// conversation, so that a repeated request is answered alike, call ids
// included. Its answers name the model "scripted", and say so in their id.
package scripted

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of what the server takes in and keeps.
const (
	maxRequest  = 64 << 20 // images come with it
	maxKept     = 4096     // requests in the log
	maxAgent    = 128      // bytes of an agent's name
	maxCounters = 10_000   // agents counted apart
)

// Model is the model that every answer names.
const Model = "scripted"

// Config says what the server answers.
type Config struct {
	Script Script
	// Reply, if set, answers before the script does; false leaves it to the
	// script. It is called by many requests at once.
	Reply func(Seen) (Answer, bool)
}

// A Server is an http.Handler for /v1/chat/completions and /v1/models. It is
// safe for concurrent use.
type Server struct {
	reply   func(Seen) (Answer, bool)
	latency time.Duration
	rules   map[string][]*rule

	mu     sync.Mutex
	count  int
	counts map[string]int
	used   map[*rule]int
	log    []Seen // the newest maxKept
}

// New makes a server. It refuses a script that could not be meant.
func New(c Config) (*Server, error) {
	rules, err := compile(c.Script)
	if err != nil {
		return nil, err
	}
	return &Server{reply: c.Reply, latency: time.Duration(c.Script.Latency), rules: rules,
		counts: map[string]int{}, used: map[*rule]int{}}, nil
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/chat/completions") && r.Method == http.MethodPost:
		s.chat(w, r)
	case strings.HasSuffix(r.URL.Path, "/models") && r.Method == http.MethodGet:
		send(w, http.StatusOK, map[string]any{"object": "list",
			"data": []any{map[string]any{"id": Model, "object": "model", "created": 0, "owned_by": "gavel"}}})
	case r.URL.Path == "/healthz":
		send(w, http.StatusOK, map[string]any{"model": Model, "requests": s.Requests(), "agents": s.Counts()})
	default:
		refuse(w, http.StatusNotFound, "not_found", "this server answers POST /v1/chat/completions")
	}
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "too_large", "the request could not be read whole")
		return
	}
	var req request
	if err := json.Unmarshal(body, &req); err != nil || len(req.Messages) == 0 {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "the request is not one of the chat API")
		return
	}
	seen := req.seen(r.Header.Get("X-Gavel-Agent"), body)
	s.note(&seen)
	answer, ok := s.answer(seen)
	if !ok {
		refuse(w, http.StatusBadRequest, "no_rule", "the script has no rule for this turn of this agent")
		return
	}
	if !pause(r.Context(), s.latency+time.Duration(answer.Delay)) {
		return // nobody waits any more
	}
	write(w, r, seen, answer)
}

// answer is the hook's answer or that of the first rule that matches.
func (s *Server) answer(seen Seen) (Answer, bool) {
	if s.reply != nil {
		if a, ok := s.reply(seen); ok {
			return a, true
		}
	}
	rules, ok := s.rules[seen.Agent]
	if !ok {
		rules = s.rules[Anyone]
	}
	for _, r := range rules {
		if found, ok := r.match(seen); ok && s.use(r) {
			return r.fill(found), true
		}
	}
	return Answer{}, false
}

// use counts a rule's answers and reports whether it has one left.
func (s *Server) use(r *rule) bool {
	if r.Times == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used[r] >= r.Times {
		return false
	}
	s.used[r]++
	return true
}

// note counts a request and keeps it in the log.
func (s *Server) note(seen *Seen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	if _, known := s.counts[seen.Agent]; known || len(s.counts) < maxCounters {
		s.counts[seen.Agent]++
	}
	seen.N, seen.NAgent = s.count, s.counts[seen.Agent]
	kept := *seen
	kept.Messages = nil // large, and tests that want them have the hook
	if len(s.log) < maxKept {
		s.log = append(s.log, kept)
	} else {
		s.log[(s.count-1)%maxKept] = kept
	}
}

// Requests is how many requests there have been.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Count is how many requests an agent has made.
func (s *Server) Count(agent string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[agent]
}

// Counts is how many requests each agent has made.
func (s *Server) Counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]int, len(s.counts))
	for agent, n := range s.counts {
		all[agent] = n
	}
	return all
}

// Log is the newest requests, at most 4096, oldest first. Their messages are
// left out.
func (s *Server) Log() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.log) < maxKept {
		return append([]Seen(nil), s.log...)
	}
	at := s.count % maxKept
	return append(append([]Seen(nil), s.log[at:]...), s.log[:at]...)
}

// pause waits, and reports false if whoever asked has gone. It is real time:
// this server stands in for a machine that does not live by the cases' clock.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	waited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-waited.Done()
	return ctx.Err() == nil
}

// send writes JSON.
func send(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		http.Error(w, fault.Internal.Sentence(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(text)
}

// refuse writes an error in the published shape.
func refuse(w http.ResponseWriter, status int, code, words string) {
	send(w, status, map[string]any{"error": map[string]any{"message": words, "type": code, "param": nil, "code": code}})
}
