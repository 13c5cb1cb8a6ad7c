package gatepass_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass"
	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// A rig is the application on a real database and a real server. There is no engine.
type rig struct {
	*platformtest.Installation
	*platformtest.Server
}

// people are who asks in these tests, by what they say in the header As.
func people() map[string]identity.Actor {
	all := map[string]identity.Actor{}
	for name, roles := range map[string][]identity.Role{"hr": {identity.HR}, "hr2": {identity.HR}, "admin": {identity.PassAdmin},
		"admin2": {identity.PassAdmin},
		"gate":   {identity.Gate}, "supervisor": {identity.GateSupervisor}, "both": {identity.HR,
			identity.PassAdmin}, "auditor": {identity.Auditor},
		"analyst": {identity.Analyst}} {
		all[name] = platformtest.Person(name, postgrestest.North, roles...)
	}
	for i := range 50 {
		name := fmt.Sprintf("client%d", i)
		all[name] = platformtest.Person(name, postgrestest.North, identity.HR)
		name = fmt.Sprintf("guard%d", i)
		guard := platformtest.Person(name, postgrestest.North, identity.Gate)
		guard.ID, guard.Session = "p_"+ulidOf(name), "ses_"+ulidOf(name) // where pair has begun it
		all[name] = guard
	}
	all["south-hr"] = platformtest.Person("south-hr", postgrestest.South, identity.HR)
	all["south-admin"] = platformtest.Person("south-admin", postgrestest.South, identity.PassAdmin)
	return all
}

func newRig(t *testing.T, clock durable.Clock) *rig {
	t.Helper()
	app := gatepass.New()
	i := platformtest.New(t, app)
	i.Deps.Clock = clock
	i.Keep(t).Ask(t)
	keys, err := durable.ParseKeys(durable.NewKey("k1"))
	if err != nil {
		t.Fatal(err)
	}
	i.Deps.Keys = keys
	if err := app.Open(i.Deps); err != nil {
		t.Fatal(err)
	}
	return &rig{i, i.Serve(t, platformtest.Serves{API: app.API, Routes: app.Routes, Home: "/gatepass", As: people()})}
}

// create makes a pass and returns it.
func (r *rig) create(t *testing.T, as string, fields ...any) map[string]any {
	t.Helper()
	body := map[string]any{"person_name": "Asha Rao", "description": "To the bank", "is_returnable": true}
	for i := 0; i+1 < len(fields); i += 2 {
		body[fields[i].(string)] = fields[i+1]
	}
	return r.Want(t, http.StatusCreated, as, http.MethodPost, rest.Base+"/hr/gatepass/create", body).JSON
}

// act has something done to a pass as an administrator.
func (r *rig) act(t *testing.T, as, number, what string, body any, headers ...string) platformtest.Answer {
	t.Helper()
	return r.Call(t, as, http.MethodPost, rest.Base+"/admin/gatepass/"+number+"/"+what, body, headers...)
}

// scan sends a scan: parts by name and value, and a photo unless it is nil.
func (r *rig) scan(t *testing.T, as, way, number string, photo []byte, parts ...string) platformtest.Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("pass_number", number)
	for i := 0; i+1 < len(parts); i += 2 {
		_ = form.WriteField(parts[i], parts[i+1])
	}
	if photo != nil {
		w, err := form.CreateFormFile("photo", "photo.jpg")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(photo)
	}
	_ = form.Close()
	return r.sendForm(t, as, "/gate/"+way, form.FormDataContentType(), &body)
}

// sendForm sends a body that is in parts.
func (r *rig) sendForm(t *testing.T, as, path, media string, body io.Reader) platformtest.Answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+rest.Base+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("As", as)
	req.Header.Set("Content-Type", media)
	a := r.Send(t, req)
	if strings.HasPrefix(a.Body, "{") {
		if err := json.Unmarshal([]byte(a.Body), &a.JSON); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// approved is a pass that was made and approved.
func (r *rig) approved(t *testing.T, fields ...any) string {
	t.Helper()
	number := r.create(t, "hr", fields...)["pass_number"].(string)
	wants(t, r.act(t, "admin", number, "approve", nil), http.StatusOK, "")
	return number
}

// wants insists on a status and a code.
func wants(t *testing.T, a platformtest.Answer, status int, code string) {
	t.Helper()
	got, _ := a.JSON["code"].(string)
	if a.Status != status || got != code && status >= 400 {
		t.Errorf("got %d %q, want %d %q: %.400s", a.Status, got, status, code, a.Body)
	}
}

// face is a photo of so many pixels.
func face(t *testing.T, w, h int) []byte {
	t.Helper()
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			p.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), 99, 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, p, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
