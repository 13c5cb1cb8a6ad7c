package web

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// WordsChannel is the PostgreSQL notification channel that carries words while a
// model writes them. They are shown and forgotten: what counts is on record a
// moment later.
const WordsChannel = "gavel_words"

// Bounds of words. PostgreSQL takes 8,000 bytes in one notification.
const (
	wordsEvery   = 100 * time.Millisecond
	wordsPiece   = 1000     // bytes of text; in JSON at most six times that
	wordsMost    = 64 << 10 // bytes of one answer that are passed on
	wordsPayload = 7000
	wordsPending = 200 // pieces a browser may be behind
	wordsSend    = 2 * time.Second
)

// Words are a piece of an answer that is being written. Try tells one attempt at
// a step from the next, N counts the pieces of an attempt.
type Words struct {
	Org  identity.Org `json:"org,omitempty"`
	For  string       `json:"for,omitempty"` // the person it is said to; empty for nobody in particular
	Run  string       `json:"run"`
	Seq  int          `json:"seq"`
	Try  int64        `json:"try"`
	N    int          `json:"n"`
	Text string       `json:"text"`
}

// parseWords reads a payload. What is not well formed is refused: it would be
// passed on to browsers.
func parseWords(payload string) (w Words, err error) {
	if err := json.Unmarshal([]byte(payload), &w); err != nil {
		return w, fmt.Errorf("read words: %w", err)
	}
	if _, err := identity.ParseOrg(string(w.Org)); err != nil {
		return w, err
	}
	if !objectForm.MatchString(w.Run) || w.Seq < 0 || w.N < 0 || len(w.Text) > wordsPiece+utf8.UTFMax {
		return w, fmt.Errorf("words of %.100q, step %d, piece %d", w.Run, w.Seq, w.N)
	}
	return w, nil
}

// speak passes words to the streams of their organisation that may have them.
func (h *Hub) speak(w Words) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams[w.Org] {
		s.hear(w)
	}
}

func (s *stream) hear(w Words) {
	s.mu.Lock()
	defer s.mu.Unlock()
	theirs := w.For == s.who || w.For == "" && s.hears // what is said to somebody is theirs alone
	if !theirs || len(s.words) >= wordsPending {
		return // a gap is seen by its number; the record follows
	}
	s.words = append(s.words, w)
	s.nudge()
}

// A Speaker sends words to whoever listens, gathered for a tenth of a second:
// a transaction that notifies makes all others wait while it commits. It is safe
// for use by many goroutines.
type Speaker struct {
	db  *postgres.DB
	log *slog.Logger

	mu      sync.Mutex
	due     bool // a send is on its way
	pending map[identity.Org][]*utterance
}

// An utterance is one attempt's words that were not sent yet.
type utterance struct {
	Words
	sent int // bytes
	left string
}

// NewSpeaker sends over a database.
func NewSpeaker(db *postgres.DB, log *slog.Logger) *Speaker {
	return &Speaker{db: db, log: log, pending: map[identity.Org][]*utterance{}}
}

// Stream begins one attempt at a step and returns what takes its words, which are
// said to a person, by their id, or to nobody in particular. That never blocks;
// words that cannot be sent are dropped.
func (s *Speaker) Stream(org identity.Org, run, whom string, seq int) func(text string) {
	u := &utterance{Words: Words{Org: org, For: whom, Run: run, Seq: seq, Try: time.Now().UnixMicro()}}
	return func(text string) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		s.mu.Lock()
		defer s.mu.Unlock()
		if u.sent+len(u.left)+len(text) > wordsMost {
			return
		}
		if u.left == "" {
			s.pending[org] = append(s.pending[org], u)
		}
		u.left += text
		if !s.due {
			s.due = true
			time.AfterFunc(wordsEvery, s.send)
		}
	}
}

// send sends everything that has gathered, one transaction for each
// organisation.
func (s *Speaker) send() {
	for org, payloads := range s.gather() {
		ctx, cancel := context.WithTimeout(context.Background(), wordsSend)
		err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `select pg_notify($1, p) from unnest($2::text[]) p`, WordsChannel, payloads)
			return err
		})
		cancel()
		if err != nil {
			s.log.Debug("words were not passed on", "org", string(org), "error", err)
		}
	}
}

func (s *Speaker) gather() map[identity.Org][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = false
	out := map[identity.Org][]string{}
	for org, all := range s.pending {
		for _, u := range all {
			out[org] = append(out[org], u.pieces()...)
		}
	}
	clear(s.pending)
	return out
}

// pieces cuts what is left into payloads, between letters.
func (u *utterance) pieces() []string {
	var out []string
	for u.left != "" {
		n := min(len(u.left), wordsPiece)
		for n < len(u.left) && !utf8.RuneStart(u.left[n]) {
			n--
		}
		u.Text, u.left = u.left[:n], u.left[n:]
		body, err := json.Marshal(u.Words)
		if err == nil && len(body) <= wordsPayload {
			out = append(out, string(body))
		}
		u.N++
		u.sent += n
	}
	return out
}
