package bundle

import (
	"bytes"

	"github.com/gavelhq/gavel/platform/fault"
)

// EarlierLines reads a file of lines that a section before this one put in, so
// that both can be of one moment.
func EarlierLines[T any](w *Writer, section, name string) ([]T, error) {
	for _, f := range w.d.files {
		if f.Path != section+"/"+name || f.open != nil {
			continue
		}
		var items []T
		for line := range bytes.Lines(f.data) {
			var one T
			if err := Decode(bytes.TrimSuffix(line, []byte("\n")), &one); err != nil {
				return nil, fault.New(fault.Internal, "%s: %w", f.Path, err)
			}
			items = append(items, one)
		}
		return items, nil
	}
	return nil, fault.New(fault.Internal, "section %s reads %s/%s, which nobody put in before", w.section, section, name)
}
