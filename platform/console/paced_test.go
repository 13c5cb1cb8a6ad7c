package console

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// TestABodyThatCrawlsIsBrokenOff: a place is not held by a byte now and then.
func TestABodyThatCrawlsIsBrokenOff(t *testing.T) {
	for name, tt := range map[string]struct {
		perSecond int
		whole     bool
	}{"crawls": {slowest / 2, false}, "walks": {slowest * 2, true}} {
		at := time.Unix(0, 0)
		p := &paced{ReadCloser: io.NopCloser(strings.NewReader(strings.Repeat("x", 60*tt.perSecond))), began: at,
			now: func() time.Time { return at }}
		var err error
		for range 61 {
			at = at.Add(time.Second)
			if _, err = io.ReadFull(p, make([]byte, tt.perSecond)); err != nil {
				break
			}
		}
		if whole := err == io.EOF; whole != tt.whole || !whole && !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v after %s", name, err, at.Sub(time.Unix(0, 0)))
		}
	}
}
