package lake

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fault"
)

// Write is the object as a file: canonical, so that the same content has the same
// bytes whatever order its rows had. Reading it and writing again changes nothing.
func (o *Object) Write() ([]byte, error) {
	parts, err := o.Parts()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	join(&b, parts)
	if b.Len() > MaxBytes {
		return nil, fault.New(fault.TooLarge, "a lake object of %d bytes: at most %d", b.Len(), MaxBytes)
	}
	return b.Bytes(), nil
}

// join writes parts as a file. The writer keeps what it is given in memory and
// cannot fail.
func join(to io.Writer, parts []Part) {
	for i, p := range parts {
		before := ",\n"
		if i == 0 {
			before = "{"
		}
		_, _ = io.WriteString(to, before+quoted(p.Name)+":")
		_, _ = to.Write(p.Bytes)
	}
	_, _ = io.WriteString(to, "}\n")
}

// Digest is the SHA-256, in hex, of the file that parts make: what Write gives.
func Digest(parts []Part) string {
	sum := sha256.New()
	join(sum, parts)
	return hex.EncodeToString(sum.Sum(nil))
}

// A Part is one part of an object in canonical form.
type Part struct {
	Name  string
	Rows  int // 1 for what is no list, 0 where it is missing
	Bytes []byte
}

// SHA256 is the part's digest in hex, empty where it is missing.
func (p Part) SHA256() string {
	if string(p.Bytes) == "null" {
		return ""
	}
	sum := sha256.Sum256(p.Bytes)
	return hex.EncodeToString(sum[:])
}

// Parts are all parts of the object in canonical form, in the order of the file.
func (o *Object) Parts() ([]Part, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := o.Sorted()
	parts := []Part{
		{"format", 1, []byte(quoted(Format))},
		{"timestamp", 1, []byte(quoted(stamp(o.Time)))},
		{AirPart, len(s.Air), list(s.Air, Air.write)},
		{FiresPart, len(s.Fires), list(s.Fires, Fire.write)},
		{"nasa_window", 0, []byte("null")},
		{StubblePart, 0, []byte("null")},
		{WindPart, 0, []byte("null")},
		{CloudPart, len(s.Cloud), list(s.Cloud, Cloud.write)},
		{SourcesPart, len(s.Sources), list(s.Sources, Source.write)},
		{"dropped", len(s.Dropped), list(s.Dropped, Drop.write)},
	}
	if !o.Looked.IsZero() {
		parts[4] = Part{"nasa_window", 1, o.Looked.write(nil)}
	}
	if o.Stubble != nil {
		parts[5] = Part{StubblePart, 1, o.Stubble.write(nil)}
	}
	if o.Wind != nil {
		parts[6] = Part{WindPart, o.Wind.size() * len(o.Wind.levels), o.Wind.write(nil)}
	}
	return parts, nil
}

// Sorted is the object with its rows in the order of the file.
func (o *Object) Sorted() *Object {
	s := *o
	s.Air, s.Fires, s.Cloud = inOrder(o.Air, Air.before), inOrder(o.Fires, Fire.earlier), inOrder(o.Cloud, Cloud.before)
	s.Sources, s.Dropped = inOrder(o.Sources, Source.before), inOrder(o.Dropped, Drop.before)
	if len(s.Cloud) == 0 {
		s.Cloud = nil
	}
	if len(s.Sources) == 0 {
		s.Sources = nil
	}
	if len(s.Dropped) == 0 {
		s.Dropped = nil
	}
	return &s
}

// inOrder is rows in an order; what is in it already is not copied.
func inOrder[T any](rows []T, before func(a, b T) int) []T {
	if slices.IsSortedFunc(rows, before) {
		return rows
	}
	rows = slices.Clone(rows)
	slices.SortFunc(rows, before)
	return rows
}

func (c Cloud) before(o Cloud) int {
	return cmp.Or(c.Time.Compare(o.Time), cmp.Compare(c.Lat, o.Lat), cmp.Compare(c.Lon, o.Lon), cmp.Compare(c.Fraction, o.Fraction))
}

func (s Source) before(o Source) int {
	return cmp.Or(cmp.Compare(s.Name, o.Name), s.Fetched.Compare(o.Fetched), cmp.Compare(s.URL, o.URL), cmp.Compare(s.SHA256, o.SHA256),
		cmp.Compare(s.Bytes, o.Bytes), boolean(s.Stale)-boolean(o.Stale), cmp.Compare(s.Note, o.Note))
}

func (d Drop) before(o Drop) int {
	return cmp.Or(cmp.Compare(d.Part, o.Part), cmp.Compare(d.Reason, o.Reason), cmp.Compare(d.Count, o.Count))
}

// list writes rows, one a line; nil is null.
func list[T any](rows []T, write func(T, []byte) []byte) []byte {
	if rows == nil {
		return []byte("null")
	}
	b := []byte("[")
	for i, r := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = write(r, append(b, '\n'))
	}
	return append(b, ']')
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func quoted(s string) string {
	b, _ := json.Marshal(s) // text always has a form
	return string(b)
}

// A line is one object that is being written, key by key.
type line []byte

func (l *line) key(name string) {
	if len(*l) > 0 && (*l)[len(*l)-1] != '{' {
		*l = append(*l, ',')
	}
	*l = append(append(append(*l, '"'), name...), '"', ':')
}

// text writes a text that is not empty.
func (l *line) text(name, s string) {
	if s != "" {
		l.key(name)
		*l = append(*l, quoted(s)...)
	}
}

// number writes a number.
func (l *line) number(name string, n float64) {
	l.key(name)
	*l = strconv.AppendFloat(*l, n+0, 'f', -1, 64)
}

// some writes a number that is not 0.
func (l *line) some(name string, n float64) {
	if n != 0 {
		l.number(name, n)
	}
}

func (l *line) moment(name string, t time.Time) {
	if !t.IsZero() {
		l.text(name, stamp(t))
	}
}

func (l *line) mark(name string, is bool) {
	if is {
		l.key(name)
		*l = append(*l, "true"...)
	}
}

func (a Air) write(to []byte) []byte {
	l := line(append(to, '{'))
	l.text("site_id", string(a.Site))
	l.text("station", a.Station)
	l.moment("timestamp", a.Time)
	l.some("aqi", float64(a.Index))
	for _, v := range a.Values {
		l.key(columnOf(v.Pollutant))
		l = append(l, v.Amount.String()...)
	}
	if a.Lat != 0 || a.Lon != 0 {
		l.number("latitude", a.Lat)
		l.number("longitude", a.Lon)
	}
	l.text("basis", string(a.Basis))
	l.mark("derived", a.Derived)
	return append(l, '}')
}

// columnOf is the key of a pollutant in a row of air.
func columnOf(p aqi.Pollutant) string {
	return [...]string{"pm25", "pm10", "no2", "o3", "co", "so2", "nh3"}[p]
}
