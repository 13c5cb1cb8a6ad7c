package page

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// Bounds of a file that is sent by a form.
const (
	maxImport  = intake.MaxBytes + 1<<20 // bytes of the form around it
	maxSending = 5 * time.Minute         // that sending and taking it in may take
	maxField   = 200                     // bytes of every other field
)

// importRoutes registers the pages of imports.
//
// The file stays with whoever sends it: the form on the page still holds it when
// the preview has come, and sends it again with the digest of what was previewed.
// A copy kept in the page would carry everybody's address through it twice, and
// one kept on the server would be a second place for personal data. Without script
// the browser forgets the file, so the page asks for it again; the digest sees to
// it that it is the same.
func (g *Pages) importRoutes(m *web.Mux) {
	m.Handle("GET "+importAt, g.importForm, web.Needs(programme.ActChange))
	m.Handle("GET "+importAt+"/records", g.importRecords, web.Needs(programme.ActChange))
	m.Handle("POST "+importAt+"/preview", g.importPreview, web.Needs(programme.ActChange), web.MaxBody(maxImport), web.Streaming())
	m.Handle("POST "+importAt, g.importFile, web.Needs(programme.ActChange), web.MaxBody(maxImport), web.Streaming())
	m.Handle("POST "+importAt+"/current", g.importCurrent, web.Needs(programme.ActChange), web.MaxBody(maxSmallForm))
}

// An importView is the form, and what came of one that was sent.
type importView struct {
	sent    record.Handover // without the file's bytes
	syncs   []record.Sync
	preview *record.Preview // what it would change
	did     *record.Preview // what it has changed
	current intake.Kind
	fault   error
}

func (g *Pages) importForm(w http.ResponseWriter, r *http.Request) error {
	v := importView{sent: record.Handover{Kind: intake.Employees, Whole: true}}
	if kind, err := intake.ParseKind(r.URL.Query().Get("kind")); err == nil {
		v.sent.Kind = kind
	}
	if kind, err := intake.ParseKind(r.URL.Query().Get("current")); err == nil {
		v.current = kind
	}
	return g.showImport(w, r, http.StatusOK, v)
}

// importRecords is how fresh the records are, which changes with an import.
func (g *Pages) importRecords(w http.ResponseWriter, r *http.Request) error {
	v, err := g.readSyncs(r, importView{})
	if err != nil {
		return err
	}
	p := g.headed(r, "pool.import")
	return g.site.Region(w, r, p, v.region(p))
}

func (v importView) region(p *web.Page) web.Region {
	return web.Region{ID: "records", Object: store.PassJob.Live("*"), Src: importAt + "/records", Body: importSyncs(p, v)}
}

// readSyncs fills in how fresh the records are, for whoever may read that: the
// staff system may hand records over and not read them.
func (g *Pages) readSyncs(r *http.Request, v importView) (importView, error) {
	actor, err := whoAsks(r)
	if err != nil {
		return v, err
	}
	v.syncs, err = g.store.Syncs(r.Context(), actor)
	if fault.Is(err, fault.Refused) {
		err = nil
	}
	return v, err
}

func (g *Pages) showImport(w http.ResponseWriter, r *http.Request, status int, v importView) error {
	v, err := g.readSyncs(r, v)
	if err != nil {
		return err
	}
	p := g.headed(r, "pool.import")
	if web.WantsRegion(r) {
		return g.site.Answer(w, r, status, p, v.region(p), importInstead(p, v))
	}
	return g.site.Render(w, r, status, p, importScreen(p, v, r.Method == http.MethodPost))
}

// importPreview says what a file would change.
func (g *Pages) importPreview(w http.ResponseWriter, r *http.Request) error {
	return g.takeFile(w, r, func(ctx context.Context, actor identity.Actor, in sentFile, v *importView) error {
		p, err := g.store.Preview(ctx, actor, in.Handover)
		v.preview = &p
		return err
	})
}

// importFile does what a preview said. Where the records moved meanwhile, or the
// file is another, the page shows what it would change now.
func (g *Pages) importFile(w http.ResponseWriter, r *http.Request) error {
	return g.takeFile(w, r, func(ctx context.Context, actor identity.Actor, in sentFile, v *importView) error {
		p, err := g.store.Import(ctx, actor, in.Handover, in.sha256)
		if err == nil {
			v.did = &p
			return nil
		}
		if now, again := g.store.Preview(ctx, actor, in.Handover); again == nil {
			v.preview = &now
		}
		return err
	})
}

// takeFile receives a form with a file, within its bounds, has something done
// with it, and shows how that ended.
func (g *Pages) takeFile(w http.ResponseWriter, r *http.Request, do func(context.Context, identity.Actor, sentFile,
	*importView) error) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	ctx, done := web.Patient(w, r, maxSending)
	defer done()
	var v importView
	in, err := receiveFile(r)
	v.sent = in.Handover
	v.sent.File = nil
	if err == nil {
		err = do(ctx, actor, in, &v)
	}
	if err != nil && !mends(err) {
		return err
	}
	if v.fault = err; err != nil && v.preview != nil && v.preview.SHA256 == "" {
		v.preview = nil
	}
	status := http.StatusOK
	if err != nil {
		status = web.Status(fault.KindOf(err))
	}
	return g.showImport(w, r, status, v)
}

// A sentFile is what the form holds.
type sentFile struct {
	record.Handover
	sha256 string
}

// receiveFile reads the form into memory: a file of people's addresses is not left
// lying about as a temporary one.
func receiveFile(r *http.Request) (in sentFile, err error) {
	in.Kind = intake.Employees
	parts, err := r.MultipartReader()
	if err != nil {
		return in, fault.From(fault.Invalid, err, "the form could not be read").Because("form_unreadable")
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = in.take(part)
		}
		if err != nil {
			return in, err
		}
	}
	if len(in.File) == 0 {
		return in, fault.New(fault.Invalid, "no file was chosen, or it is empty").WithNext("choose the file and send the form again").
			Because("no_file")
	}
	return in, nil
}

// take reads one field.
func (in *sentFile) take(part *multipart.Part) error {
	if part.FormName() == "file" {
		file, err := io.ReadAll(io.LimitReader(part, intake.MaxBytes+1))
		if err != nil {
			return fault.From(fault.Invalid, err, "the file did not arrive whole").WithNext("send it again").Because("form_cut")
		}
		if len(file) > intake.MaxBytes {
			_, _ = io.Copy(io.Discard, part) // a browser reads the answer only when it has sent everything
			return fault.New(fault.TooLarge, "the file is over %d MiB", intake.MaxBytes>>20).WithNext("send it in parts").
				Because("file_too_large", "n", strconv.Itoa(intake.MaxBytes>>20))
		}
		in.File = file
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(part, maxField))
	if err != nil {
		return fault.From(fault.Invalid, err, "the form did not arrive whole").WithNext("send it again").Because("form_cut")
	}
	switch value := strings.TrimSpace(string(text)); part.FormName() {
	case "kind":
		in.Kind, err = intake.ParseKind(value)
	case "extent":
		in.Whole = value == "whole"
	case "shrink":
		in.MayShrink = value == "yes"
	case "sha256":
		in.sha256 = value
	}
	return err
}

// importCurrent is somebody's word that records are current although no file came.
func (g *Pages) importCurrent(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	kind, err := intake.ParseKind(r.PostForm.Get("kind"))
	if err == nil {
		err = g.store.Confirm(r.Context(), actor, kind)
	}
	if err != nil {
		if !mends(err) {
			return err
		}
		return g.showImport(w, r, web.Status(fault.KindOf(err)), importView{sent: record.Handover{Kind: intake.Employees, Whole: true},
			fault: err})
	}
	http.Redirect(w, r, g.site.Page(r).Href(web.Address(importAt, "current", string(kind))), http.StatusSeeOther)
	return nil
}

// refusedHow is how a form that was refused is told: what the reader can do about
// it differs.
func (v importView) refusedHow() string {
	switch {
	case fault.Is(v.fault, fault.Stale):
		return "stale"
	case v.preview != nil && v.preview.Refused > 0:
		return "lines"
	case v.preview != nil && v.preview.Shrinks:
		return "shrinks"
	}
	return "file"
}
