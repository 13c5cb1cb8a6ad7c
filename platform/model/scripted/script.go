package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model/wire"
)

// maxScript is the most bytes of a script's file.
const maxScript = 1 << 20

// Anyone is the agent whose rules hold for agents without rules of their own.
const Anyone = "*"

// A Script says what each agent's model answers.
type Script struct {
	// Latency is how long every answer takes, before a rule's own delay.
	Latency Duration `yaml:"latency,omitempty"`
	// Agents holds each agent's rules. The first that matches is the answer.
	Agents map[string][]Rule `yaml:"agents"`
}

// A Rule is one answer and when it is given. A rule without conditions always
// matches.
type Rule struct {
	Turn int    `yaml:"turn,omitempty"` // of the conversation, from 1: one more than the answers in it; 0 for any
	Role string `yaml:"role,omitempty"` // of the last message: user or tool
	Tool string `yaml:"tool,omitempty"` // the last message is the result of this tool
	Last string `yaml:"last,omitempty"` // a regular expression that the last message's text matches
	Task string `yaml:"task,omitempty"` // one that the first user message matches
	// Times is how often the rule answers, counted over the server's life; 0 for
	// always. With it a server can fail once and then be well.
	Times int `yaml:"times,omitempty"`

	Answer `yaml:",inline"`
}

// An Answer is what the server sends. The zero value is an empty answer. A
// named group of a rule's expressions, (?P<case>…), is put in for ${case} in
// text and arguments.
type Answer struct {
	Text  string `yaml:"text,omitempty"`
	JSON  any    `yaml:"json,omitempty"` // as the text, for a structured answer
	Calls []Call `yaml:"calls,omitempty"`
	Stop  string `yaml:"stop,omitempty"` // the finish reason, instead of the fitting one

	Delay  Duration  `yaml:"delay,omitempty"`
	Status int       `yaml:"status,omitempty"` // of HTTP: an error in the published shape, unless there is a body
	Body   string    `yaml:"body,omitempty"`   // sent as it is, as JSON
	Fails  Behaviour `yaml:"fails,omitempty"`
}

// A Call is a wish to have a tool run.
type Call struct {
	ID   string `yaml:"id,omitempty"` // empty for one that follows from the request
	Name string `yaml:"name"`
	Args any    `yaml:"args,omitempty"`
	Raw  string `yaml:"raw,omitempty"` // arguments as they are, broken or not
}

// A Behaviour is a way to be a bad model.
type Behaviour string

// The behaviours.
const (
	Well       Behaviour = ""
	BrokenJSON Behaviour = "broken_json" // half of the answer, as if that were all
	BrokenArgs Behaviour = "broken_args" // a call whose arguments end in the middle
	NoSuchTool Behaviour = "no_such_tool"
	TenMB      Behaviour = "ten_megabytes" // of text
	ManyCalls  Behaviour = "many_calls"    // a thousand at once
	Nothing    Behaviour = "nothing"       // neither text nor call
	NoChoice   Behaviour = "no_choice"     // not even an empty answer
	Hangs      Behaviour = "hangs"         // never answers
	Error500   Behaviour = "error_500"
	RateLimit  Behaviour = "rate_limit"
	CutOff     Behaviour = "cut_off" // the connection ends in the middle of the answer
)

// Behaviours are all ways to be a bad model, for tests that must meet each.
func Behaviours() []Behaviour {
	return []Behaviour{BrokenJSON, BrokenArgs, NoSuchTool, TenMB, ManyCalls, Nothing, NoChoice, Hangs, Error500, RateLimit, CutOff}
}

// A Duration is written like "40ms".
type Duration time.Duration

// UnmarshalText reads the written form.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fault.New(fault.Invalid, "%q is no duration like 40ms", text)
	}
	*d = Duration(parsed)
	return nil
}

// MarshalText is the written form.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// Read reads a script in YAML, of which JSON is a part. A word that a script
// does not have is refused.
func Read(r io.Reader) (Script, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxScript+1))
	if err != nil {
		return Script{}, fault.New(fault.Unavailable, "the script cannot be read: %w", err)
	}
	if len(data) > maxScript {
		return Script{}, fault.New(fault.TooLarge, "the script has more than %d bytes", maxScript)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	var s Script
	if err := d.Decode(&s); err != nil {
		return Script{}, fault.New(fault.Invalid, "the script is not right: %w", err)
	}
	_, err = compile(s)
	return s, err
}

// A rule is a Rule made ready.
type rule struct {
	Rule
	last, task *regexp.Regexp
}

// compile makes a script ready and refuses one that could not be meant.
func compile(s Script) (map[string][]*rule, error) {
	ready := map[string][]*rule{}
	for _, agent := range slices.Sorted(maps.Keys(s.Agents)) {
		for i, r := range s.Agents[agent] {
			made, err := r.compile()
			if err != nil {
				return nil, fault.New(fault.Invalid, "rule %d of %s: %v", i+1, agent, err)
			}
			ready[agent] = append(ready[agent], made)
		}
	}
	return ready, nil
}

func (r Rule) compile() (*rule, error) {
	made := &rule{Rule: r}
	var err error
	if made.last, err = pattern(r.Last); err != nil {
		return nil, err
	}
	if made.task, err = pattern(r.Task); err != nil {
		return nil, err
	}
	if r.Role != "" && r.Role != "user" && r.Role != "tool" {
		return nil, fault.New(fault.Invalid, "the last message's role is user or tool, not %q", r.Role)
	}
	if r.Fails != Well && !slices.Contains(Behaviours(), r.Fails) {
		return nil, fault.New(fault.Invalid, "fails: %q is none of %v", r.Fails, Behaviours())
	}
	if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
		return nil, fault.New(fault.Invalid, "status: %d", r.Status)
	}
	if _, err := json.Marshal(r.JSON); err != nil {
		return nil, fault.New(fault.Invalid, "json: %w", err)
	}
	for _, c := range r.Calls {
		if _, err := json.Marshal(c.Args); err != nil {
			return nil, fault.New(fault.Invalid, "args of %s: %w", c.Name, err)
		}
	}
	return made, nil
}

func pattern(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil // no expression matches everything
	}
	p, err := regexp.Compile("(?s)" + text)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%q is no regular expression: %w", text, err)
	}
	return p, nil
}

// match reports whether the rule answers, and what its named groups hold.
func (r *rule) match(s Seen) (map[string]string, bool) {
	if r.Turn != 0 && r.Turn != s.Turn || r.Role != "" && r.Role != s.Role {
		return nil, false
	}
	if r.Tool != "" && wire.Plain(r.Tool) != wire.Plain(s.Tool) { // a script may say it with its dot
		return nil, false
	}
	found := map[string]string{}
	for _, p := range []struct {
		form *regexp.Regexp
		text string
	}{{r.last, s.Last}, {r.task, s.Task}} {
		if p.form == nil {
			continue
		}
		groups := p.form.FindStringSubmatch(p.text)
		if groups == nil {
			return nil, false
		}
		for i, name := range p.form.SubexpNames() {
			if name != "" {
				found["${"+name+"}"] = groups[i]
			}
		}
	}
	return found, true
}

// fill puts the groups into an answer's text and arguments.
func (a Answer) fill(found map[string]string) Answer {
	if len(found) == 0 {
		return a
	}
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		pairs = append(pairs, name, found[name])
	}
	put := strings.NewReplacer(pairs...)
	a.Text = put.Replace(a.Text)
	a.JSON = fillIn(put, a.JSON)
	a.Calls = slices.Clone(a.Calls)
	for i := range a.Calls {
		a.Calls[i].Args = fillIn(put, a.Calls[i].Args)
		a.Calls[i].Raw = put.Replace(a.Calls[i].Raw)
	}
	return a
}

// fillIn copies a value as YAML gives it, with its texts filled.
func fillIn(put *strings.Replacer, v any) any {
	switch v := v.(type) {
	case string:
		return put.Replace(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = fillIn(put, v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[name] = fillIn(put, member)
		}
		return out
	default:
		return v
	}
}

// args is a call's arguments as the API carries them: JSON in a text.
func (c Call) args() string {
	if c.Raw != "" {
		return c.Raw
	}
	if c.Args == nil {
		return "{}"
	}
	text, err := json.Marshal(c.Args)
	if err != nil {
		return fmt.Sprintf("%q", err.Error()) // a hook's value that is no JSON: the caller sees why
	}
	return string(text)
}
