package console

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// Bounds of the public page: anybody may send, nothing is kept.
const (
	maxBundle = 64 << 20                    // bytes of one file; gavel verify takes larger ones
	maxUpload = 2*maxBundle + 1<<20         // bytes read before the connection is cut, so that a file over maxBundle still gets an answer
	maxSend   = 3 * time.Minute             // that sending a file may take
	tooLarge  = "the file is over 64 MiB"   // as said to people
	busy      = "other files are looked at" // as said to people
	tooMuch   = "the file unpacks to more than this page looks at"
	busyNext  = "Wait a minute and send it again, or check it with gavel verify on your own machine."
)

// ownMachine is what to do with a file that is too much for the page.
const ownMachine = "check it with gavel verify, which takes files of any size"

// A standing is how a file stands, as the page says it.
type standing string

// The standings. Each has its words under verify.is.
const (
	isGenuine    standing = "genuine"
	isAltered    standing = "altered"
	isUnproven   standing = "unproven"    // nothing contradicts, and something stayed open
	isUnknownKey standing = "unknown_key" // whole, and signed by a key that is not the one compared with
	isEarlierKey standing = "earlier_key" // whole, signed by a key that was replaced, and its export is not on record
	isFiled      standing = "filed"       // no bundle; exactly these bytes left from here
	isDraft      standing = "draft"       // the same, and they were a draft then
	isOtherKey   standing = "other_key"   // the same, and the log is not signed with the key that was brought
	isDiffering  standing = "differing"   // it says it is a report that left from here, and is not
	isBroken     standing = "broken"      // it is on record, and the log contradicts itself about that
	isNotKnown   standing = "not_known"   // no bundle, and not on record
)

// A verifyView is the public page: the form, and what a file came to.
type verifyView struct {
	own     []audit.Verifier // the institution's, the one in force first
	typed   string           // the key that was pasted
	badKey  error
	badFile error
	is      standing // empty before a file was sent
	report  *bundle.Report
	left    *leftFile // what is on record about it; nil for a bundle and for what is not known
	said    []string  // what is wrong or open, beside what the report found
	more    int       // of that, not listed
}

// A leftFile is a file that left from here, with its record.
type leftFile struct {
	audit.Departure
	audit.Verification
}

// verifyPage is the form. It needs no sign-in: what leaves is for strangers.
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
	own, err := c.ownKeys(r)
	if err != nil {
		return err
	}
	v := verifyView{own: own}
	file, err := c.takeIn(w, r, &v)
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
	}
	err = c.check(r.Context(), &v, file, trusted)
	if fault.Is(err, fault.TooLarge) {
		v = verifyView{own: own, typed: v.typed, badFile: fault.From(fault.TooLarge, err, "%s", tooMuch).WithNext("%s", ownMachine).
			Because("file_unpacks_too_large")}
		return c.showVerify(w, r, http.StatusRequestEntityTooLarge, v)
	}
	if err != nil {
		return err
	}
	return c.showVerify(w, r, http.StatusOK, v)
}

// takeIn receives a file, within the place and the time that a stranger has for
// it. Whoever gets a file removes it.
func (c *Console) takeIn(w http.ResponseWriter, r *http.Request, v *verifyView) (*os.File, error) {
	done, err := c.sends.begin(web.Network(r))
	if err != nil {
		return nil, err
	}
	defer done()
	ends := time.Now().Add(maxSend)
	control := http.NewResponseController(w) // a connection without limits of its own, in a test, needs none lifted
	_ = control.SetReadDeadline(ends)
	_ = control.SetWriteDeadline(ends.Add(time.Minute))
	rest := c.arrivals.pace()
	r.Body = &paced{ReadCloser: r.Body, began: time.Now(), now: time.Now, rest: func(n int) error { return rest(r.Context(), n) }}
	return v.receive(r)
}

// check judges a file when its turn has come.
func (c *Console) check(ctx context.Context, v *verifyView, file *os.File, trusted []audit.Verifier) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return c.checks.run(ctx, size, func(ctx context.Context, limits bundle.Limits) error {
		return c.judge(ctx, v, upload{file, size, limits}, trusted)
	})
}

// An upload is a file that arrived, and what looking at it may take.
type upload struct {
	io.ReaderAt
	size   int64
	limits bundle.Limits
}

func (c *Console) verify(ctx context.Context, file upload, keys []audit.Verifier) (*bundle.Report, error) {
	return bundle.Verify(ctx, file, file.size, bundle.Options{Sections: c.Sections, Keys: keys, Limits: file.limits})
}

// judge says how a file stands: as a bundle, which proves itself, or as a file
// that is on record. Given are the keys that the person brought; without any,
// the institution's own are taken.
func (c *Console) judge(ctx context.Context, v *verifyView, file upload, given []audit.Verifier) (err error) {
	trusted := given
	if len(given) == 0 && len(v.own) > 0 {
		trusted = v.own[:1]
	}
	if v.report, err = c.verify(ctx, file, trusted); err != nil {
		return err
	}
	switch {
	case v.report.Format == "":
		return c.recognise(ctx, v, file, file.size, given)
	case v.report.Verdict() == bundle.Genuine:
		v.is = isGenuine
		return nil
	case v.report.Verdict() == bundle.Unproven:
		v.is = isUnproven
		return nil
	case !v.report.OnlySignerFails():
		v.is = isAltered
		return nil
	}
	v.is = isUnknownKey
	if len(given) > 0 || !slices.Contains(v.own, v.report.Signer) {
		return nil
	}
	return c.judgeEarlier(ctx, v, file)
}

// judgeEarlier looks at a bundle that is signed with a key which was replaced.
// Perhaps it was replaced because it was stolen, so its signature is not enough:
// the log must know the file.
func (c *Console) judgeEarlier(ctx context.Context, v *verifyView, file upload) error {
	v.is = isEarlierKey
	if c.Log == nil {
		return nil
	}
	sum, err := blob.Parse(v.report.SHA256)
	if err != nil {
		return err
	}
	_, _, err = c.Log.FindExport(ctx, sum)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	again, err := c.verify(ctx, file, v.own)
	if err != nil {
		return err
	}
	if again.Verdict() == bundle.Genuine {
		v.report, v.is = again, isGenuine
	}
	return nil
}

// receive reads the form part by part: the key, and the file into a temporary
// one. Whoever gets a file removes it.
func (v *verifyView) receive(r *http.Request) (*os.File, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the form could not be read").Because("form_unreadable")
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, fault.New(fault.Invalid, "no file was chosen").Because("no_file")
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
				return nil, fault.New(fault.Invalid, "no file was chosen").Because("no_file")
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
		return file, fault.New(fault.TooLarge, "%s", tooLarge).WithNext("%s", ownMachine).
			Because("verify_too_large", "n", strconv.Itoa(maxBundle>>20))
	}
	return file, nil
}

// unread is why a form that breaks off could not be read.
func unread(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.From(fault.TooLarge, err, "%s", tooLarge).WithNext("%s", ownMachine).
			Because("verify_too_large", "n", strconv.Itoa(maxBundle>>20))
	}
	if slow, ok := errors.AsType[*fault.Error](err); ok {
		return slow
	}
	return fault.From(fault.Invalid, err, "the file did not arrive whole").WithNext("Send it again.").Because("form_cut")
}

// standingLook is the class and icon of a standing.
func standingLook(is standing) (class, icon string) {
	switch is {
	case isGenuine, isFiled:
		return "ok", "check"
	case isUnproven, isUnknownKey, isEarlierKey, isOtherKey, isDraft, isNotKnown:
		return "warn", "unknown"
	default:
		return "bad", "stop"
	}
}

// standingClass and standingIcon are its parts, for templates.
func standingClass(is standing) string { class, _ := standingLook(is); return class }
func standingIcon(is standing) string  { _, icon := standingLook(is); return icon }
