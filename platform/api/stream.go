package api

import (
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"time"
)

// takingTime is how long a caller may take to receive a part of what is sent as
// it is made.
const takingTime = 30 * time.Second

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

// stream is what takes an answer as it is made; nothing is held back from here
// on.
func (x *exchange) stream() *patient {
	p := &patient{w: x.w, control: http.NewResponseController(x.w)}
	x.direct = p
	return p
}

// sendFile begins the answer with a file: exactly so many bytes with this digest,
// or a connection that breaks off.
func (x *exchange) sendFile(name, mediaType string, size int64, sum []byte) io.Writer {
	h := x.w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	h.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum)+":")
	h.Set("Cache-Control", "no-store")
	return x.stream()
}
