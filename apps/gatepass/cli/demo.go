// Package cli is also Gate Pass's part of a demonstration: like a command it goes by the API.
package cli

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io/fs"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/identity"
)

// Demo is the gate of a works that is made up: some wait for a pass, some are out, one should have been back. It goes on: people
// ask, leave and come back. The files are the script of its agents.
func Demo(files fs.FS) *platform.Demo {
	return &platform.Demo{Files: files, Load: loadDemo, Play: playDemo, Try: []platform.Trial{
		{As: identity.PassAdmin, Key: "gp.try.approve", Path: "/inbox?app=gatepass"},
		{As: identity.HR, Key: "gp.try.make", Path: "/gatepass/new"},
		{As: identity.Gate, Key: "gp.try.onsite", Path: "/gatepass/sites"},
		{As: identity.PassAdmin, Key: "gp.try.late", Path: "/gatepass/passes?lane=overdue"},
		{As: identity.HR, Key: "gp.try.paste", Path: "/gatepass/new/list"},
		{As: identity.Gate, Key: "gp.try.scan", Path: "/gatepass/gate"},
		{As: identity.PassAdmin, Key: "gp.try.register", Path: "/gatepass/register"},
		{As: identity.HR, Key: "gp.try.board", Path: "/gatepass"},
		{As: identity.PassAdmin, Key: "gp.try.ask", Path: "/gatepass/chat"},
		{As: identity.HR, Key: "gp.try.ask", Path: "/gatepass/chat"},
		{As: identity.Gate, Key: "gp.try.copy", Path: "/gatepass/sites/main/onsite"},
		{As: identity.GateSupervisor, Key: "gp.try.onsite", Path: "/gatepass/sites"},
		{As: identity.GateSupervisor, Key: "gp.try.scan", Path: "/gatepass/gate"},
		{As: identity.GateSupervisor, Key: "gp.try.copy", Path: "/gatepass/sites/main/onsite"},
	}}
}

// A guest is somebody who is made up and asks for a pass.
type guest struct {
	name, purpose, item, serial string
	back                        time.Duration // after it was made; zero: does not come back
	after                       []string      // what then becomes of the pass
}

// What becomes of a pass.
const (
	approved = "approve"
	refused  = "reject"
	out      = "scan-exit"
	in       = "scan-return"
)

// guests are whom a demonstration begins with.
func guests() []guest {
	day := 24 * time.Hour
	return []guest{
		{name: "Rekha Demo", purpose: "Laptop to the service centre", item: "Laptop", serial: "L-3391", back: 10 * day},
		{name: "S. Iyer Demo", purpose: "Site visit, does not come back today"},
		{name: "P. Nair Demo", purpose: "Courier bag for the head office", back: 8 * day, after: []string{approved}},
		{name: "Arif Demo", purpose: "Bank, with the cash box", item: "Cash box", serial: "C-12", back: 9 * day,
			after: []string{approved, out}},
		{name: "Vikram Demo", purpose: "Tool kit for a repair", item: "Tool kit", serial: "T-0007", back: time.Hour,
			after: []string{approved, out}},
		{name: "L. Das Demo", purpose: "Post office", back: 5 * day, after: []string{approved, out, in}},
		{name: "H. Singh Demo", purpose: "Private errand during the shift", back: day, after: []string{refused}},
	}
}

func loadDemo(ctx context.Context, s platform.Stage) error {
	for _, g := range guests() {
		if err := g.ask(ctx, s); err != nil {
			return fmt.Errorf("a pass for %s: %w", g.name, err)
		}
	}
	return nil
}

// now is what time it is in the demonstration, whose clock is fast.
func now(ctx context.Context, s platform.Stage) (time.Time, error) {
	var here struct {
		At time.Time `json:"as_of"`
	}
	err := s.Call(ctx, identity.Gate, http.MethodGet, rest.Base+"/sites/main/onsite", nil, &here)
	return here.At, err
}

// ask has HR ask for a pass, and others do what becomes of it.
func (g guest) ask(ctx context.Context, s platform.Stage) error {
	at, err := now(ctx, s)
	if err != nil {
		return err
	}
	back, until := g.back > 0, at.Add(30*24*time.Hour)
	want := rest.CreateBody{PersonName: g.name, Description: g.purpose, IsReturnable: &back, ValidUntil: &until}
	if back {
		due := at.Add(g.back)
		want.ExpectedReturnAt = &due
	}
	if g.item != "" {
		want.Type, want.Items = "material", []rest.ItemBody{{Name: g.item, Qty: 1, Serial: g.serial, Returnable: back}}
	}
	var made rest.PassBody
	if err := s.Call(ctx, identity.HR, http.MethodPost, rest.Base+"/hr/gatepass/create", want, &made); err != nil {
		return err
	}
	for _, what := range g.after {
		if err := become(ctx, s, made.PassNumber, what); err != nil {
			return err
		}
	}
	return nil
}

// become has an administrator decide, or a guard scan.
func become(ctx context.Context, s platform.Stage, number, what string) error {
	if what == approved || what == refused {
		return s.Call(ctx, identity.PassAdmin, http.MethodPost, rest.Base+"/admin/gatepass/"+number+"/"+what,
			rest.ActBody{Reason: "Decided in a demonstration."}, nil)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("pass_number", number) // a buffer takes everything
	w, err := form.CreateFormFile("photo", "photo.jpg")
	if err != nil {
		return err
	}
	if err := jpeg.Encode(w, nobody(number), nil); err != nil {
		return err
	}
	if err := form.Close(); err != nil {
		return err
	}
	return s.Send(ctx, identity.Gate, rest.Base+"/gate/"+what, form.FormDataContentType(), body.Bytes(), nil)
}

// nobody is a photo of nobody: a head and shoulders, in a colour of the pass's.
func nobody(number string) image.Image {
	const side = 240
	shade := number[len(number)-1]*16 + 60
	p := image.NewRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			dx, dy := x-side/2, y-90
			body := dx*dx/2 + (y-250)*(y-250)
			c := color.RGBA{R: 225, G: 228, B: 232, A: 255}
			if dx*dx+dy*dy < 45*45 || body < 90*90 {
				c = color.RGBA{R: shade, G: 110, B: 255 - shade, A: 255}
			}
			p.SetRGBA(x, y, c)
		}
	}
	return p
}

// demoEvery is how often something happens at the gate, by the demonstration's clock.
const demoEvery = 6 * time.Hour

// mostWaiting is how many passes wait for the visitor; no more are asked for then.
const mostWaiting = 4

// playDemo has people go on asking, leaving and coming back. A server that is away is told the next time.
func playDemo(ctx context.Context, s platform.Stage) error {
	more := []guest{{name: "Meena Demo", purpose: "Samples to the laboratory", item: "Sample box", serial: "S-88", back: 30 * time.Hour},
		{name: "J. Thomas Demo", purpose: "Meeting in town", back: 20 * time.Hour}, {name: "K. Bano Demo", purpose: "End of the contract"}}
	for n := 0; ; n++ {
		if err := s.Wait(ctx, demoEvery); err != nil {
			return err
		}
		if waiting := numbers(ctx, s, identity.PassAdmin, "/admin/gatepass/pending"); len(waiting) < mostWaiting {
			_ = more[n%len(more)].ask(ctx, s)
		}
		if ready := numbers(ctx, s, identity.HR, "/hr/gatepass/list?status=approved"); len(ready) > 1 {
			_ = become(ctx, s, ready[len(ready)-1], out)
		}
		if late := numbers(ctx, s, identity.HR, "/hr/gatepass/list?overdue=true"); len(late) > 2 {
			_ = become(ctx, s, late[0], in)
		}
	}
}

// numbers are the passes of a list; none where it cannot be read.
func numbers(ctx context.Context, s platform.Stage, as identity.Role, path string) (all []string) {
	var list []rest.PassBody
	if err := s.Call(ctx, as, http.MethodGet, rest.Base+path, nil, &list); err != nil {
		return nil
	}
	for _, p := range list {
		all = append(all, p.PassNumber)
	}
	return all
}
