package console

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/audit/bundle"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// Bounds of the public page: anybody may send, nothing is kept.
const (
	maxBundle = 64 << 20                    // bytes of one file; gavel verify takes larger ones
	maxUpload = 2*maxBundle + 1<<20         // bytes read before the connection is cut, so that a file over maxBundle still gets an answer
	maxChecks = 4                           // files being taken in and checked at once
	maxSend   = 3 * time.Minute             // that sending a file may take
	tooLarge  = "the file is over 64 MiB"   // as said to people
	busy      = "other files are looked at" // as said to people
)

// A standing is how a file stands, as the page says it.
type standing string

// The standings. Each has its words under verify.is.
const (
	isGenuine    standing = "genuine"
	isAltered    standing = "altered"
	isUnproven   standing = "unproven"    // nothing contradicts, and something stayed open
	isUnknownKey standing = "unknown_key" // whole, and signed by a key that is not the one compared with
	isNoBundle   standing = "no_bundle"
)

// A verifyView is the public page: the form, and what a file came to.
type verifyView struct {
	own     []audit.Verifier // the institution's
	typed   string           // the key that was pasted
	badKey  error
	badFile error
	is      standing // empty before a file was sent
	report  *bundle.Report
}

// verifyPage is the form. It needs no sign-in: a bundle is for strangers.
func (c *Console) verifyPage(w http.ResponseWriter, r *http.Request) error {
	own, err := c.ownKeys(r)
	if err != nil {
		return err
	}
	return c.showVerify(w, r, http.StatusOK, verifyView{own: own})
}

func (c *Console) showVerify(w http.ResponseWriter, r *http.Request, status int, v verifyView) error {
	p := c.site.Page(r)
	p.Title, p.Section = p.T("verify.title"), "audit"
	return c.site.Render(w, r, status, p, verifyBody(p, v))
}

func (c *Console) ownKeys(r *http.Request) ([]audit.Verifier, error) {
	if c.Keys == nil {
		return nil, nil
	}
	return c.Keys(r.Context())
}

// verifyFile checks a file that was sent and forgets it.
func (c *Console) verifyFile(w http.ResponseWriter, r *http.Request) error {
	select {
	case c.checks <- struct{}{}:
		defer func() { <-c.checks }()
	default:
		return fault.New(fault.TooMany, "%s", busy).WithNext("Wait a minute and send it again, or check it with gavel verify on your own machine.")
	}
	own, err := c.ownKeys(r)
	if err != nil {
		return err
	}
	ends := time.Now().Add(maxSend)
	control := http.NewResponseController(w) // a connection without limits of its own, in a test, needs none lifted
	_ = control.SetReadDeadline(ends)
	_ = control.SetWriteDeadline(ends.Add(time.Minute))
	v := verifyView{own: own}
	file, err := v.receive(r)
	if file != nil {
		defer os.Remove(file.Name())
		defer file.Close()
	}
	if err != nil && !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
		return err
	}
	v.badFile = err
	trusted, err := parseKey(v.typed)
	v.badKey = err
	switch {
	case v.badFile != nil:
		return c.showVerify(w, r, web.Status(fault.KindOf(v.badFile)), v)
	case v.badKey != nil:
		return c.showVerify(w, r, http.StatusUnprocessableEntity, v)
	case len(trusted) == 0:
		trusted = own
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	v.report, v.is = c.judge(file, size, trusted)
	return c.showVerify(w, r, http.StatusOK, v)
}

// judge checks a file. A bundle that fails only because its key is not the one
// compared with is told apart by a second look without keys.
func (c *Console) judge(file io.ReaderAt, size int64, trusted []audit.Verifier) (*bundle.Report, standing) {
	rep := bundle.Verify(file, size, bundle.Options{Sections: c.Sections, Keys: trusted})
	switch {
	case rep.Format == "":
		return rep, isNoBundle
	case rep.Verdict() == bundle.Genuine:
		return rep, isGenuine
	case rep.Verdict() == bundle.Unproven:
		return rep, isUnproven
	}
	if bundle.Verify(file, size, bundle.Options{Sections: c.Sections}).Verdict() != bundle.Altered {
		return rep, isUnknownKey
	}
	return rep, isAltered
}

// receive reads the form part by part: the key, and the file into a temporary
// one. Whoever gets a file removes it.
func (v *verifyView) receive(r *http.Request) (*os.File, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the form could not be read")
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, fault.New(fault.Invalid, "no file was chosen")
		}
		if err != nil {
			return nil, unread(err)
		}
		switch part.FormName() {
		case "key":
			text, err := io.ReadAll(io.LimitReader(part, maxKey+1))
			if err != nil {
				return nil, unread(err)
			}
			v.typed = strings.TrimSpace(strings.ToValidUTF8(string(text), ""))
		case "bundle":
			if part.FileName() == "" {
				return nil, fault.New(fault.Invalid, "no file was chosen")
			}
			return keepAside(part)
		}
	}
}

// keepAside streams a file to where the system keeps temporary ones.
func keepAside(part *multipart.Part) (*os.File, error) {
	file, err := os.CreateTemp("", "gavel-verify-*")
	if err != nil {
		return nil, err
	}
	n, err := io.Copy(file, io.LimitReader(part, maxBundle+1))
	if err != nil {
		return file, unread(err)
	}
	if n > maxBundle {
		_, _ = io.Copy(io.Discard, part) // a browser reads the answer only when it has sent everything
		return file, fault.New(fault.TooLarge, "%s", tooLarge).WithNext("check it with gavel verify, which takes files of any size")
	}
	return file, nil
}

// unread is why a form that breaks off could not be read.
func unread(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.From(fault.TooLarge, err, "%s", tooLarge).WithNext("check it with gavel verify, which takes files of any size")
	}
	return fault.From(fault.Invalid, err, "the file did not arrive whole").WithNext("Send it again.")
}

// standingLook is the class and icon of a standing.
func standingLook(is standing) (class, icon string) {
	switch is {
	case isGenuine:
		return "ok", "check"
	case isUnproven, isUnknownKey:
		return "warn", "unknown"
	default:
		return "bad", "stop"
	}
}

// standingClass and standingIcon are its parts, for templates.
func standingClass(is standing) string { class, _ := standingLook(is); return class }
func standingIcon(is standing) string  { _, icon := standingLook(is); return icon }
