package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/mcp"
)

// always is a token that is there already.
func always(token string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return token, nil }
}

// piped is the library's own client before a forwarder, as if it had started it.
func (r *rig) piped(token, url string, o *sdk.ClientOptions, version string) *sdk.ClientSession {
	r.t.Helper()
	toUs, theirOut := io.Pipe()
	theirIn, fromUs := io.Pipe()
	f := &mcp.Forwarder{URL: url, Token: always(token), Agent: "test", Client: http.DefaultClient}
	done := make(chan error, 1)
	go func() {
		done <- f.Run(context.Background(), toUs, fromUs)
		_ = fromUs.Close()
	}()
	r.t.Cleanup(func() {
		_ = theirOut.Close()
		if err := <-done; err != nil {
			r.t.Errorf("the forwarder ended with %v", err)
		}
	})
	return open(r.t, &sdk.IOTransport{Reader: theirIn, Writer: theirOut}, o, version)
}

// TestOverStandardInputItIsTheSame promises programs that start us the same
// tools, proposals and refusals, in every version of the protocol.
func TestOverStandardInputItIsTheSame(t *testing.T) {
	r := newRig(t)
	c := r.open("Smoke over Jind")
	for _, v := range versions {
		s := r.piped("asha", r.url, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}, v)
		if got := s.InitializeResult(); got.ProtocolVersion != v {
			t.Errorf("got %+v, want version %s", got, v)
		}
		list, err := s.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 14 {
			t.Fatalf("%s: %d tools (%v), want 14", v, len(list.Tools), err)
		}
		if got := call(t, s, "get_case", map[string]any{"case": c.Ref}); !strings.Contains(got.text, "Smoke over Jind") {
			t.Errorf("%s: get_case answers %s", v, got.text)
		}
		if got := call(t, s, r.app+"_letter", map[string]any{"word": "a", "on_case": c.Ref}); got.field("status") != "pending_approval" {
			t.Errorf("%s: a letter answers %s", v, got.text)
		}
		if err := s.Ping(t.Context(), nil); err != nil && v < "2026" {
			t.Errorf("%s: ping: %v", v, err)
		}
	}
	var asked []*sdk.ElicitParams
	s := r.piped("asha", r.url, eager(&asked, nil), "")
	if got := call(t, s, r.app+"_letter", map[string]any{"word": "b", "on_case": c.Ref}); got.field("status") != "pending_approval" ||
		len(asked) != 1 {
		t.Errorf("a client that opens links was asked %d times and told %s", len(asked), got.text)
	}
	if got := call(t, r.piped("olga", r.url, nil, ""), r.app+"_letter", map[string]any{"word": "a"}); !got.IsError {
		t.Errorf("an officer uses a letter: %s", got.text)
	}
	r.quiet("standard input")
}

// TestAServerThatRefusesIsToldInTheProtocolsWords promises an answer to every
// request, whatever stands at the other end.
func TestAServerThatRefusesIsToldInTheProtocolsWords(t *testing.T) {
	r := newRig(t)
	odd := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<h1>no</h1>",
			http.StatusBadGateway)
	}))
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	t.Cleanup(odd.Close)
	for _, tt := range []struct{ url, token, in, says string }{
		{r.url, "nobody", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `"id":1,"jsonrpc":"2.0"`},
		{r.url, "nobody", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `nobody is signed in`},
		{odd.URL, "asha", `{"jsonrpc":"2.0","id":"a","method":"tools/list"}`, `the server answers 502 Bad Gateway`},
		{gone.URL, "asha", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `the server does not answer; gavel doctor`},
		{r.url, "asha", `{"jsonrpc"`, `"code":-32700`},
		{odd.URL, "asha", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``},
		{odd.URL, "asha", `{"jsonrpc":"2.0","id":3,"result":{}}`, ``},
		{odd.URL, "asha", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, ``},
		{odd.URL, "asha", ``, ``},
	} {
		var out bytes.Buffer
		f := &mcp.Forwarder{URL: tt.url, Token: always(tt.token), Agent: "test", Client: http.DefaultClient}
		if err := f.Run(t.Context(), strings.NewReader(tt.in+"\n"), &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), tt.says) || tt.says == "" && out.Len() > 0 || strings.Count(out.String(), "\n") > 1 {
			t.Errorf("%s to %s: %q, want it to say %q", tt.in, tt.url, out.String(), tt.says)
		}
	}
	f := &mcp.Forwarder{URL: r.url, Token: always("asha"), Agent: "test", Client: http.DefaultClient}
	err := f.Run(t.Context(), strings.NewReader(strings.Repeat("x", 1<<20)), io.Discard)
	if !fault.Is(err, fault.TooLarge) {
		t.Errorf("a line of a megabyte: %v, want too large", err)
	}
}

// TestARequestThatIsGivenUpIsNotWaitedFor promises that a client's word that it
// no longer waits ends the request, and that the forwarder ends when it is told.
func TestARequestThatIsGivenUpIsNotWaitedFor(t *testing.T) {
	began, left := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"id":1,`)) {
			close(began)
			<-r.Context().Done()
			close(left)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":2,"result":{}}`))
	}))
	t.Cleanup(slow.Close)
	in, feed := io.Pipe()
	heard, out := io.Pipe()
	ctx, stop := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	f := &mcp.Forwarder{URL: slow.URL, Token: always("asha"), Agent: "test", Client: http.DefaultClient}
	go func() { done <- f.Run(ctx, in, out) }()
	say := func(line string) {
		if _, err := io.WriteString(feed, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	<-began
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	select {
	case <-left:
	case <-time.After(wait.Patience()):
		t.Fatal("the request goes on")
	}
	say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	line, err := bufio.NewReader(heard).ReadString('\n')
	var got struct{ ID int }
	if err != nil || json.Unmarshal([]byte(line), &got) != nil || got.ID != 2 {
		t.Errorf("heard %q (%v), want the answer to 2", line, err)
	}
	cause := fault.New(fault.Conflict, "told to end")
	stop(cause)
	if err := <-done; !errors.Is(err, cause) {
		t.Errorf("the forwarder ended with %v, want the cause", err)
	}
}
