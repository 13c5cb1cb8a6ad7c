package program

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/config"
)

// A setupQuestion is asked where its setting is not known yet.
type setupQuestion struct {
	name   config.Name
	words  string
	preset string // what an empty answer means
	only   func() bool
	secret bool
	empty  bool // an empty answer leaves the setting out
}

// superuserName stands for the address that is asked for and kept in no setting.
const superuserName config.Name = "superuser"

// ask asks a question whose answer is not known.
func (s *installation) ask(q setupQuestion) error {
	known := s.given[q.name] != "" || s.own[q.name] || q.name == superuserName && s.superuser != ""
	if known || q.only != nil && !q.only() {
		return nil
	}
	if !s.c.canAsk() {
		return s.unasked(q)
	}
	s.asked++
	answer, err := s.c.answer(q)
	if err != nil {
		return err
	}
	switch {
	case answer == "" && q.preset == "" && !q.empty:
		return s.unasked(q)
	case q.name == superuserName:
		s.superuser = answer
	case answer != "" || q.preset != "":
		s.given[q.name] = answer
		if answer == "" {
			s.given[q.name] = q.preset
		}
	}
	return nil
}

// unasked is what becomes of a question that nobody answers.
func (s *installation) unasked(q setupQuestion) error {
	switch {
	case q.empty:
		return nil
	case q.preset != "":
		s.given[q.name] = q.preset
		return nil
	case q.name == superuserName:
		return nobodyToAsk("the address of a superuser of PostgreSQL").WithNext("give it with --superuser, or the addresses of the three roles")
	}
	return nobodyToAsk(string(q.name)).WithNext("gavel setup %s=…   %s", q.name, q.words)
}

// errAnswersEnded is why nobody is asked again.
var errAnswersEnded = errors.New("no more answers")

// answer is what a person answers. A secret is not shown while it is typed.
func (c *cli) answer(q setupQuestion) (string, error) {
	fmt.Fprintf(c.talk, "  %s", q.words)
	if q.preset != "" {
		fmt.Fprintf(c.talk, " [%s]", q.preset)
	}
	fmt.Fprint(c.talk, ": ")
	if f, is := c.in.(*os.File); is && q.secret && term.IsTerminal(int(f.Fd())) && (c.answers == nil || c.answers.Buffered() == 0) {
		text, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(c.talk)
		return strings.TrimSpace(string(text)), err
	}
	if c.answers == nil { // one for all questions: it reads ahead
		c.answers = bufio.NewReader(io.LimitReader(c.in, maxInput))
	}
	line, err := c.answers.ReadString('\n')
	if errors.Is(err, io.EOF) && line == "" {
		return "", fault.From(fault.Invalid, errAnswersEnded, "the answers ended at: %s", q.words).WithNext("gavel setup --help")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}
