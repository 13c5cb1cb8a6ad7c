package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/audit/bundle"
	"github.com/gavelhq/gavel/platform/audit/bundle/content"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// newExporter makes what exports bundles, of the sections that every case has.
func (c *cli) newExporter(p *parts, sys *postgres.System, blobs *blob.Store, kept *evidence.Store, vault *seal.Vault) (*bundle.Exporter, error) {
	all := content.Sections(content.Sources{DB: p.db, Cases: p.cases, Evidence: kept, Blobs: blobs})
	all = append(all, agent.Sections(agent.NewStore(p.db, vault))...)
	return bundle.NewExporter(bundle.Config{
		DB: p.db, System: sys, Vault: vault, Signer: c.cfg.LogKey.Reveal(), Program: "gavel " + buildOf().Version,
		Now: p.clock.Now, Wait: pause, Sections: all,
	})
}

// pause waits in real time: what is waited for is a server at work, not a date.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// bundleRoutes let people take a case out.
func bundleRoutes(mux *web.Mux, e *bundle.Exporter) {
	mux.Handle("POST /v1/cases/{id}/bundle", func(w http.ResponseWriter, r *http.Request) error { return sendBundle(w, r, e) },
		web.MaxBody(4<<10), web.Streaming())
}

// makingTime bounds the making of a bundle; sending it has no bound but that each
// part of it must be taken.
const (
	makingTime = 5 * time.Minute
	takingTime = 30 * time.Second
)

// sendBundle answers with a case's bundle: exactly the bytes that are on record,
// or a connection that breaks off.
func sendBundle(w http.ResponseWriter, r *http.Request, e *bundle.Exporter) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	to, err := recipient(r)
	if err != nil {
		return err
	}
	slowly := &patient{w: w, control: http.NewResponseController(w)}
	slowly.extend(makingTime)
	ctx, done := context.WithTimeout(r.Context(), makingTime)
	defer done()
	b, err := e.Export(ctx, actor, r.PathValue("id"), to)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="`+b.Name+`"`)
	h.Set("Content-Length", strconv.FormatInt(b.Size, 10))
	h.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(b.SHA256[:])+":")
	h.Set("Cache-Control", "no-store")
	h.Set("Gavel-Record", string(b.Record))
	return b.Write(r.Context(), slowly)
}

// recipient is who the bundle is for: of a program's JSON, or of a form.
func recipient(r *http.Request) (string, error) {
	if r.Header.Get("Content-Type") != "application/json" {
		return r.PostFormValue("to"), nil
	}
	var body struct {
		To string `json:"to"`
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&body); err != nil && !errors.Is(err, io.EOF) {
		return "", fault.New(fault.Invalid, `the body is {"to": "who receives it"}`)
	}
	return body.To, nil
}

// patient gives each write its own time.
type patient struct {
	w       io.Writer
	control *http.ResponseController
}

func (p *patient) extend(d time.Duration) {
	_ = p.control.SetWriteDeadline(time.Now().Add(d)) // not every connection has one
}

// Write extends the connection's time.
func (p *patient) Write(b []byte) (int, error) {
	p.extend(takingTime)
	return p.w.Write(b)
}
