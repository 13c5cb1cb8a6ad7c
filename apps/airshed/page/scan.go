package page

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/web"
)

// A scanList is a page of scans, the newest first.
type scanList struct {
	all   []store.Scan
	after string
	next  string
}

// scans is the page of all scans.
func (g *Pages) scans(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	l := scanList{after: r.URL.Query().Get("after")}
	l.all, l.next, err = list.Part(l.after, frame.PerPage, store.Scan.ListedAt, func(from list.Cursor, most int) ([]store.Scan, error) {
		return g.Store.Scans(r.Context(), actor, from, most)
	})
	if err != nil {
		return err
	}
	p := g.TitledPage(r, "air.scans")
	return g.Site.Render(w, r, http.StatusOK, p, scansScreen(p, l))
}

// A scanView is one scan and what it found.
type scanView struct {
	store.Scan
	job   job.Job
	board *analysis.Board // nil before it is done
	words report.Speech
	keys  []surge.Key // episodes of the board that have a page
}

// scan is the page of one scan.
func (g *Pages) scan(w http.ResponseWriter, r *http.Request) error {
	p := g.Page(r)
	v, err := g.readScan(r, p)
	if err != nil {
		return err
	}
	p.Title = v.ID
	return g.Site.Render(w, r, http.StatusOK, p, scanScreen(p, v))
}

// scanNow is the part of it that moves by itself.
func (g *Pages) scanNow(w http.ResponseWriter, r *http.Request) error {
	p := g.Page(r)
	v, err := g.readScan(r, p)
	if err != nil {
		return err
	}
	p.Title = v.ID
	return g.Site.Region(w, r, p, v.region(p))
}

func (g *Pages) readScan(r *http.Request, p *web.Page) (v scanView, err error) {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return v, err
	}
	id := r.PathValue("id")
	if !store.ScanJob.IsID(id) {
		return v, fault.New(fault.NotFound, "no scan is called %.40q", id).WithNext("see the list of scans").Because("no_scan", "id", id)
	}
	if v.Scan, err = g.Store.Scan(r.Context(), actor, id); err != nil {
		return v, err
	}
	if v.job, err = g.Store.Job(r.Context(), actor, store.ScanJob, id); err != nil {
		return v, err
	}
	if v.words, err = frame.Speech(p); err != nil || v.State != job.Done {
		return v, err
	}
	board, err := g.Store.BoardOf(r.Context(), actor, v.ID)
	if err != nil {
		return v, err
	}
	v.board = &board
	v.keys, err = g.Store.Known(r.Context(), actor, board)
	return v, err
}

func (v scanView) region(p *web.Page) web.Region {
	return web.Region{ID: "scan", Object: store.ScanJob.Live(v.ID), Src: frame.ScanAddress(v.ID, "/now"), Announce: v.State == job.Running,
		Body: scanBodyScreen(p, v)}
}

// startScan has the lake looked at and leads to the scan. The form names the newest
// scan its page knew: sent twice, or by two people at once, it is one scan.
func (g *Pages) startScan(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	after := r.PostForm.Get("after")
	if after == "" || len(after) > 40 || web.Plain(after) != nil {
		return fault.New(fault.Invalid, "the form does not say which scan was the newest").WithNext("open the page again").
			Because("form_stale")
	}
	scan, _, err := g.Store.StartScan(r.Context(), actor, store.ScanRequest{Kind: store.Asked, Key: "page:after:" + after})
	return g.started(w, r, scan, err)
}

// started leads to a scan, or says on the board why there is none.
func (g *Pages) started(w http.ResponseWriter, r *http.Request, scan store.Scan, err error) error {
	if err == nil {
		http.Redirect(w, r, g.Site.Page(r).Href(frame.ScanAddress(scan.ID, "")), http.StatusSeeOther)
		return nil
	}
	if !mends(err) {
		return err
	}
	return g.showBoard(w, r, web.Status(fault.KindOf(err)), err)
}

// handIn looks at a file that somebody hands in.
func (g *Pages) handIn(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	ctx, done := web.Patient(w, r, maxSending)
	defer done()
	name, file, err := receiveFile(r)
	var scan store.Scan
	if err == nil {
		scan, _, err = g.Store.StartScan(ctx, actor, store.ScanRequest{Kind: store.Handed, Key: "page:" + rand.Text(), File: file,
			Name: name})
	}
	return g.started(w, r, scan, err)
}

// maxSending is how long sending a file and keeping it may take.
const maxSending = 5 * time.Minute

// receiveFile reads the form and the file in it.
func receiveFile(r *http.Request) (name string, file []byte, err error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return "", nil, fault.From(fault.Invalid, err, "the form could not be read").WithNext("choose the file and send the form again").
			Because("form_unreadable")
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", nil, fault.From(fault.Invalid, err, "the form did not arrive whole").WithNext("send it again").Because("form_cut")
		}
		if part.FormName() != "file" {
			continue
		}
		if file, err = readPart(part); err != nil {
			return "", nil, err
		}
		name = fileName(part.FileName())
	}
	if len(bytes.TrimSpace(file)) == 0 {
		return "", nil, fault.New(fault.Invalid, "no file was chosen, or it is empty").WithNext("choose the file and send the form again").
			Because("no_file")
	}
	return name, file, nil
}

func readPart(part *multipart.Part) ([]byte, error) {
	file, err := io.ReadAll(io.LimitReader(part, lake.MaxBytes+1))
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the file did not arrive whole").WithNext("send it again").Because("form_cut")
	}
	if len(file) > lake.MaxBytes {
		_, _ = io.Copy(io.Discard, part) // a browser reads the answer only when it has sent everything
		return nil, fault.New(fault.TooLarge, "the file has more than %d MiB", lake.MaxBytes>>20).WithNext("hand in a file of fewer hours").
			Because("file_too_large", "n", strconv.Itoa(lake.MaxBytes>>20))
	}
	return file, nil
}

// unnamed is what a file without a name that can be kept is called.
const unnamed = "file.json"

// fileName is what a file is called, as far as that can stand in a record.
func fileName(given string) string {
	name := path.Base(strings.ReplaceAll(given, `\`, "/"))
	if name == "." || name == "/" || web.Plain(name) != nil {
		return unnamed
	}
	return name
}

// doingWords are what a scan or an ingest is at, and how many steps are behind it.
func doingWords(p *web.Page, j job.Job) string {
	if j.Doing == "" {
		return p.T("air.doing.waiting")
	}
	return p.T("air.doing."+j.Doing) + " · " + p.T("air.steps", "done", strconv.Itoa(j.Done), "all", strconv.Itoa(j.Total))
}

// scanLook is the badge of how far a scan has come.
func scanLook(s store.Scan) (class, icon, word string) {
	switch {
	case s.State == job.Running:
		return "info", "dot", "running"
	case s.State == job.Refused:
		return "bad", "slash", "refused"
	case s.SameAs != "":
		return "ok", "check", "same"
	case s.Stale != "":
		return "warn", "stale", "stale"
	}
	return "ok", "check", "done"
}

// objectOf is what a scan reads, in short: the object's name, or the file's.
func objectOf(s store.Scan) string {
	switch {
	case s.Place != "":
		return lastPart(s.Place)
	case s.Object != "":
		return lastPart(s.Object)
	}
	return ""
}
