package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const secretWord = "sk-very-secret"

func routes(t *testing.T, text string, more ...string) *Config {
	t.Helper()
	return load(t, append(more, "GAVEL_MODELS="+writeFile(t, text), "GAVEL_MODE=demo", "VENDOR_KEY="+secretWord)...)
}

func TestRoutesToModelsAreReadWithTheirKeysAndPrices(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(secretWord+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := routes(t, fmt.Sprintf(`
careful:
  provider: anthropic
  model: claude-9
  key_file: %s
  price: {currency: USD, input: 3, cached: 0.30, output: "15.000001"}
  window: 200000
  slots: 40
  max_tokens: 8192
  temperature: 0
fast: {provider: openai, base_url: "http://127.0.0.1:8000/v1/", model: qwen, seed: 7, plain: true, key_env: VENDOR_KEY, price: {currency: INR, input: 1, output: 2}}
demo: {provider: scripted, base_url: "http://127.0.0.1:9000/v1"}
`, file))
	if p := c.Problems(); len(p) != 0 || len(c.Models) != 3 {
		t.Fatalf("got %d routes and %v", len(c.Models), p)
	}
	careful, demo, fast := c.Models[0], c.Models[1], c.Models[2]
	if careful.Key.Reveal() != secretWord || fast.Key.Reveal() != secretWord || demo.Key != "" {
		t.Error("a key is not the one that the file or the environment holds")
	}
	if p := careful.Price; p.Input != 3_000_000 || p.Cached != 300_000 || p.Output != 15_000_001 || p.Currency != "USD" {
		t.Errorf("got price %+v", *p)
	}
	if fast.Price.Cached != fast.Price.Input {
		t.Error("a cached token without a price of its own does not cost what others do")
	}
	if careful.Window != 200000 || careful.Slots != 40 || careful.Params.MaxTokens != 8192 ||
		*careful.Params.Temperature != 0 || *fast.Params.Seed != 7 ||
		!fast.Plain {
		t.Errorf("settings are lost: %+v %+v", careful, fast)
	}
	if fast.BaseURL != "http://127.0.0.1:8000/v1" || demo.Model != Scripted {
		t.Errorf("got %q and %q", fast.BaseURL, demo.Model)
	}
	for _, shown := range []string{fmt.Sprint(c.List()), fmt.Sprintf("%v %+v %#v", c, c.Models, c.Models)} {
		if strings.Contains(shown, secretWord) {
			t.Error("a key is shown")
		}
	}
}

func TestNoFileOfRoutesMeansNoModel(t *testing.T) {
	if c := load(t); len(c.Models) != 0 || len(c.Problems()) != 0 {
		t.Errorf("got %d routes and %v", len(c.Models), c.Problems())
	}
	if c := routes(t, "# none yet\n"); len(c.Models) != 0 || len(c.Problems()) != 0 {
		t.Errorf("an empty file: got %d routes and %v", len(c.Models), c.Problems())
	}
}

func TestARouteThatCannotBeMeantIsRefusedByName(t *testing.T) {
	const good = "provider: openai, model: m, base_url: 'http://127.0.0.1:1/v1'"
	for _, tt := range []struct{ name, text, says string }{
		{"a key in the file", "a: {" + good + ", key: " + secretWord + "}", `no setting of a route is called "key"`},
		{"a misspelt word", "a: {" + good + ", widnow: 3}", `"widnow"`},
		{"a value of the wrong kind", "a: {" + good + ", window: " + secretWord + "}", "line 1"},
		{"no list", secretWord, "not a list of routes"},
		{"the same route twice", "a: {" + good + "}\na: {" + good + "}", "line"},
		{"no provider", "a: {model: m}", "provider is"},
		{"another provider", "a: {provider: gpt, model: m}", "provider is"},
		{"no model", "a: {provider: openai, key_env: VENDOR_KEY}", "model is"},
		{"no key for the vendor", "a: {provider: openai, model: m}", "key_env or key_file"},
		{"two places for a key", "a: {" + good + ", key_env: VENDOR_KEY, key_file: /x}", "exclude"},
		{"a key that is not there", "a: {" + good + ", key_env: NO_SUCH_KEY}", "NO_SUCH_KEY"},
		{"a key of Gavel's own", "a: {" + good + ", key_env: GAVEL_LOG_KEY}", "Gavel's own"},
		{"a key file that is not there", "a: {" + good + ", key_file: /not/there}", "/not/there"},
		{"a bad name", "'A B': {" + good + "}", "name"},
		{"a bad address", "a: {provider: openai, model: m, base_url: 'ftp://x'}", "base_url"},
		{"a script without an address", "a: {provider: scripted}", "base_url"},
		{"a bad price", "a: {" + good + ", price: {currency: INR, input: -1, output: 1}}", "a price is"},
		{"too fine a price", "a: {" + good + ", price: {currency: INR, input: 0.0000001, output: 1}}", "a price is"},
		{"a price of nothing", "a: {" + good + ", price: {input: 1, output: 1}}", "currency"},
		{"too hot", "a: {" + good + ", temperature: 3}", "temperature"},
		{"plain elsewhere", "a: {provider: anthropic, model: m, base_url: 'http://127.0.0.1:1', plain: true}", "plain"},
	} {
		c := routes(t, tt.text)
		got := c.Problems().Error()
		if len(c.Problems()) != 1 || c.Problems()[0].Name != NameModels || !strings.Contains(got, tt.says) || len(c.Models) != 0 {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.says)
		}
		if strings.Contains(got, secretWord) {
			t.Errorf("%s: what may be a key is shown: %s", tt.name, got)
		}
	}
}

func TestProductionSendsNoCaseInPlainAndTakesNoScript(t *testing.T) {
	for text, want := range map[string]string{
		"a: {provider: openai, model: m, base_url: 'http://10.0.0.7:8000/v1'}":    "plain http",
		"a: {provider: scripted, base_url: 'http://127.0.0.1:9000/v1'}":           "script",
		"a: {provider: openai, model: m, base_url: 'http://127.0.0.1:8000/v1'}":   "",
		"a: {provider: openai, model: m, base_url: 'https://models.internal/v1'}": "",
		"a: {provider: anthropic, model: m, key_env: VENDOR_KEY}":                 "",
	} {
		got := load(t, "GAVEL_MODELS="+writeFile(t, text), "VENDOR_KEY=x").Problems().Error()
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
