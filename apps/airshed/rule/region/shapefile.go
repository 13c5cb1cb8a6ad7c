package region

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// A shapefile is several files in one archive: the outlines (.shp), a table that names them
// (.dbf), and the words in which positions are given (.prj). As much of it is read as
// districts need: polygons, and cells as text.

// Bounds of an archive, beside those of any file of boundaries.
const (
	maxEntries  = 1_000
	maxWordsOf  = 64 << 10 // bytes of the words
	maxColumns  = 255
	shapeHead   = 100 // bytes
	recordHead  = 8
	outlineHead = 44 // type, box, and how many rings and positions
	tableHead   = 32
	columnBytes = 32
)

// ReadBoundaries reads districts or states of a file: GeoJSON, or a shapefile as a zip
// archive. The same land gives the same answers either way.
func ReadBoundaries(file []byte, t Terms) (*Districts, error) {
	if bytes.HasPrefix(file, []byte("PK\x03\x04")) {
		return readShapefile(file, t)
	}
	return ReadGeoJSON(file, t)
}

func readShapefile(file []byte, t Terms) (*Districts, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if len(file) > MaxFile {
		return nil, fault.New(fault.TooLarge, "a file of districts has at most %d MB", MaxFile>>20)
	}
	parts, err := unpack(file)
	if err != nil {
		return nil, err
	}
	rows, columns, err := cells(parts[".dbf"])
	if err != nil {
		return nil, err
	}
	// A table has ten characters for a column's name, and most write them in capitals.
	for _, key := range []*string{&t.District, &t.State} {
		if i := slices.IndexFunc(columns, func(c string) bool { return strings.EqualFold(c, *key) }); i >= 0 &&
			!slices.Contains(columns, *key) {
			*key = columns[i]
		}
	}
	b := builder{of: &Districts{source: Source{Name: cmp.Or(t.Name, "districts"), Licence: t.Licence, AsOf: t.AsOf, SHA256: digest(file)},
		gives: t.Gives}}
	if err := b.outlines(parts[".shp"], rows, t); err != nil {
		return nil, err
	}
	return b.done()
}

// unpack is the parts of the one shapefile of an archive, by the ends of their names.
func unpack(file []byte) (map[string][]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil || len(z.File) > maxEntries {
		return nil, fault.From(fault.Invalid, err, "the archive cannot be read, or holds more than %d files", maxEntries)
	}
	var stem string
	for _, f := range z.File {
		if hidden(f.Name) || !strings.EqualFold(path.Ext(f.Name), ".shp") {
			continue
		}
		if stem != "" {
			return nil, fault.New(fault.Invalid, "the archive holds more than one shapefile").WithNext("leave the one with districts in it")
		}
		stem = strings.TrimSuffix(f.Name, path.Ext(f.Name))
	}
	if stem == "" {
		return nil, fault.New(fault.Invalid, "the archive holds no shapefile").WithNext("pack the .shp, .dbf and .prj files together")
	}
	parts := map[string][]byte{}
	for _, f := range z.File {
		end := strings.ToLower(path.Ext(f.Name))
		most, wanted := map[string]int64{".shp": MaxFile, ".dbf": MaxFile, ".prj": maxWordsOf}[end]
		if !wanted || !strings.EqualFold(strings.TrimSuffix(f.Name, path.Ext(f.Name)), stem) {
			continue
		}
		if parts[end], err = unpacked(f, most); err != nil {
			return nil, err
		}
	}
	if parts[".dbf"] == nil {
		return nil, fault.New(fault.Invalid, "the shapefile has no table: a .dbf file names its outlines")
	}
	if words := strings.TrimSpace(string(parts[".prj"])); words != "" && !strings.HasPrefix(strings.ToUpper(words), "GEOGCS") {
		return nil, fault.New(fault.Invalid, "the shapefile is in %q", short(words)).
			WithNext("Convert it to longitude and latitude in degrees (WGS 84).")
	}
	return parts, nil
}

// hidden is what some systems put beside files.
func hidden(name string) bool {
	return strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(path.Base(name), ".")
}

// unpacked is one file of an archive, whatever size the archive says it has.
func unpacked(f *zip.File, most int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "%s of the archive cannot be opened", short(f.Name))
	}
	defer r.Close()
	body, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case int64(len(body)) > most:
		return nil, fault.New(fault.TooLarge, "%s of the archive has more than %d kB", short(f.Name), most>>10)
	case err != nil:
		return nil, fault.From(fault.Invalid, err, "%s of the archive is broken", short(f.Name))
	}
	return body, nil
}

var errTable = errors.New("the table ends too early, or is none")

// cells is the rows of a table as text by column, and its columns.
func cells(table []byte) (rows []map[string]any, columns []string, err error) {
	bad := fault.From(fault.Invalid, errTable, "the shapefile's table cannot be read")
	if len(table) < tableHead {
		return nil, nil, bad
	}
	n, head, size := int(binary.LittleEndian.Uint32(table[4:])), int(binary.LittleEndian.Uint16(table[8:])),
		int(binary.LittleEndian.Uint16(table[10:]))
	if head < tableHead || head > len(table) || size < 1 || n > (len(table)-head)/size || n > MaxPolygons {
		return nil, nil, bad
	}
	var widths []int
	at := 1 // behind the mark of a row that was deleted
	for i := tableHead; i+columnBytes <= head && table[i] != '\r' && len(columns) < maxColumns; i += columnBytes {
		column, _, _ := strings.Cut(string(table[i:i+11]), "\x00")
		columns, widths = append(columns, column), append(widths, int(table[i+16]))
		at += int(table[i+16])
	}
	if at > size || len(columns) == 0 {
		return nil, nil, bad
	}
	for i := range n {
		row, line := map[string]any{}, table[head+i*size:head+(i+1)*size]
		for j, from := 0, 1; j < len(columns); from, j = from+widths[j], j+1 {
			text := strings.Trim(string(line[from:from+widths[j]]), " \x00")
			if !utf8.ValidString(text) {
				return nil, nil, fault.New(fault.Invalid, "row %d of the shapefile's table is not UTF-8", i+1).
					WithNext("Save the shapefile with UTF-8 names.")
			}
			row[columns[j]] = text
		}
		rows = append(rows, row)
	}
	return rows, columns, nil
}

// outlines takes in the polygons of a file of outlines, each with its row of the table.
func (b *builder) outlines(shapes []byte, rows []map[string]any, t Terms) error {
	if len(shapes) < shapeHead || binary.BigEndian.Uint32(shapes) != 9994 {
		return fault.New(fault.Invalid, "the shapefile's outlines cannot be read")
	}
	n := 0
	for rest := shapes[shapeHead:]; len(rest) > 0; n++ {
		if len(rest) < recordHead {
			return cutShort(n)
		}
		size := 2 * int(binary.BigEndian.Uint32(rest[4:]))
		if size < 4 || size > len(rest)-recordHead {
			return cutShort(n)
		}
		if n >= len(rows) {
			return fault.New(fault.Invalid, "the shapefile has more outlines than its table has rows")
		}
		if err := b.outline(rest[recordHead:recordHead+size], rows[n], t); err != nil {
			words, next := fault.Words(err)
			return fault.New(fault.KindOf(err), "outline %d: %s", n+1, words).WithNext("%s", next)
		}
		rest = rest[recordHead+size:]
	}
	if n != len(rows) {
		return fault.New(fault.Invalid, "the shapefile has %d outlines and %d rows in its table", n, len(rows))
	}
	return nil
}

func cutShort(n int) error {
	return fault.New(fault.Invalid, "the shapefile's outlines end in the middle of outline %d", n+1)
}

// outline takes in one: nothing, or the rings of a polygon in any order.
func (b *builder) outline(r []byte, row map[string]any, t Terms) error {
	switch kind := binary.LittleEndian.Uint32(r); kind {
	case 0: // a row without land
		return nil
	case 5, 15, 25: // polygons, without and with heights and measures, which follow and are not read
	default:
		return fault.New(fault.Invalid, "it is a shape of kind %d, not a polygon", kind)
	}
	place, err := placeOf(feature{Properties: row}, t)
	if err != nil {
		return err
	}
	if len(r) < outlineHead {
		return fault.New(fault.Invalid, "%s ends too early", place.short())
	}
	parts, points := int(binary.LittleEndian.Uint32(r[36:])), int(binary.LittleEndian.Uint32(r[40:]))
	r = r[outlineHead:]
	if parts < 1 || points < 1 || parts > len(r)/4 || points > (len(r)-4*parts)/16 {
		return fault.New(fault.Invalid, "%s ends too early", place.short())
	}
	positions := r[4*parts:]
	rings := make([][][]float64, parts)
	for i := range rings {
		from, to := int(binary.LittleEndian.Uint32(r[4*i:])), points
		if i+1 < parts {
			to = int(binary.LittleEndian.Uint32(r[4*i+4:]))
		}
		if from < 0 || from >= to || to > points {
			return fault.New(fault.Invalid, "%s has rings that do not follow each other", place.short())
		}
		for j := from; j < to; j++ {
			rings[i] = append(rings[i], []float64{number(positions[16*j:]), number(positions[16*j+8:])})
		}
	}
	// Inside is what an odd number of rings surrounds, so islands and holes need not be told
	// apart. By the longest it is seen where the land lies.
	slices.SortStableFunc(rings, func(x, y [][]float64) int { return cmp.Compare(len(y), len(x)) })
	return b.polygon(place, rings)
}

func number(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
