package main

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/tool/tooltest"
)

// The application: a clerk asks for bells to be rung, an officer approves each, and for five
// minutes that can be undone.
const (
	name         = "bell"
	roundsPath   = "/v1/bell/rounds"
	workflowName = "bell.Round"
	undoWindow   = 5 * time.Minute

	ringsPerRound = 10 // as demo/script.yaml has it
)

//go:embed demo policies
var files embed.FS

// A bell is the application at work.
type bell struct{ platform.Deps }

func newBell() platform.App {
	b := &bell{}
	return platform.App{
		Name: name, Title: "Bell", Open: func(d platform.Deps) error { b.Deps = d; return nil },
		Cases: casefile.Kind{App: name, RefPrefix: "BELL", Workflow: workflowName, OwnEnd: true},
		Work:  durable.Work{App: name, Workflows: []durable.Workflow{{Name: workflowName, Func: working}}},
		Agents: []agent.Spec{{App: name, Name: "clerk", Role: "a clerk", Goal: "have bells rung",
			Instructions: "Call ring for each bell, then answer.", Tools: []string{"ring"}, Route: "small", Budget: agent.Budget{Calls: 5},
			Brief: b.brief}},
		Tools: []tool.Tool{tooltest.Finds[word](tool.Sends(tool.Tool{App: name, Name: "ring", Line: "Rings a bell.", Effect: tool.Outside,
			Undo:  undoWindow,
			Roles: []identity.Role{identity.Analyst}, Deciders: []identity.Role{identity.Officer}}, ring, heard))},
		Policies: platform.Folder(files, "policies"), API: []api.Part{b}, Demo: &platform.Demo{Files: platform.Folder(files, "demo")},
	}
}

// working is the life of a round: the clerk asks, officers decide, and it is closed.
func working(ctx workflow.Context, in casefile.Input) error {
	desk := agent.Open(ctx, in)
	run, err := desk.Run(ctx, agent.Task{App: name, Agent: "clerk", Name: "ring"})
	if err != nil {
		return err
	}
	return desk.Close(ctx, string(run.State))
}

func (b *bell) brief(ctx context.Context, e tool.Env) (agent.Brief, error) {
	c, err := b.Cases.Get(ctx, e.Org, casefile.CaseID(e.Case))
	return agent.Brief{Parts: []agent.Said{{Text: c.Title}}}, err
}

type round struct {
	Name string `json:"name" minLength:"1" maxLength:"100" doc:"What the round is called."`
}

// Operations registers where rounds are asked for.
func (b *bell) Operations(s *api.API) {
	api.Serve(s, api.Route{ID: "startRound", Method: http.MethodPost, Path: roundsPath, Acts: []string{"case.open"}, Tag: "Bell",
		Title: "Ask for a round of bells", Status: http.StatusCreated, Body: `{"name":"Round 1"}`},
		func(ctx context.Context, who identity.Actor, in *struct{ Body round }) (*struct{ Body api.Links }, error) {
			key := fmt.Sprintf("%x", sha256.Sum256([]byte(in.Body.Name)))
			c, _, err := b.Cases.Open(ctx, who, casefile.Opening{App: name, Key: key, Title: in.Body.Name})
			return &struct{ Body api.Links }{api.Links{Page: "/cases/" + string(c.ID)}}, err
		})
}

// A word is which bell is rung.
type word struct {
	Bell string `json:"bell" jsonschema:"which bell"`
}

// ring is the other side: a file for each bell that was rung, beside the program. Ringing one
// twice fails.
func ring(_ context.Context, e tool.Env, _ word) (struct{}, error) {
	path, err := rungPath(e.Key)
	if err != nil {
		return struct{}{}, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // named by a digest
	if err != nil {
		return struct{}{}, err
	}
	return struct{}{}, file.Close()
}

// heard answers whether a bell was rung.
func heard(_ context.Context, e tool.Env, _ word) (tool.Found, struct{}, error) {
	rung, err := wasRung(e.Key)
	switch {
	case err != nil:
		return tool.CannotTell, struct{}{}, err
	case rung:
		return tool.Yes, struct{}{}, nil
	}
	return tool.No, struct{}{}, nil
}

func wasRung(key string) (bool, error) {
	path, err := rungPath(key)
	if err != nil {
		return false, err
	}
	_, err = os.Stat(path)
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}

func rungPath(key string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(filepath.Dir(self), "rung-"+hex.EncodeToString(sum[:8])), nil
}
