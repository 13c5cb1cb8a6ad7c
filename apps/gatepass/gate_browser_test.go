//go:build browser

package gatepass_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/qrcode"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

// A wire is the way from a gate to the server, with a guard's session on it. It can be cut.
type wire struct {
	*httptest.Server
	cut  atomic.Bool
	busy atomic.Bool // the server has no turn for anybody
}

// newWire is a server that hands everything on as somebody, while it is not cut.
func newWire(t *testing.T, r *rig, as string) *wire {
	t.Helper()
	to, err := url.Parse(r.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(to)
		p.Out.Host = p.In.Host
		p.Out.Header.Set("As", as)
	}, ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }}
	w := &wire{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		if w.cut.Load() {
			panic(http.ErrAbortHandler) // nobody answers
		}
		if w.busy.Load() && strings.HasPrefix(in.URL.Path, "/v1/") {
			out.Header().Set("Content-Type", "application/problem+json")
			out.WriteHeader(http.StatusTooManyRequests)
			_, _ = out.Write([]byte(`{"status":429,"code":"busy"}`))
			return
		}
		proxy.ServeHTTP(out, in.WithContext(context.WithoutCancel(in.Context())))
	}))
	t.Cleanup(w.Close)
	return w
}

// filmed is a film for a camera that is none: a code on a white wall, or the wall alone.
func filmed(t *testing.T, name, text string) string {
	t.Helper()
	const width, height = 1280, 720
	luma := bytes.Repeat([]byte{200}, width*height)
	if text != "" {
		file, err := qrcode.PNG(text, 512)
		if err != nil {
			t.Fatal(err)
		}
		code, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for y := range 512 {
			for x := range 512 {
				c, _, _, _ := code.At(x, y).RGBA()
				luma[(y+104)*width+x+384] = 16 + byte(c>>8)/255*219
			}
		}
	}
	frame := append(append([]byte("FRAME\n"), luma...), bytes.Repeat([]byte{128}, width*height/2)...)
	film := append([]byte(fmt.Sprintf("YUV4MPEG2 W%d H%d F10:1 Ip A1:1 C420mpeg2\n", width, height)), bytes.Repeat(frame, 3)...)
	at := filepath.Join(t.TempDir(), name+".y4m")
	if err := os.WriteFile(at, film, 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

// TestTheGateWorksWithoutANetwork promises of the app in Chromium, with a camera: that it reads a code by its own decoder, and
// lets somebody out; that with the network off it is there after a reload and after a restart, refuses what has ended, was
// revoked and is forged, lets out and in; that nobody waits where the server has no turn for it; that each event then reaches the
// server once, in order, with its photo; and that its screens are fit for people by day and night, in English and Hindi.
func TestTheGateWorksWithoutANetwork(t *testing.T) {
	r := newRig(t, durable.Clock{})
	w := newWire(t, r, r.pair(t, "guard0"))
	alone, ended := r.approved(t, "person_name", "Rekha Devi", "items", []map[string]any{{"name": "Laptop", "qty": 1, "serial": "L-3391",
		"returnable": true}}), r.approved(t, "person_name", "Arif Khan")
	revoked, online := r.approved(t, "person_name", "Vikram Rathore"), r.approved(t, "person_name", "Asha Rao")
	good, code := r.code(t, number.Number(alone)), func(n string) string { return r.code(t, number.Number(n)) }
	dead, over, fresh := code(revoked), code(ended), code(online)
	r.Set(t, `update gatepass.pass set approved_at = now() - interval '3 days', created_at = now() - interval '3 days',
		valid_from = now() - interval '2 days', valid_until = now() - interval '1 day' where number = $1`, ended)

	control := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		switch in.URL.Path {
		case "/off", "/on":
			w.cut.Store(in.URL.Path == "/off")
			w.busy.Store(false)
		case "/busy":
			w.busy.Store(true)
		case "/revoke":
			wants(t, r.act(t, "admin", revoked, "delete", `{"reason":"The visit is called off."}`), 200, "")
		}
	}))
	t.Cleanup(control.Close)
	webtest.CheckFile(t, "testdata/gate.mjs", "--base", w.URL, "--control", control.URL, "--out", webtest.Shots(t),
		"--profile", t.TempDir(), "--film", filmed(t, "code", fresh), "--wall", filmed(t, "wall", ""), "--good", good,
		"--over", over, "--dead", dead, "--forged", good[:len(good)-8]+"AAAAAAAA",
		"--code", code(r.approved(t, "person_name", "Sunita Menon")), "--rush", code(r.approved(t, "person_name", "Gopal Iyer")))

	kinds := strings.Join(r.Texts(t, `select kind || ' ' || seq || ' ' || held from gatepass.arrival order by seq`), ", ")
	if kinds != "scan_exit 1 , scan_return 2 , scan_exit 3 " {
		t.Errorf("the server has %q, want the exit and then the return, and the one of the rush, once", kinds)
	}
	k := r.Call(t, "hr", http.MethodGet, "/v1/gatepass/hr/gatepass/"+alone, nil).JSON
	if k["status"] != "returned" || k["exit_photo_id"] == nil || k["return_photo_id"] == nil {
		t.Errorf("the pass that left and came back alone: %v", k)
	}
	if n := r.Number(t, `select count(*)::int from gatepass.question`); n != 0 {
		t.Errorf("%d questions", n)
	}
	const scans = `select count(*)::int from gatepass.scan s join gatepass.pass p on p.id = s.pass_id where p.number = $1`
	if n := r.Number(t, scans, online); n != 1 {
		t.Errorf("the one who left online has %d scans", n)
	}
	if late := time.Since(r.lastPhoto(t)); late < 0 || late > time.Hour {
		t.Errorf("the last photo was taken %s ago", late)
	}
}

// lastPhoto is when the newest photo was taken, by the gate's clock.
func (r *rig) lastPhoto(t *testing.T) time.Time {
	t.Helper()
	return must(time.Parse(time.RFC3339Nano, r.Texts(t, `select to_char(max(taken_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
		from gatepass.photo`)[0]))
}
