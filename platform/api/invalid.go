package api

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// The codes of the single things that can be wrong with a request, in a problem's
// errors. They are a closed set and never translated.
const (
	CodeRequired    = "required"     // it is missing
	CodeUnknown     = "unknown"      // there is no such field or parameter
	CodeType        = "type"         // it is of another type
	CodeForm        = "form"         // it is not spelt as it should be
	CodeRange       = "range"        // it is too small or too large
	CodeLength      = "length"       // it is too short or too long
	CodeChoice      = "choice"       // it is none of those there are
	CodeUnreadable  = "unreadable"   // it is no JSON
	CodeUnsupported = "unsupported"  // it cannot be had here
	CodeElsewhere   = "not_one_ours" // a token of ours, but not of this list
)

// DetailCodes lists them with what they mean, for the reference.
func DetailCodes() [][2]string {
	return [][2]string{
		{CodeRequired, "it is missing"}, {CodeUnknown, "there is no such field or parameter"}, {CodeType, "it is of another type"},
		{CodeForm, "it is not spelt as it should be"}, {CodeRange, "it is too small or too large"},
		{CodeLength, "it is too short or too long"},
		{CodeChoice, "it is none of those there are"}, {CodeUnreadable, "it cannot be read as JSON"},
		{CodeUnsupported, "it cannot be had here"},
		{CodeElsewhere, "it is no token of this list, or of other filters"},
	}
}

// details are the things that are wrong with a request.
type details []web.Detail

// err is a fault that names each of them; nil where there are none.
func (d details) err() error {
	if len(d) == 0 {
		return nil
	}
	text := d[0].Detail
	if d[0].Pointer != "" {
		text = d[0].Pointer + ": " + text
	}
	if len(d) > 1 {
		text += "; and more"
	}
	return &invalid{fault.New(fault.Invalid, "%s", text), d}
}

// invalid is a fault with its details.
type invalid struct {
	fault *fault.Error
	all   details
}

// Error is the fault's.
func (e *invalid) Error() string { return e.fault.Error() }

// Unwrap is the fault.
func (e *invalid) Unwrap() error { return e.fault }

// Details is each thing that is wrong.
func (e *invalid) Details() []web.Detail { return e.all }

// maxDetails bounds how many are told.
const maxDetails = 50

// refusal turns what huma says of a request into a fault. Values are not
// repeated: they may be anybody's words.
func (x *exchange) refusal(m *huma.ErrorModel) error {
	var all details
	for _, e := range m.Errors {
		if e == nil || len(all) == maxDetails {
			continue
		}
		text, code := e.Message, codeOf(e.Message)
		if e.Location == "body" && code == CodeUnreadable {
			text = "the body is not what this address takes: it is no JSON, or more than one value"
		}
		all = append(all, web.Detail{Pointer: pointer(e.Location, e.Message), Code: code, Detail: clip(text)})
	}
	if len(all) == 0 && m.Status == http.StatusBadRequest {
		all = details{{Code: CodeRequired, Detail: "the request needs a body"}}
	}
	if err := all.err(); err != nil {
		return err
	}
	return fault.New(fault.Internal, "huma refused a request: %s", m.Detail)
}

// codeOf names the kind of a message of huma's; TestEveryMessageHasItsCode holds
// it to the list of them.
func codeOf(message string) string {
	for _, m := range []struct{ start, code string }{
		{"required ", CodeRequired}, {"expected required property", CodeRequired}, {"expected property", CodeRequired},
		{"unexpected property", CodeUnknown}, {"unknown query parameter", CodeUnknown},
		{"expected string to ", CodeForm}, {"expected duration", CodeForm},
		{"expected value to be one of", CodeChoice},
		{"expected number >", CodeRange}, {"expected number <", CodeRange}, {"expected number to be a multiple", CodeRange},
		{"expected length", CodeLength}, {"expected array length", CodeLength}, {"expected object with", CodeLength},
		{"expected array items", CodeForm},
		{"expected ", CodeType}, {"invalid integer", CodeType}, {"invalid number", CodeType}, {"invalid boolean", CodeType},
		{"invalid float", CodeType},
		{"invalid date", CodeForm}, {"invalid ", CodeUnreadable},
	} {
		if strings.HasPrefix(message, m.start) {
			return m.code
		}
	}
	return CodeUnreadable
}

// pointer is a place as clients find it: a JSON Pointer into the body, and
// "query/name" and the like elsewhere.
func pointer(location, message string) string {
	where, rest, _ := strings.Cut(location, ".")
	if where != "body" {
		return clip(where + "/" + rest)
	}
	var p strings.Builder
	for _, part := range strings.FieldsFunc(rest, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		p.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	if name, ok := strings.CutPrefix(message, "expected required property "); ok {
		p.WriteString("/" + strings.TrimSuffix(name, " to be present"))
	}
	return clip(p.String())
}

// clip bounds what is repeated to a caller.
func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
