package web

import (
	"encoding/csv"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A File is what a reader takes away, or looks at beside our pages.
type File struct {
	Name, Type string
	Inline     bool // shown, not saved
	Body       []byte
}

// SendFile answers with a file, which nobody between us and the reader keeps. The browser takes it for what it is said to be and
// for nothing else.
func SendFile(w http.ResponseWriter, f File) {
	heads(w, f)
	_, _ = w.Write(f.Body) // the reader may have gone; there is nobody to tell
}

// SendCSV answers with rows as a file. A cell that a spreadsheet would take for a formula is kept from being one.
func SendCSV(w http.ResponseWriter, name string, rows [][]string) {
	heads(w, File{Name: name, Type: "text/csv; charset=utf-8"})
	lines := csv.NewWriter(w)
	for _, row := range rows {
		_ = lines.Write(harmless(row)) // the reader may have gone; there is nobody to tell
	}
	lines.Flush()
}

// CSV is the same as bytes, for who keeps or counts what leaves.
func CSV(rows [][]string) []byte {
	var out strings.Builder
	lines := csv.NewWriter(&out)
	for _, row := range rows {
		_ = lines.Write(harmless(row)) // a builder takes everything
	}
	lines.Flush()
	return []byte(out.String())
}

func heads(w http.ResponseWriter, f File) {
	way := "attachment"
	if f.Inline {
		way = "inline"
	}
	h := w.Header()
	h.Set("Content-Type", f.Type)
	h.Set("Content-Disposition", mime.FormatMediaType(way, map[string]string{"filename": f.Name}))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-store")
}

// harmless is a row of which no cell begins as a formula does.
func harmless(row []string) []string {
	row = slices.Clone(row)
	for i, cell := range row {
		if strings.IndexAny(cell, "=+-@\t\r\n") == 0 && !isNumber(cell) {
			row[i] = "'" + cell
		}
	}
	return row
}

func isNumber(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return err == nil
}
