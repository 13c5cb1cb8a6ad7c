package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/openai"
)

// TestProgramServesItsScript promises that the program says where it listens,
// answers there from its file, counts, and ends when it is told to.
func TestProgramServesItsScript(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-script", "../../testdata/example.yaml", "-latency", "0s"}, in)
		in.CloseWithError(io.EOF)
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, <-ended)
	}
	base := strings.TrimSpace(line)
	g, err := openai.New(openai.Config{BaseURL: base, TellAgent: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Generate(t.Context(), model.Request{Model: "any", Agent: "clerk",
		Messages: []model.Message{{Role: model.User, Parts: []model.Part{{Text: "Look into case_1."}}}}})
	if err != nil || len(r.Message.Calls) != 2 || r.Message.Calls[0].Args != `{"case":"case_1"}` {
		t.Errorf("got %+v, %v", r, err)
	}
	res, err := http.Get(strings.TrimSuffix(base, "/v1") + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var health struct {
		Requests int
		Agents   map[string]int
	}
	if err := json.NewDecoder(res.Body).Decode(&health); err != nil || health.Requests != 1 || health.Agents["clerk"] != 1 {
		t.Errorf("it says %+v, %v", health, err)
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(wait.Patience()):
		t.Error("it did not end")
	}
}

// TestProgramRefusesWhatItCannotServe promises a message instead of a server
// that answers nothing.
func TestProgramRefusesWhatItCannotServe(t *testing.T) {
	for _, args := range [][]string{{"-script", "none.yaml"}, {"-script", "main.go"}, {"-listen", "nowhere"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
