package program

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/gavelhq/gavel/platform/web"
)

// mostTrials is how many things to try are printed.
const mostTrials = 3

// trials are the first things to try, in words: the first of every application, then
// the second of each, as far as they are printed.
func (c *cli) trials() (all []string) {
	said, err := web.LoadCatalogue(c.apps.messages()...)
	if err != nil {
		return nil // the server, which is up, has read them
	}
	for n := range mostTrials {
		for _, a := range c.apps {
			if a.Demo != nil && n < len(a.Demo.Try) && len(all) < mostTrials {
				t := a.Demo.Try[n]
				all = append(all, fmt.Sprintf("as %s: %s", strings.ReplaceAll(string(t.As), "_", " "), said.Text(web.English, t.Key)))
			}
		}
	}
	return all
}

// A progressLine shows what is being done on one line, which the next takes the place
// of. Where nobody watches it shows nothing.
type progressLine struct {
	to   io.Writer
	live bool
}

// Write shows the last line of what is written.
func (p *progressLine) Write(text []byte) (int, error) {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if p.live {
		fmt.Fprintf(p.to, "\r\x1b[K%s", lines[len(lines)-1])
	}
	return len(text), nil
}

func (p *progressLine) clear() {
	if p.live {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}
