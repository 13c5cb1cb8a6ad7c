package bundle

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"text/template"
)

// The texts for a stranger: what a bundle is, and how to check it by hand.
//
//go:embed guide/*.md
var guides embed.FS

// guide writes README.md or VERIFY.md for a bundle.
func guide(name string, m Manifest, d *draft) ([]byte, error) {
	t, err := template.New(name).ParseFS(guides, "guide/"+name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	records := 0
	for _, f := range d.files {
		if f.Path == logName+"/"+recordsFile {
			records = bytes.Count(f.data, []byte("\n"))
		}
	}
	sections := slices.Clone(m.Sections)
	slices.SortFunc(sections, func(a, b Part) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	var b bytes.Buffer
	err = t.Execute(&b, struct {
		Manifest
		Made    string
		Parts   []Part
		Records int
	}{m, m.MadeAt.Format("2 January 2006, 15:04 MST"), sections, records})
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	return b.Bytes(), nil
}
