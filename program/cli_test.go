package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/config"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A ran is what one run of the program did.
type ran struct {
	code      int
	out, talk string
}

// A setup is the world around one run; the zero value is a pipe and an empty
// environment.
type setup struct {
	environ  []string
	in       string
	terminal bool
}

func (s setup) run(t testing.TB, args ...string) ran {
	t.Helper()
	return s.runIn(t.Context(), args...)
}

func (s setup) runIn(ctx context.Context, args ...string) ran {
	var out, talk bytes.Buffer
	c := &cli{apps: builtIn(), in: strings.NewReader(s.in), out: &out, talk: &talk, environ: s.environ, terminal: s.terminal}
	code := c.run(ctx, args)
	return ran{code, out.String(), talk.String()}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

// The table is written out once more: a change of meaning must be made twice.
func TestExitCodesKeepTheirMeaning(t *testing.T) {
	want := map[fault.Kind]int{
		fault.Internal: 1, fault.Invalid: 2, fault.NotFound: 3, fault.SignIn: 4, fault.Refused: 5, fault.Conflict: 6,
		fault.Stale: 6, fault.Unconfirmed: 6, fault.TooLarge: 2, fault.TooMany: 1, fault.Unavailable: 1,
	}
	for _, k := range fault.Kinds() {
		if got, known := exitCode(fault.New(k, "x")), want[k]; got != known || known == 0 {
			t.Errorf("%s: got %d, want %d", k, got, known)
		}
	}
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("plain"), 1},
		{verdict(exitWaiting), 7},
		{verdict(exitProblems), 8},
		{errInterrupted, 130},
		{errTerminated, 130},
	} {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("%v: got %d, want %d", tt.err, got, tt.want)
		}
	}
	var codes []int
	for _, e := range exitCodes() {
		codes = append(codes, e.code)
	}
	if want := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 130}; !slices.Equal(codes, want) {
		t.Errorf("the help lists %v, want %v", codes, want)
	}
	golden(t, "help/exit-codes.golden", setup{}.run(t, "help", "exit-codes").out)
}

func TestHelpOfEachCommand(t *testing.T) {
	var walk func(cmd *cobra.Command, path []string)
	walk = func(cmd *cobra.Command, path []string) {
		name := strings.Join(append([]string{"gavel"}, path...), "-")
		asked := setup{}.run(t, append(slices.Clone(path), "--help")...)
		if asked.code != 0 || asked.talk != "" {
			t.Errorf("%s --help: got code %d and %q", name, asked.code, asked.talk)
		}
		golden(t, "help/"+name+".golden", asked.out)
		if cmd.Runnable() && !strings.Contains(cmd.Example, "  gavel "+strings.Join(path, " ")) {
			t.Errorf("%s has no example of itself", name)
		}
		if examples, usage := strings.Index(asked.out, "\nExamples\n"), strings.Index(asked.out, "\nUsage\n"); cmd.Runnable() &&
			examples > usage {
			t.Errorf("%s: examples must come first", name)
		}
		for _, sub := range cmd.Commands() {
			if sub.Name() != "completion" && sub.Name() != "help" && sub.Runnable() {
				walk(sub, append(slices.Clone(path), sub.Name()))
			}
		}
	}
	walk((&cli{apps: builtIn()}).tree(), nil)
}

func TestUsageErrorsAreTheSameInEveryForm(t *testing.T) {
	for _, args := range [][]string{
		{"nonsense"},
		{"case", "nonsense"},
		{"config", "nonsense"},
		{"case", "list", "--nonsense"},
		{"case", "show"},
		{"case", "show", "a", "b"},
		{"version", "extra"},
		{"doctor", "--strict=perhaps"},
		{"case", "list"}, // no server and no token
		{"serve"},        // no database
		{"worker"},
		{"migrate"},
		{"migrate", "status"},
		{"config", "--config", "/does/not/exist"},
	} {
		plain := setup{}.run(t, args...)
		if plain.code != 2 || plain.out != "" || !strings.HasPrefix(plain.talk, "gavel: ") {
			t.Errorf("%v: got %+v, want code 2 and words on the stream of talk", args, plain)
		}
		if last := lastLine(plain.talk); !strings.HasPrefix(last, "next: gavel ") {
			t.Errorf("%v: ends with %q, want the next command", args, last)
		}
		for _, form := range []string{"--json", "-ojson", "-o=ndjson", "--output=json"} {
			checkProblem(t, setup{}.run(t, append(slices.Clone(args), form)...), 2)
		}
	}
	for _, args := range [][]string{{"version", "-o", "xml"}, {"version", "--json", "-o", "csv"}, {"version", "--jq", ".["},
		{"version", "--fields", "a,,b"}} {
		if got := (setup{}).run(t, args...); got.code != 2 || got.out != "" {
			t.Errorf("%v: got %+v, want code 2", args, got)
		}
	}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// checkProblem makes sure that a failed run in a form for programs printed one
// problem document and nothing else.
func checkProblem(t *testing.T, r ran, code int) problem {
	t.Helper()
	var p problem
	if err := json.Unmarshal([]byte(r.talk), &p); err != nil {
		t.Errorf("got %q, want one JSON document: %v", r.talk, err)
	}
	if r.code != code || p.ExitCode != code || r.out != "" || p.Code == "" || p.Title == "" || p.Detail == "" || p.Next == "" ||
		p.Type != "urn:gavel:problem:"+p.Code {
		t.Errorf("got code %d, out %q and %+v, want code %d and a whole problem", r.code, r.out, p, code)
	}
	return p
}

func TestMissingSettingsAreNamedAllAtOnce(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want []config.Name
	}{
		{[]string{"serve"}, []config.Name{config.NameDatabase, config.NameDatabaseSystem, config.NameTemporalAddress,
			config.NamePayloadKeys,
			config.NameLogKey, config.NameSealKeys, config.NameBlobURL}},
		{[]string{"worker"}, []config.Name{config.NameDatabase, config.NameTemporalAddress, config.NamePayloadKeys}},
		{[]string{"migrate", "up"}, []config.Name{config.NameDatabaseOwner}},
		{[]string{"case", "open", "--title", "x"}, []config.Name{config.NameServer, config.NameToken}},
	} {
		p := checkProblem(t, setup{}.run(t, append(tt.args, "--json")...), 2)
		var got []config.Name
		for _, e := range p.Errors {
			got = append(got, e.Name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v: got %v, want %v", tt.args, got, tt.want)
		}
	}
}

func TestProductionRefusesADevelopmentKeyBeforeAnythingStarts(t *testing.T) {
	key := "GAVEL_DEV_TOKEN_KEY=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	got := setup{environ: []string{key}}.run(t, "serve")
	if got.code != 2 || !strings.Contains(got.talk, "GAVEL_DEV_TOKEN_KEY (env): refused in production") ||
		strings.Contains(got.talk, "AAECAwQF") {
		t.Errorf("got %+v", got)
	}
}

func TestConfigListShowsEverySettingAndItsOrigin(t *testing.T) {
	s := setup{environ: []string{"GAVEL_LOG_LEVEL=warn", "GAVEL_TOKEN=hunter2", "PATH=/bin"}}
	for _, tt := range []struct{ name, form string }{{"table", "table"}, {"json", "json"}, {"csv", "csv"}} {
		got := s.run(t, "config", "list", "--config", "testdata/settings.env", "-o", tt.form)
		if got.code != 0 || got.talk != "" {
			t.Errorf("%s: got code %d and %q", tt.form, got.code, got.talk)
		}
		golden(t, "config/"+tt.name+".golden", got.out)
		if alone := s.run(t, "config", "--config", "testdata/settings.env", "-o", tt.form); alone != got {
			t.Errorf("%s: gavel config alone differs from gavel config list", tt.form)
		}
	}
}

func TestConfigListShowsRefusedValuesAndEndsWithEight(t *testing.T) {
	s := setup{environ: []string{"GAVEL_MODE=prod", "GAVEL_TOKN=hunter2"}}
	got := s.run(t, "config", "list")
	golden(t, "config/refused.golden", got.out)
	if got.code != 8 || !strings.Contains(got.talk, "2 refused") {
		t.Errorf("got code %d and %q, want 8", got.code, got.talk)
	}
	inJSON := s.run(t, "config", "list", "--json")
	var rows []config.Row
	if err := json.Unmarshal([]byte(inJSON.out), &rows); err != nil || inJSON.code != 8 ||
		len(rows) != len(config.Settings(builtIn().settings()...))+1 {
		t.Errorf("got code %d, %d rows, %v", inJSON.code, len(rows), err)
	}
}

func TestVersionSaysWhichGavelThisIs(t *testing.T) {
	var b build
	got := setup{}.run(t, "version", "-o", "json")
	if err := json.Unmarshal([]byte(got.out), &b); err != nil || b.Version == "" || !strings.HasPrefix(b.Go, "go1.") || b.Platform == "" {
		t.Errorf("got %+v %v", got, err)
	}
}

func TestCompletionIsOfferedForEachShell(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := (setup{}).run(t, "completion", shell); got.code != 0 || !strings.Contains(got.out, "gavel") {
			t.Errorf("%s: got code %d and %d bytes", shell, got.code, len(got.out))
		}
	}
	got := setup{}.run(t, "__complete", "case", "list", "-o", "")
	if !strings.Contains(got.out, "ndjson") {
		t.Errorf("forms of output are not completed: %q", got.out)
	}
}

func TestTheFirstSignalEndsTheContextWithItsReason(t *testing.T) {
	for _, tt := range []struct {
		signal syscall.Signal
		want   error
	}{{syscall.SIGINT, errInterrupted}, {syscall.SIGTERM, errTerminated}} {
		ctx, stop := untilSignal(t.Context())
		if err := syscall.Kill(os.Getpid(), tt.signal); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait.Patience()):
			t.Fatalf("%s did not end the context", tt.signal)
		}
		if got := context.Cause(ctx); !errors.Is(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.signal, got, tt.want)
		}
		stop()
	}
}

func TestALongRunningCommandEndsCleanlyWhenAskedTo(t *testing.T) {
	for _, tt := range []struct {
		cause error
		want  int
	}{{errTerminated, 0}, {errInterrupted, 130}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(tt.cause)
		if got := exitCode(stopped(ctx, nil)); got != tt.want {
			t.Errorf("%v: got %d, want %d", tt.cause, got, tt.want)
		}
		if got := exitCode(stopped(ctx, fault.New(fault.Unavailable, "x"))); got != 1 {
			t.Errorf("%v: a failure to stop ended with %d, want 1", tt.cause, got)
		}
	}
}

// A meanwhile does something when it is first read: what happens between a
// question and its answer.
type meanwhile struct {
	first func()
	rest  io.Reader
}

func (m *meanwhile) Read(p []byte) (int, error) {
	if m.first != nil {
		m.first()
		m.first = nil
	}
	return m.rest.Read(p)
}

// runWith is a run whose answers come from in.
func runWith(t testing.TB, s setup, in io.Reader, args ...string) ran {
	t.Helper()
	var out, talk bytes.Buffer
	c := &cli{apps: builtIn(), in: in, out: &out, talk: &talk, environ: s.environ, terminal: s.terminal}
	code := c.run(t.Context(), args)
	return ran{code, out.String(), talk.String()}
}

// TestSettingsOfApplicationsAreWholeAndDifferInName promises that none is half
// declared, that each default fits, and that no two settings bear one name.
func TestSettingsOfApplicationsAreWholeAndDifferInName(t *testing.T) {
	seen := map[config.Name]bool{}
	for _, s := range config.Settings() {
		seen[s.Name] = true
	}
	for _, s := range builtIn().settings() {
		if seen[config.Name(s.Name)] || !strings.HasPrefix(s.Name, "GAVEL_") || s.Help == "" || s.Expect == "" || s.Fits == nil ||
			(s.Address == nil) != (s.Carries == "") {
			t.Errorf("%s: twice in the table, or half declared", s.Name)
		}
		if s.Default != "" && !s.Fits(s.Default) {
			t.Errorf("%s: the default %q is not as expected", s.Name, s.Default)
		}
		seen[config.Name(s.Name)] = true
	}
}
