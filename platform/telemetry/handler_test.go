package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/slogtest"

	"go.opentelemetry.io/otel/trace"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/telemetry"
)

func TestHandlerIsAProperSlogHandler(t *testing.T) {
	var out bytes.Buffer
	slogtest.Run(t, func(*testing.T) slog.Handler {
		out.Reset()
		return telemetry.NewHandler(slog.NewJSONHandler(&out, nil))
	}, func(t *testing.T) map[string]any { return decode(t, out.Bytes()) })
}

func decode(t testing.TB, line []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(line, &m); err != nil {
		t.Fatalf("%v in %q", err, line)
	}
	return m
}

func TestLinesNameTheirTraceAndRequestOutsideOfGroups(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(telemetry.NewHandler(slog.NewJSONHandler(&out, nil)))
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1, 2}, SpanID: trace.SpanID{3, 4}})
	ctx := trace.ContextWithSpanContext(telemetry.WithRequestID(t.Context(), "req_01"), span)

	logger.With("a", 1).WithGroup("g").With("b", 2).WithGroup("h").InfoContext(ctx, "hello", "c", 3)
	got := decode(t, out.Bytes())
	delete(got, "time")
	want := map[string]any{
		"level": "INFO", "msg": "hello", "a": 1.0, "request_id": "req_01",
		"trace_id": "01020000000000000000000000000000", "span_id": "0304000000000000",
		"g": map[string]any{"b": 2.0, "h": map[string]any{"c": 3.0}},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}

	out.Reset()
	logger.InfoContext(ctx, "names it itself", "request_id", "req_01")
	if n := strings.Count(out.String(), "request_id"); n != 1 {
		t.Errorf("the request is named %d times in %s", n, out.String())
	}

	out.Reset()
	logger.InfoContext(t.Context(), "outside")
	for _, key := range []string{"trace_id", "span_id", "request_id"} {
		if strings.Contains(out.String(), key) {
			t.Errorf("%s in %s, a line of no request", key, out.String())
		}
	}
}

type account struct {
	Name     string
	Password string
	Shown    string `json:"api_key"`
	Renamed  string `json:"-"`
	Balance  float64
	Tokens   int `json:"tokens"`
	Home     url.URL
	Headers  http.Header
	Cause    error
	Next     *account
	Raw      []byte
	hidden   string
}

type talkative struct{ text string }

func (s talkative) String() string { return s.text }

type valuer struct{ v slog.Value }

func (v valuer) LogValue() slog.Value { return v.v }

type marshals struct{ text string }

func (m marshals) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"password": m.text})
}

type explodes struct{ text string }

func (explodes) String() string { panic("no") }

// hidings are the places in a value where a secret may lie; each takes the
// secret alone and returns what is logged under a harmless key.
var hidings = []func(secret string) any{
	func(s string) any { return "Bearer " + s },
	func(s string) any { return errors.New("dial postgres://u:" + s + "@db/x") },
	func(s string) any { return fmt.Errorf("wrapped: %w", errors.New("password="+s)) },
	func(s string) any { return errors.Join(errors.New("a"), errors.New("token: "+s)) },
	func(s string) any { return account{Name: "x", Password: s} },
	func(s string) any { return &account{Shown: s, hidden: s, Renamed: s} },
	func(s string) any { return account{Next: &account{Next: &account{Password: s}}} },
	func(s string) any {
		return account{Home: url.URL{Scheme: "http", Host: "h", User: url.UserPassword("u", s)}}
	},
	func(s string) any { return account{Headers: http.Header{"Authorization": {s}, "X-Api-Key": {s}}} },
	func(s string) any { return account{Cause: errors.New("secret=" + s)} },
	func(s string) any { return account{Raw: []byte(s)} },
	func(s string) any { return url.UserPassword("u", s) },
	func(s string) any { return map[string]any{"list": []any{1, map[string]string{"password": s}}} },
	func(s string) any { return map[string][]string{"Set-Cookie": {s}} },
	func(s string) any { return map[string]any{s + "@example.org": 1} },
	func(s string) any { return []string{"fine", s + "@example.org"} },
	func(s string) any { return []error{errors.New("gvdev.north.officer." + s)} },
	func(s string) any { return talkative{"password=" + s} },
	func(s string) any { return marshals{s} },
	func(s string) any { return []any{marshals{s}} },
	func(s string) any { return explodes{s} },
	func(s string) any { return valuer{slog.GroupValue(slog.String("password", s))} },
	func(s string) any { return []any{valuer{slog.GroupValue(slog.Group("g", slog.Any("token", s)))}} },
	func(s string) any { return valuer{slog.AnyValue(account{Password: s})} },
	func(s string) any { return []slog.Attr{slog.String("password", s)} },
	func(s string) any { return json.RawMessage(`{"a":[{"secret":"` + s + `"}]}`) },
	func(s string) any { return []byte(s) },
	func(s string) any { return [4]any{nil, struct{ Inner any }{map[string]any{"cookie": s}}} },
	func(s string) any { return func() string { return s } },
	func(s string) any { c := make(chan string, 1); c <- s; return c },
}

func TestPlantedSecretsNeverComeOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z][A-Za-z0-9]{11,20}`).Draw(t, "secret")
		value := rapid.SampledFrom(hidings).Draw(t, "hiding")(secret)
		key := "value"
		if rapid.Bool().Draw(t, "under a secret key") {
			key = rapid.SampledFrom([]string{"password", "Authorization", "set-cookie", "apiKey", "token", "client_secret"}).Draw(t, "key")
			value = secret
		}
		attr := slog.Any(key, value)
		for range rapid.IntRange(0, 3).Draw(t, "groups around") {
			attr = slog.Attr{Key: rapid.SampledFrom([]string{"g", "", "deep"}).Draw(t, "group"), Value: slog.GroupValue(slog.Int("n", 1),
				attr)}
		}

		var out bytes.Buffer
		options := &slog.HandlerOptions{Level: slog.LevelDebug}
		var lines slog.Handler = slog.NewJSONHandler(&out, options)
		if rapid.Bool().Draw(t, "text") {
			lines = slog.NewTextHandler(&out, options)
		}
		logger := slog.New(telemetry.NewHandler(lines))
		write(t, logger, attr)
		if out.Len() == 0 {
			t.Fatal("nothing was written")
		}
		if strings.Contains(out.String(), secret) {
			t.Fatalf("%s came out in %s", secret, out.String())
		}
	})
}

// write logs an attribute in one of the ways a program can.
func write(t *rapid.T, logger *slog.Logger, attr slog.Attr) {
	switch rapid.IntRange(0, 4).Draw(t, "way") {
	case 0:
		logger.Info("line", attr)
	case 1:
		logger.With(attr).Info("line")
	case 2:
		logger.WithGroup("g").With(attr).Info("line", "n", 1)
	case 3:
		logger.With("a", 1).WithGroup("g").WithGroup("h").LogAttrs(context.Background(), slog.LevelWarn, "line", attr)
	case 4:
		logger.WithGroup("password").Info("line", attr, slog.Any("plain", attr.Value))
	}
}

func TestMessagesAndSecretGroupsAreMasked(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(telemetry.NewHandler(slog.NewJSONHandler(&out, nil)))
	logger.Info("refused Bearer hunter2hunter2")
	logger.WithGroup("cookie").Info("x", "value", "hunter2hunter2")
	logger.Info("x", slog.Group("credentials", "user", "hunter2hunter2"))
	logger.InfoContext(telemetry.WithRequestID(t.Context(), "password=hunter2hunter2"), "x")
	logger.Info("x", "password=hunter2hunter2", 1)
	if strings.Contains(out.String(), "hunter2") {
		t.Errorf("got %s", out.String())
	}
}

func TestWhatIsNotSecretIsStillShown(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(telemetry.NewHandler(slog.NewJSONHandler(&out, nil)))
	ring := &account{Name: "ring"}
	ring.Next = ring
	logger.Info("x", "who", account{Name: "Asha", Password: "p", Tokens: 12, Balance: 2.5, Cause: errors.New("late")},
		"input_tokens", 7, "nothing", nil, "ring", ring)
	got := decode(t, out.Bytes())
	who, _ := got["who"].(map[string]any)
	if who["Name"] != "Asha" || who["Password"] != "[masked]" || who["tokens"] != 12.0 || who["Balance"] != 2.5 || who["Cause"] != "late" {
		t.Errorf("got %v", who)
	}
	if got["input_tokens"] != 7.0 {
		t.Errorf("got %v input tokens, want 7", got["input_tokens"])
	}
	if !strings.Contains(out.String(), "not shown") {
		t.Errorf("the ring has no end in %s", out.String())
	}
}
