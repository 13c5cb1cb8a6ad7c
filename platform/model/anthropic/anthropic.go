// Package anthropic asks models through Anthropic's messages API.
//
// It stands on the vendor's library with its retries and its own traces off:
// the engine retries, and the runtime's spans say what happened. The library
// reads settings from the environment where it is asked for a whole client;
// here only its message service is made, which reads none.
//
// Thinking is not asked for, and what a model thinks aloud all the same is left
// out of the answer.
package anthropic

import (
	"context"
	"net/http"
	"net/url"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/wire"
)

// provider is the name in identities and errors.
const provider = "anthropic"

// defaultMaxTokens is how long an answer may be where the request does not say:
// the API insists on a figure, and every model of theirs takes this one.
const defaultMaxTokens = 8192

// Config says whom to ask and how.
type Config struct {
	// BaseURL is the API's address without a version; empty for the vendor's.
	BaseURL string
	// Key is the secret.
	Key string
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
	tell     bool
	load     wire.Loader
	timeout  time.Duration
	messages sdk.MessageService
}

// New makes a generator. It asks nobody yet.
func New(c Config) (*Generator, error) {
	base := c.BaseURL
	if base == "" {
		base = "https://api.anthropic.com"
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fault.New(fault.Invalid, "the base URL of a model route is not an http or https address")
	}
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = 10 * time.Minute
	}
	options := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithMaxRetries(0),
		option.WithHTTPClient(wire.Client(c.Transport)),
		option.WithTracerProvider(noop.NewTracerProvider()),
		// Without it the library refuses long answers in one piece by its own guess.
		option.WithRequestTimeout(timeout),
	}
	if c.Key != "" {
		options = append(options, option.WithAPIKey(c.Key))
	}
	return &Generator{tell: c.TellAgent, load: c.Load, timeout: timeout, messages: sdk.NewMessageService(options...)}, nil
}

// Generate asks once.
func (g *Generator) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	if err := req.Check(); err != nil {
		return model.Response{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	params, names, err := g.say(ctx, req)
	if err != nil {
		return model.Response{}, err
	}
	heard := answer{draft: wire.Draft{Stream: req.Stream}}
	options := []option.RequestOption{option.WithResponseInto(&heard.raw)}
	if g.tell && req.Agent != "" {
		options = append(options, option.WithHeader("X-Gavel-Agent", wire.Word(req.Agent)))
	}
	if req.Stream != nil {
		err = g.stream(ctx, params, options, &heard)
	} else {
		err = g.whole(ctx, params, options, &heard)
	}
	if err != nil {
		return model.Response{}, refusal(ctx, err, heard.raw)
	}
	return heard.response(req, names), nil
}
