package list

import (
	"cmp"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// A field is one thing that narrows a list.
type field struct {
	Query string // its name in the API
	Page  string // its name on a page

	value reflect.Value
	enum  []string
	most  int // characters
}

// isSwitch reports whether it is on or off, and not a text.
func (f field) isSwitch() bool { return f.value.Kind() == reflect.Bool }

// fields are what narrows a list, of a pointer to its struct, in order.
func fields(filter any) []field {
	v := reflect.ValueOf(filter).Elem()
	var out []field
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		f := field{Query: tag.Get("query"), value: v.Field(i)}
		f.Page = cmp.Or(tag.Get("page"), f.Query)
		if enum := tag.Get("enum"); enum != "" {
			f.enum = strings.Split(enum, ",")
		}
		f.most, _ = strconv.Atoi(cmp.Or(tag.Get("maxLength"), "100"))
		if f.Query != "" {
			out = append(out, f)
		}
	}
	return out
}

// set gives it a value as a page has it.
func (f field) set(text string) error {
	switch {
	case f.isSwitch():
		f.value.SetBool(text == "yes")
	case text != "" && f.enum != nil && !slices.Contains(f.enum, text):
		return fault.New(fault.Invalid, "%s cannot be %.20q", f.Page, text).WithNext("use one of: %s", strings.Join(f.enum, ", ")).
			Because("filter_choice", "filter", f.Page, "value", text, "choices", strings.Join(f.enum, ", "))
	case !sound(text) || utf8.RuneCountInString(text) > f.most:
		return fault.New(fault.Invalid, "%s has at most %d characters, and no others than people write", f.Page, f.most).
			WithNext("begin the list anew").Because("filter_too_long", "n", strconv.Itoa(f.most))
	default:
		f.value.SetString(text)
	}
	return nil
}

// text is its value, with a word for on.
func (f field) text(on string) string {
	switch {
	case !f.isSwitch():
		return f.value.String()
	case f.value.Bool():
		return on
	}
	return ""
}

// Read takes what narrows a list from the address of a page, into a pointer to its struct.
func Read(q url.Values, filter any) error {
	for _, f := range fields(filter) {
		if f.Page == "-" {
			continue
		}
		if err := f.set(q.Get(f.Page)); err != nil {
			return err
		}
	}
	return nil
}

// Pairs are names and values by turns, as the address of a page has them; for web.Address,
// which leaves out what is empty.
func Pairs(filter any) (out []string) {
	for _, f := range fields(filter) {
		if f.Page != "-" {
			out = append(out, f.Page, f.text("yes"))
		}
	}
	return out
}

// Queries are the same as the API takes them.
func Queries(filter any) (out []string) {
	for _, f := range fields(filter) {
		out = append(out, f.Query, f.text("true"))
	}
	return out
}
