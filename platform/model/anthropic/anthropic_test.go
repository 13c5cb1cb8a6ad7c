package anthropic_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/anthropic"
	"github.com/gavelhq/gavel/platform/model/modeltest"
)

var (
	update = flag.Bool("update", false, "write the golden files")
	record = flag.Bool("record", false,
		"ask the real address and write its answers over the fixtures; needs ANTHROPIC_API_KEY and ANTHROPIC_MODEL")
)

func vendor() modeltest.Vendor {
	return modeltest.Vendor{
		New: func(s modeltest.Server) (model.Generator, error) {
			return anthropic.New(anthropic.Config{BaseURL: s.URL, Key: s.Key, TellAgent: s.TellAgent, Timeout: s.Timeout,
				Load: modeltest.Load})
		},
		Streams: func(body []byte) bool {
			var r struct{ Stream bool }
			return json.Unmarshal(body, &r) == nil && r.Stream
		},
		Error: func(status int, words string) string {
			return fmt.Sprintf(`{"type":"error","error":{"type":"error_%d","message":%q},"request_id":"req_1"}`, status, words)
		},
		Piece: func(text string) string {
			return fmt.Sprintf("event: content_block_delta\ndata: "+
				"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":%q}}\n\n", text)
		},
		Real: "https://api.anthropic.com", KeyVar: "ANTHROPIC_API_KEY", ModelVar: "ANTHROPIC_MODEL", Header: "X-Api-Key",
		Environment: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS"},
		Update:      *update, RecordReal: *record,
	}
}

// TestKeepsThePromisesOfEveryAdapter promises what package modeltest says.
func TestKeepsThePromisesOfEveryAdapter(t *testing.T) { modeltest.Run(t, vendor()) }

// TestBaseURLMustBeAnAddress promises that a slip in the settings is found when
// the route is made.
func TestBaseURLMustBeAnAddress(t *testing.T) {
	for _, base := range []string{"127.0.0.1:8000", "ftp://127.0.0.1/", "http://", "http://%zz"} {
		if _, err := anthropic.New(anthropic.Config{BaseURL: base}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: got %v, want invalid", base, err)
		}
	}
	if _, err := anthropic.New(anthropic.Config{Key: "k"}); err != nil {
		t.Errorf("the vendor's own address: %v", err)
	}
}

// TestSeedIsRefused promises that no record claims a seed that had no effect.
func TestSeedIsRefused(t *testing.T) {
	g, err := anthropic.New(anthropic.Config{BaseURL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	seed := int64(7)
	_, err = g.Generate(t.Context(), model.Request{Model: "m", Params: model.Params{Seed: &seed},
		Messages: []model.Message{{Role: model.User, Parts: []model.Part{{Text: "Hello"}}}}})
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want invalid", err)
	}
}

// FuzzAnswer promises what modeltest.Fuzz says.
func FuzzAnswer(f *testing.F) {
	modeltest.Fuzz(f, func(transport http.RoundTripper) (model.Generator, error) {
		return anthropic.New(anthropic.Config{BaseURL: "http://127.0.0.1", Transport: transport})
	})
}
