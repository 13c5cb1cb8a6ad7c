// Package duck asks questions about raw tables of a model run, which have up to 10^8 rows. DuckDB answers them in a program of its own
// (cmd/gavel-duck), one for each question, under a hard limit of memory and killed at its deadline. What comes back is values; rule/query
// makes facts of them.
package duck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/query"
	"github.com/gavelhq/gavel/platform/fault"
)

// Name is what the program is called.
const Name = "gavel-duck"

// A Config is what a Client is made of.
type Config struct {
	Program string        // path of the program from the root, as Find gives it
	Memory  int64         // of address space, in bytes, beyond which the machine gives none; two gigabytes unless set
	Inside  int64         // what DuckDB limits itself to; a quarter of that unless set
	Limit   time.Duration // for one question; a minute unless set
	Threads int           // two unless set
}

// A Client asks. Nil is an installation without the program: raw tables cannot be asked there, and charts can.
type Client struct {
	Config
	turn chan struct{} // holds one: whoever has it asks
}

// New makes a client, and starts nothing.
func New(c Config) *Client {
	if c.Memory <= 0 {
		c.Memory = 2 << 30
	}
	if c.Limit <= 0 {
		c.Limit = time.Minute
	}
	if c.Threads <= 0 {
		c.Threads = 2
	}
	return &Client{Config: c, turn: make(chan struct{}, 1)}
}

// Find is the path of the program that is named; where none is, of the one beside this program, or on the PATH.
func Find(named string) (string, error) {
	if named == "" {
		if self, err := os.Executable(); err == nil {
			if beside := filepath.Join(filepath.Dir(self), Name); isProgram(beside) {
				return beside, nil
			}
		}
		named = Name
	}
	path, err := exec.LookPath(named)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", fault.From(fault.Unavailable, err, "there is no %s on this machine: raw tables cannot be asked", Name).
			WithNext("put %s beside gavel", Name)
	}
	return path, nil
}

// Here is a client of the program on this machine: of the one that is named, which must be there, or of one that Find finds. Without any it
// is nil.
func Here(named string) (*Client, error) {
	program, err := Find(named)
	switch {
	case err == nil:
		return New(Config{Program: program, Limit: 20 * time.Second}), nil
	case named != "":
		return nil, err
	}
	return nil, nil //nolint:nilnil // an installation without it is none the worse for charts
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// question is a question as the program reads it.
type question struct {
	Views   []query.View `json:"views"`
	SQL     string       `json:"sql"`
	Rows    int          `json:"rows"`
	Memory  int64        `json:"memory_bytes"`
	Inside  int64        `json:"inside_bytes"`
	Threads int          `json:"threads"`
}

// answer is an answer as the program writes it.
type answer struct {
	query.Answer
	Failed *struct {
		Code string `json:"code"`
		Text string `json:"text"`
	} `json:"failed"`
}

// usualRows are answered where nobody says how many.
const usualRows = 200

// Ask answers a question: one at a time, for each takes its share of memory.
func (c *Client) Ask(ctx context.Context, q query.Question) (query.Answer, error) {
	if c == nil {
		return query.Answer{}, fault.New(fault.Unavailable, "raw tables cannot be asked here: %s is not installed", Name)
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return query.Answer{}, ctx.Err()
	}
	if q.Rows <= 0 {
		q.Rows = usualRows
	}
	before, err := stamps(q.Views)
	if err != nil {
		return query.Answer{}, err
	}
	out, err := c.run(ctx, question{q.Views, q.SQL, q.Rows, c.Memory, c.Inside, c.Threads})
	if err != nil {
		return query.Answer{}, err
	}
	after, err := stamps(q.Views)
	if err != nil {
		return query.Answer{}, err
	}
	for i := range before {
		if before[i] != after[i] {
			return query.Answer{}, fault.New(fault.Stale, "%s changed while it was asked", q.Views[i].Name)
		}
	}
	return out, nil
}

// stamp is what a file looks like from outside: whether it changed while somebody read it.
type stamp struct {
	size int64
	when time.Time
}

func stamps(views []query.View) ([]stamp, error) {
	var out []stamp
	for _, v := range views {
		info, err := os.Stat(v.File)
		if err != nil {
			return nil, fault.From(fault.NotFound, err, "the table %s cannot be read", v.Name)
		}
		out = append(out, stamp{info.Size(), info.ModTime()})
	}
	return out, nil
}

// run has the program answer, and ends it at the deadline.
func (c *Client) run(ctx context.Context, q question) (query.Answer, error) {
	body, err := json.Marshal(q)
	if err != nil {
		return query.Answer{}, err
	}
	ctx, stop := context.WithTimeoutCause(ctx, c.Limit, errLate)
	defer stop()
	out, said := &bounded{most: maxAnswer}, &bounded{most: maxSaid}
	cmd := exec.CommandContext(ctx, c.Program) //nolint:gosec // whoever runs this installation names the program
	cmd.Env, cmd.Dir = []string{"LANG=C.UTF-8", "TZ=UTC"}, os.TempDir()
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = bytes.NewReader(body), out, said, time.Second
	err = cmd.Run()
	switch {
	case errors.Is(context.Cause(ctx), errLate):
		return query.Answer{}, fault.New(fault.Unavailable, "the question took more than %s and was ended", c.Limit).
			WithNext("ask for fewer rows or a narrower selection")
	case ctx.Err() != nil:
		return query.Answer{}, ctx.Err()
	case err != nil && cmd.ProcessState == nil:
		return query.Answer{}, fault.From(fault.Unavailable, err, "%s cannot be started: raw tables cannot be asked", c.Program)
	case err != nil && len(out.Bytes()) == 0:
		return query.Answer{}, fault.From(fault.TooLarge, errors.Join(err, errors.New(said.String())),
			"the question needs more memory than it may have, %d MB", c.Memory>>20).WithNext("ask for a narrower selection")
	}
	var a answer
	if err := json.Unmarshal(out.Bytes(), &a); err != nil || out.over {
		return query.Answer{}, fault.From(fault.Internal, err, "%s did not answer as it should", Name)
	}
	if a.Failed != nil {
		return query.Answer{}, fault.New(kindOf(a.Failed.Code), "%s: %s", a.Failed.Code, a.Failed.Text)
	}
	return a.Answer, nil
}

var errLate = errors.New("the deadline of a question")

// kindOf is what a caller can do about a failure: ask for less, or ask otherwise.
func kindOf(code string) fault.Kind {
	if code == "memory" {
		return fault.TooLarge
	}
	return fault.Invalid
}

// The bounds of what a program may say, in bytes.
const (
	maxAnswer = 16 << 20
	maxSaid   = 2 << 10
)

// bounded keeps the beginning of what is written to it.
type bounded struct {
	bytes.Buffer
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.most - b.Len()
	if len(p) > room {
		b.over = true
		b.Buffer.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}
