package program

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
)

// TestAProgramThatStartsUsReadsCasesAndEndsUs promises the way of an agent on
// somebody's desk: `gavel mcp serve`, a server, and what the token may.
func TestAProgramThatStartsUsReadsCasesAndEndsUs(t *testing.T) {
	environ := withoutEngine(t)
	p := start(t, environ, "serve")
	base := fmt.Sprint("http://", p.said(t, "listening")["address"])
	awaitReady(t, base)
	as := func(role identity.Role, in ...string) ran {
		return setup{environ: append(environ, "GAVEL_SERVER="+base, "GAVEL_TOKEN="+devToken(t, role)), in: strings.Join(in, "\n") +
			"\n"}.run(t, "mcp", "serve")
	}
	if opened := (setup{environ: append(environ, "GAVEL_SERVER="+base, "GAVEL_TOKEN="+devToken(t, identity.Officer))}).
		run(t, "case", "open", "--title", "Smoke over Jind"); opened.code != 0 {
		t.Fatalf("open: got %+v", opened)
	}
	const (
		hello  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
		ready  = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
		list   = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
		search = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search_cases","arguments":{"words":"smoke"}}}`
	)
	got := as(identity.Officer, hello, ready, list, search)
	answers := map[int]string{}
	for line := range strings.Lines(got.out) {
		var one struct{ ID int }
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%q is no answer: %v", line, err)
		}
		answers[one.ID] = line
	}
	if got.code != 0 || len(answers) != 3 || !strings.Contains(answers[1], `"protocolVersion":"2025-11-25"`) ||
		!strings.Contains(answers[2], `"search_cases"`) || !strings.Contains(answers[3], "Smoke over Jind") {
		t.Errorf("got %+v", got)
	}
	if got := as(identity.Gate, search); got.code != 0 || !strings.Contains(got.out, "you don't have access to read cases") ||
		strings.Contains(got.out, "Jind") {
		t.Errorf("a guard: got %+v", got)
	}
	if got := (setup{environ: []string{"GAVEL_SERVER=" + base}}).run(t, "mcp", "serve"); got.code == 0 {
		t.Errorf("without a token: got %+v", got)
	}
	endless, _ := io.Pipe()
	ctx, stop := context.WithCancelCause(t.Context())
	c := &cli{apps: builtIn(), in: endless, out: io.Discard, talk: io.Discard, environ: append(environ, "GAVEL_SERVER="+base,
		"GAVEL_TOKEN="+devToken(t, identity.Officer))}
	done := make(chan int, 1)
	go func() { done <- c.run(ctx, []string{"mcp", "serve"}) }()
	stop(errTerminated)
	if code := <-done; code != 0 {
		t.Errorf("asked to end: got code %d, want 0", code)
	}
	if code := p.ends(t, errTerminated); code != 0 {
		t.Errorf("the server ended with %d", code)
	}
}
