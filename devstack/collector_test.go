package devstack_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
)

func TestTheCollectorListensOnOnePortAndKeepsWhatItTook(t *testing.T) {
	s := up(t, t.TempDir(), devstack.Collector)
	if got, want := listeners(t, statusOf(t, s, devstack.Collector).PID), s.Addresses(devstack.Collector)["http"]; len(got) != 1 ||
		got[0] != want {
		t.Errorf("it listens on %v, want only %s", got, want)
	}
	for _, name := range []string{"before", "after"} {
		body := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"` + name + `"}]}]}]}`
		res, err := http.Post(s.Settings()["GAVEL_OTLP_ENDPOINT"]+"/v1/traces", "application/json", bytes.NewBufferString(body))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		awaitText(t, s.Received(), `"name":"`+name+`"`)
		if name == "before" {
			if err := s.Stop(t.Context(), devstack.Collector); err != nil {
				t.Fatal(err)
			}
			if err := s.Start(t.Context(), devstack.Collector); err != nil {
				t.Fatal(err)
			}
		}
	}
	awaitText(t, s.Received(), `"name":"before"`)
}

// awaitText waits until a file holds a text.
func awaitText(t *testing.T, file, text string) {
	t.Helper()
	wait.Try(t, func() error {
		data, _ := os.ReadFile(file) // not there before the first span
		if !bytes.Contains(data, []byte(text)) {
			return fmt.Errorf("%s is not in %s: %s", text, file, data)
		}
		return nil
	})
}
