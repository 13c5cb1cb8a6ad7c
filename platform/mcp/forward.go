package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Forwarder is the way in for programs that start another program and speak
// with it over standard input and output. It passes each message on to a
// server's Path and the answer back; it understands neither, keeps nothing, and
// holds no key but the token.
type Forwarder struct {
	URL string // of a server, with Path
	// Token is a machine's, or one that only reads and proposes in a person's name;
	// it is sent to URL and nowhere else. It is asked for until there is one.
	Token  func(context.Context) (string, error)
	Agent  string // what we call ourselves
	Client *http.Client

	out     io.Writer
	mu      sync.Mutex
	version string // of the protocol, as it was agreed at first
	running map[string]context.CancelFunc

	asking sync.Mutex // while a token is asked for, which others wait for
	token  string
}

const (
	maxAnswer = 16 << 20 // bytes of one answer: the largest result, in both forms
	atOnce    = 8        // requests on their way
)

// Run passes messages on, one on each line, until the input ends or the context
// does. What is on its way then is seen through, or given up.
func (f *Forwarder) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	f.out, f.running = out, map[string]context.CancelFunc{}
	lines, broke := make(chan []byte), make(chan error, 1)
	go func() {
		scan := bufio.NewScanner(in)
		scan.Buffer(make([]byte, 0, 64<<10), maxBody)
		for scan.Scan() {
			select {
			case lines <- bytes.Clone(scan.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		broke <- scan.Err()
	}()
	var sent sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for {
		select {
		case line := <-lines:
			f.pass(ctx, &sent, slots, line)
		case err := <-broke:
			sent.Wait()
			if errors.Is(err, bufio.ErrTooLong) {
				return fault.New(fault.TooLarge, "a message is over %d bytes", maxBody)
			}
			return err
		case <-ctx.Done():
			sent.Wait()
			return context.Cause(ctx)
		}
	}
}

// A message is what we read of one: enough to send it on and to answer for a
// server that does not.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		URI       string          `json:"uri"`
		RequestID json.RawMessage `json:"requestId"`
		Meta      struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

// pass sends one message on, beside others.
func (f *Forwarder) pass(ctx context.Context, sent *sync.WaitGroup, slots chan struct{}, line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		f.answer(errorAnswer(nil, codeParse, "this is not a JSON-RPC message"))
		return
	}
	switch {
	case m.Method == "": // an answer; nobody has asked
		return
	case m.Method == "notifications/cancelled":
		f.cancel(m.Params.RequestID)
		return
	}
	ctx, stop := context.WithCancel(ctx)
	f.began(m.ID, stop)
	slots <- struct{}{}
	sent.Go(func() {
		defer func() { <-slots; stop(); f.ended(m.ID) }()
		if answer := f.send(ctx, m, line); answer != nil && m.ID != nil {
			f.answer(answer)
		}
	})
}

func (f *Forwarder) began(id json.RawMessage, stop context.CancelFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if id != nil {
		f.running[string(id)] = stop
	}
}

func (f *Forwarder) ended(id json.RawMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, string(id))
}

// cancel gives up a request that is on its way. What it has proposed by then
// stays proposed: people decide it.
func (f *Forwarder) cancel(id json.RawMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if stop, ok := f.running[string(id)]; ok {
		stop()
	}
}

// send posts a message and returns the answer, one line; nil where there is none.
func (f *Forwarder) send(ctx context.Context, m message, line []byte) []byte {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.URL, bytes.NewReader(line))
	if err != nil {
		return errorAnswer(m.ID, codeServer, "the server's address is not right; gavel config list")
	}
	token, err := f.key(ctx)
	if err != nil {
		words, next := fault.Words(err)
		return errorAnswer(m.ID, codeServer, strings.TrimSuffix(words+"; "+next, "; "))
	}
	f.head(req, m, token)
	resp, err := f.Client.Do(req)
	if ctx.Err() != nil {
		return nil // given up
	}
	if err != nil {
		return errorAnswer(m.ID, codeServer, "the server does not answer; gavel doctor")
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil || len(body) > maxAnswer {
		return errorAnswer(m.ID, codeServer, "the server's answer broke off or is too large")
	}
	return f.understand(m, resp, body)
}

// key is the token, asked for at the first message and again until there is one:
// the server may be away when a program starts us.
func (f *Forwarder) key(ctx context.Context) (string, error) {
	f.asking.Lock()
	defer f.asking.Unlock()
	if f.token != "" {
		return f.token, nil
	}
	token, err := f.Token(ctx)
	if err == nil {
		f.token = token
	}
	return token, err
}

// head writes what the protocol and the server want to see outside the message.
func (f *Forwarder) head(req *http.Request, m message, token string) {
	h := req.Header
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	h.Set("User-Agent", f.Agent)
	h.Set("Authorization", "Bearer "+token)
	version := m.Params.Meta.Version
	if version == "" {
		f.mu.Lock()
		version = f.version
		f.mu.Unlock()
	}
	if version == "" || m.Method == "initialize" {
		return
	}
	h.Set("Mcp-Protocol-Version", version)
	h.Set("Mcp-Method", m.Method)
	if name := m.Params.Name + m.Params.URI; name != "" {
		h.Set("Mcp-Name", name)
	}
}

// understand makes one line of the server's answer: its own message as it is, or
// its problem in the protocol's words.
func (f *Forwarder) understand(m message, resp *http.Response, body []byte) []byte {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	var said struct {
		Version string `json:"jsonrpc"`
		Result  struct {
			Protocol string `json:"protocolVersion"`
		} `json:"result"`
		Detail string `json:"detail"`
		Next   string `json:"next"`
	}
	parsed := json.Unmarshal(body, &said) == nil
	if kind == "application/json" && parsed && said.Version != "" {
		if m.Method == "initialize" && said.Result.Protocol != "" {
			f.mu.Lock()
			f.version = said.Result.Protocol
			f.mu.Unlock()
		}
		var line bytes.Buffer
		if json.Compact(&line, body) == nil {
			return line.Bytes()
		}
	}
	if m.ID == nil {
		return nil // a notification has no answer, whatever became of it
	}
	words := "the server answers " + resp.Status
	if parsed && said.Detail != "" {
		words = said.Detail
		if said.Next != "" {
			words += "; " + said.Next
		}
	}
	return errorAnswer(m.ID, codeServer, words)
}

// Codes of errors that are our own.
const (
	codeParse  = -32700
	codeServer = -32000
)

func errorAnswer(id json.RawMessage, code int, words string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": words}})
	if err != nil {
		return nil // an id that is no JSON came from no message
	}
	return line
}

func (f *Forwarder) answer(line []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = f.out.Write(append(line, '\n')) // the program that started us may have gone; its input ends then, too
}
