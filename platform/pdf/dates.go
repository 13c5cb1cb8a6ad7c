package pdf

import (
	"bytes"
	"regexp"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// dates are where a PDF of Chromium says when it was made. All other bytes follow
// from the page, the fonts and the version of the browser.
var dates = regexp.MustCompile(`/(?:CreationDate|ModDate) \(D:[0-9]{14}[+-][0-9]{2}'[0-9]{2}'\)`)

// dated puts a moment in the place of the browser's. It has the same length, so that
// the table of offsets at the end stays right.
func dated(raw []byte, made time.Time) ([]byte, error) {
	if !bytes.HasPrefix(raw, []byte("%PDF-")) || !bytes.Contains(raw[max(0, len(raw)-32):], []byte("%%EOF")) {
		return nil, fault.New(fault.Unavailable, "what the browser gave back is no PDF").WithNext("gavel doctor")
	}
	when := []byte(made.UTC().Format("20060102150405") + "+00'00'")
	head := raw[:min(len(raw), headLength)]
	for _, at := range dates.FindAllIndex(head, -1) {
		end := at[1] - 1
		copy(head[end-len(when):end], when)
	}
	return raw, nil
}

// headLength is how far into a file its dates can stand, in bytes: they are in the
// first object, after the title.
const headLength = 64 << 10
