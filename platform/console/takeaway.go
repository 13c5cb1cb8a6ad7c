package console

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// takingTime bounds how long a case is put together, and then how long it may take to send.
const takingTime = 5 * time.Minute

// maxRecipient is how long a name of who receives a case may be, in bytes.
const maxRecipient = 200

// takeAway answers with a case as one file. That it leaves, and for whom, is on record before
// its first byte, which is why it is asked for with POST.
func (c *Console) takeAway(w http.ResponseWriter, r *http.Request) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	if c.Exporter == nil {
		return fault.New(fault.Unavailable, "cases cannot be taken out of this installation").Because("not_set_up")
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	to := r.PostForm.Get("to")
	if len(to) > maxRecipient {
		return fault.New(fault.Invalid, "who receives it is named in %d bytes at most", maxRecipient).
			Because("text_too_long", "n", strconv.Itoa(maxRecipient))
	}
	making, done := context.WithTimeout(r.Context(), takingTime)
	defer done()
	b, err := c.Exporter.Export(making, actor, r.PathValue("id"), to)
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", "application/zip")
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": b.Name}))
	header.Set("Content-Length", strconv.FormatInt(b.Size, 10))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(takingTime)) // a connection without deadlines has none to set
	if err := b.Write(r.Context(), w); err != nil {
		panic(http.ErrAbortHandler) // a part must not be taken for the whole; that it left is on record
	}
	return nil
}
