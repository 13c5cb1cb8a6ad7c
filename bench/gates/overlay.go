package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A mutant is the program without one check.
type mutant struct {
	check string // what is missing
	edits []edit // of every place that makes it
	shows string // what the property says then, as a regular expression
}

// An edit replaces a text that stands in a file exactly once.
type edit struct{ file, old, new string }

// caught runs the property on the mutant and says in which case, counted from
// one, it failed. It is an error if it does not, or fails for another reason
// than the missing check.
func (m mutant) caught(ctx context.Context, root string, p property) (nth int, err error) {
	shows, err := regexp.Compile(m.shows)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "gavel-gates-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	overlay, err := m.write(root, dir)
	if err != nil {
		return 0, err
	}
	out, err := p.run(ctx, root, io.Discard, "-vet=off", "-overlay", overlay)
	if err == nil {
		return 0, fmt.Errorf("%d of %d cases went as decided all the same", held(out), p.cases)
	}
	nth, ok := p.firstCase(out, shows)
	if !ok {
		return 0, fmt.Errorf("it failed, but not with %q:\n%s", m.shows, tail(out))
	}
	return nth, nil
}

// write puts the changed files and the list of them into dir, for go's -overlay,
// which then reads those in place of the real ones. The checkout stays as it is.
func (m mutant) write(root, dir string) (overlay string, err error) {
	changed, err := m.apply(root)
	if err != nil {
		return "", err
	}
	list := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range changed {
		copied := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			return "", err
		}
		list.Replace[filepath.Join(root, file)] = copied
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, raw, 0o600)
}

// apply is the text of every file that the mutant changes, changed.
func (m mutant) apply(root string) (map[string]string, error) {
	if len(m.edits) == 0 {
		return nil, errors.New("it changes nothing")
	}
	changed := map[string]string{}
	for _, e := range m.edits {
		text, ok := changed[e.file]
		if !ok {
			raw, err := os.ReadFile(filepath.Join(root, e.file)) //nolint:gosec // a file of this module, named in our table
			if err != nil {
				return nil, err
			}
			text = string(raw)
		}
		if n := strings.Count(text, e.old); n != 1 {
			return nil, fmt.Errorf("%s has this text %d times, not once; the table of mutants wants mending: %q", e.file, n, e.old)
		}
		changed[e.file] = strings.Replace(text, e.old, e.new, 1)
	}
	return changed, nil
}

// tail is the end of a long output.
func tail(out string) string {
	const most = 4000
	if len(out) > most {
		return "…" + out[len(out)-most:]
	}
	return out
}
