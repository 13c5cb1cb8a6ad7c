package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model/scripted"
)

// script is the file from which the model answers an application's agents.
const script = "script.yaml"

// thinking is how long an answer takes, so that it is seen to be one.
const thinking = 400 * time.Millisecond

// A model is the scripted one, at work in this process.
type model struct {
	routes string // the file that says where it is
	server *http.Server
}

// Model starts the scripted model of the applications, as a demonstration has it, and
// writes the file of routes that leads to it. What it returns ends it.
func Model(routes string, apps ...platform.App) (end func() error, err error) {
	m, err := newModel(apps, routes)
	if err != nil {
		return nil, err
	}
	return m.close, nil
}

// newModel starts it, with what the applications have it answer, and writes the routes.
func newModel(apps []platform.App, routes string) (*model, error) {
	all := scripted.Script{Latency: scripted.Duration(thinking), Agents: map[string][]scripted.Rule{}}
	asked := map[string]bool{}
	for _, a := range apps {
		for _, agent := range a.Agents {
			asked[agent.Route] = true
		}
		if a.Demo == nil || a.Demo.Files == nil {
			continue
		}
		own, err := readScript(a.Demo.Files)
		if err != nil {
			return nil, fmt.Errorf("%s's script: %w", a.Name, err)
		}
		for agent, rules := range own.Agents {
			all.Agents[a.Name+"/"+agent] = rules
		}
	}
	handler, err := scripted.New(scripted.Config{Script: all})
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fault.From(fault.Unavailable, err, "listen on loopback for the scripted model")
	}
	m := &model{routes: routes, server: &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}}
	go func() { _ = m.server.Serve(listener) }() // ends with close
	var text []byte
	for route := range asked {
		text = fmt.Appendf(text, "%s: {provider: scripted, base_url: 'http://%s/v1'}\n", route, listener.Addr())
	}
	if err := os.WriteFile(routes, text, 0o600); err != nil {
		return nil, errors.Join(fault.From(fault.Internal, err, "write %s", routes), m.close())
	}
	return m, nil
}

func readScript(files fs.FS) (scripted.Script, error) {
	data, err := fs.ReadFile(files, script)
	if err != nil {
		return scripted.Script{}, fault.From(fault.NotFound, err, "read %s", script)
	}
	return scripted.Read(bytes.NewReader(data))
}

// close ends it at once: who waits for an answer is being ended, too.
func (m *model) close() error { return m.server.Close() }
