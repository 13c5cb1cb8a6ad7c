package openai_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/modeltest"
	"github.com/gavelhq/gavel/platform/model/openai"
)

var (
	update = flag.Bool("update", false, "write the golden files")
	record = flag.Bool("record", false,
		"ask the real address and write its answers over the fixtures; needs OPENAI_API_KEY and OPENAI_MODEL")
)

func vendor() modeltest.Vendor {
	return modeltest.Vendor{
		New: func(s modeltest.Server) (model.Generator, error) {
			return openai.New(openai.Config{BaseURL: s.URL + "/v1", Key: s.Key, TellAgent: s.TellAgent, Timeout: s.Timeout,
				Load: modeltest.Load})
		},
		Streams: func(body []byte) bool {
			var r struct{ Stream bool }
			return json.Unmarshal(body, &r) == nil && r.Stream
		},
		Error: func(status int, words string) string {
			return fmt.Sprintf(`{"error":{"message":%q,"type":"some_error","param":null,"code":"code_%d"}}`, words, status)
		},
		Piece: func(text string) string {
			return fmt.Sprintf("data: {\"id\":\"x\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
		},
		Real: "https://api.openai.com", KeyVar: "OPENAI_API_KEY", ModelVar: "OPENAI_MODEL", Header: "Authorization",
		Environment: []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"},
		Update:      *update, RecordReal: *record,
	}
}

// TestKeepsThePromisesOfEveryAdapter promises what package modeltest says.
func TestKeepsThePromisesOfEveryAdapter(t *testing.T) { modeltest.Run(t, vendor()) }

// TestBaseURLMustBeAnAddress promises that a slip in the settings is found when
// the route is made.
func TestBaseURLMustBeAnAddress(t *testing.T) {
	for _, base := range []string{"127.0.0.1:8000", "ftp://127.0.0.1/", "http://", "http://%zz"} {
		if _, err := openai.New(openai.Config{BaseURL: base}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: got %v, want invalid", base, err)
		}
	}
	if _, err := openai.New(openai.Config{Key: "k"}); err != nil {
		t.Errorf("the vendor's own address: %v", err)
	}
}

// FuzzAnswer promises what modeltest.Fuzz says.
func FuzzAnswer(f *testing.F) {
	modeltest.Fuzz(f, func(transport http.RoundTripper) (model.Generator, error) {
		return openai.New(openai.Config{BaseURL: "http://127.0.0.1/v1", Transport: transport})
	})
}
