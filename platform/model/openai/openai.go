// Package openai asks models through OpenAI's chat API, which many others speak
// too: vLLM, Ollama and llama.cpp by their base URL, and our own scripted
// server.
//
// It stands on the vendor's library with its retries off. The library reads
// settings from the environment where it is asked for a whole client; here only
// its chat service is made, which reads none.
package openai

import (
	"context"
	"net/http"
	"net/url"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/wire"
)

// vendorURL is the vendor's own address.
const vendorURL = "https://api.openai.com/v1"

// Config says whom to ask and how.
type Config struct {
	// BaseURL is the API's address, with its version; empty for the vendor's.
	BaseURL string
	// Key is the secret; empty for a server that wants none.
	Key string
	// Provider is the name in identities and errors; empty for "openai".
	Provider string
	// Plain leaves the strict dialect out, for servers that choke on it.
	Plain bool
	// TellAgent sends the agent's name as X-Gavel-Agent. Only a server of ours
	// is told.
	TellAgent bool
	// Load fetches images; nil refuses them.
	Load wire.Loader
	// Timeout is the longest one request may take; zero for ten minutes.
	Timeout time.Duration
	// Transport carries the requests; nil for one that uses no proxy.
	Transport http.RoundTripper
}

// A Generator asks one server. It is safe for concurrent use.
type Generator struct {
	provider string
	vendor   bool // the address is the vendor's own
	plain    bool
	tell     bool
	load     wire.Loader
	timeout  time.Duration
	chat     sdk.ChatCompletionService
}

// New makes a generator. It asks nobody yet.
func New(c Config) (*Generator, error) {
	base := c.BaseURL
	if base == "" {
		base = vendorURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fault.New(fault.Invalid, "the base URL of a model route is not an http or https address")
	}
	options := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithMaxRetries(0),
		option.WithHTTPClient(wire.Client(c.Transport)),
	}
	if c.Key != "" {
		options = append(options, option.WithAPIKey(c.Key))
	}
	g := &Generator{provider: c.Provider, vendor: u.Host == "api.openai.com", plain: c.Plain, tell: c.TellAgent, load: c.Load,
		timeout: c.Timeout, chat: sdk.NewChatCompletionService(options...)}
	if g.provider == "" {
		g.provider = "openai"
	}
	if g.timeout <= 0 {
		g.timeout = 10 * time.Minute
	}
	return g, nil
}

// Generate asks once.
func (g *Generator) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	if err := req.Check(); err != nil {
		return model.Response{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	words, err := g.say(ctx, req)
	if err != nil {
		return model.Response{}, err
	}
	heard := answer{draft: wire.Draft{Stream: req.Stream}}
	options := []option.RequestOption{option.WithResponseInto(&heard.raw)}
	if g.tell && req.Agent != "" {
		options = append(options, option.WithHeader("X-Gavel-Agent", wire.Word(req.Agent)))
	}
	if req.Stream != nil {
		err = g.stream(ctx, words.params, options, &heard)
	} else {
		err = g.whole(ctx, words.params, options, &heard)
	}
	if err != nil {
		return model.Response{}, g.fault(ctx, err, heard.raw)
	}
	return g.hear(req, words, &heard), nil
}
