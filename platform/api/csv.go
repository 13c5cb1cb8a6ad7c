package api

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// maxRows is the most that one file holds; rowsAtOnce is how many are read at a
// time.
const (
	maxRows    = 10_000
	rowsAtOnce = 200
)

// sendCSV answers with all the filtered rows as a file: exactly those that the
// pages of the list would show, to who may carry it away. A list that is longer
// than a file may be is refused: nobody takes a part for the whole. It is asked
// for by a link, so it changes nothing and leaves no record: it is what the reader
// could copy from the pages.
func sendCSV[T any](x *exchange, who identity.Actor, read func(after string, limit int) ([]T, string, error), after string) error {
	if err := x.mayCarry(who); err != nil {
		return err
	}
	cols, err := x.columns(reflect.TypeFor[T]())
	if err != nil {
		return err
	}
	rows := [][]string{names(cols)}
	for {
		items, next, err := read(after, rowsAtOnce)
		if err != nil {
			return err
		}
		for _, item := range items {
			rows = append(rows, row(cols, reflect.ValueOf(item)))
		}
		if next == "" {
			break
		}
		if len(rows) > maxRows {
			return fault.New(fault.TooLarge, "the list has over %d rows", maxRows).WithNext("narrow it with filters, or read it in pages")
		}
		after = next
	}
	x.letGo(web.CSV(rows))
	return nil
}

// mayCarry asks policy whether somebody may take a list out as a file.
func (x *exchange) mayCarry(who identity.Actor) error {
	if x.api.May == nil {
		return fault.New(fault.Unavailable, "files of lists are not set up on this server")
	}
	return x.api.May(who, "list.export")
}

// letGo makes a file the answer.
func (x *exchange) letGo(file []byte) {
	x.direct = new(bytes.Buffer) // what huma writes of the empty page is not sent
	h := x.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="gavel-`+strings.ToLower(x.route.ID)+`.csv"`)
	h.Set("Cache-Control", "no-store")
	_, _ = x.w.Write(file) // the caller may have gone; there is nobody to tell
}

// A column is one field of a row: its name, with those it lies within, and where
// it is.
type column struct {
	name string
	path []int
}

// columns are the fields of a resource as a table has them: those of an object
// inside it by name.name. What is a list of objects is JSON in one cell.
func (x *exchange) columns(t reflect.Type) ([]column, error) {
	all := columnsOf(t, "", nil)
	want := x.r.URL.Query().Get("fields")
	if want == "" {
		return all, nil
	}
	var some []column
	for _, field := range strings.Split(want, ",") {
		at := len(some)
		for _, c := range all {
			if c.name == field || strings.HasPrefix(c.name, field+".") {
				some = append(some, c)
			}
		}
		if len(some) == at {
			return nil, details{{Pointer: "query/fields", Code: CodeChoice, Detail: clip(field) + " is no field of it"}}.err()
		}
	}
	return some, nil
}

func columnsOf(t reflect.Type, prefix string, path []int) []column {
	var all []column
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		at := append(slices.Clone(path), i)
		if f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[time.Time]() {
			all = append(all, columnsOf(f.Type, prefix+name+".", at)...)
			continue
		}
		all = append(all, column{prefix + name, at})
	}
	return all
}

func names(cols []column) []string {
	all := make([]string, len(cols))
	for i, c := range cols {
		all[i] = c.name
	}
	return all
}

func row(cols []column, item reflect.Value) []string {
	cells := make([]string, len(cols))
	for i, c := range cols {
		cells[i] = cell(item.FieldByIndex(c.path))
	}
	return cells
}

// cell is a value as text.
func cell(v reflect.Value) string {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	switch one := v.Interface().(type) {
	case time.Time:
		return one.UTC().Format(time.RFC3339Nano)
	case encoding.TextMarshaler:
		text, err := one.MarshalText()
		if err == nil {
			return string(text)
		}
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int64, reflect.Int32:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			return joined(v)
		}
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		panic(err) // the same value is marshalled for JSON
	}
	return string(text)
}

func joined(v reflect.Value) string {
	parts := make([]string, v.Len())
	for i := range parts {
		parts[i] = v.Index(i).String()
	}
	return strings.Join(parts, " ")
}
