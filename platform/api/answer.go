package api

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// shape makes of a whole answer to a GET what the caller asked for: some fields
// only, or nothing where they have it already.
func (x *exchange) shape() error {
	if x.route.writes() || x.direct != nil {
		return nil
	}
	if want := x.r.URL.Query().Get("fields"); want != "" && x.header.Get("Content-Type") == "application/json" {
		if err := x.cut(strings.Split(want, ",")); err != nil {
			return err
		}
	}
	if x.route.Slow || x.status >= http.StatusMultipleChoices {
		return nil
	}
	tag := x.header.Get("ETag")
	if tag == "" {
		tag = web.Tag(x.answer.Bytes())
		x.header.Set("ETag", tag)
	}
	x.w.Header().Set("Cache-Control", "private, no-cache") // kept, and asked about each time
	if !x.route.Fresh && web.NotModified(x.w, x.r, tag) {
		x.direct = io.Discard
	}
	return nil
}

// cut leaves only some fields of a resource, or of each in a list.
func (x *exchange) cut(want []string) error {
	for _, name := range want {
		if !slices.Contains(x.route.shown, name) {
			return details{{Pointer: "query/fields", Code: CodeChoice, Detail: clip(name) + " is no field of it"}}.err()
		}
	}
	if !x.route.listed {
		return x.replace(cutOne(x.answer.Bytes(), want))
	}
	var page struct {
		Items []json.RawMessage `json:"items"`
		Next  string            `json:"next_page_token,omitempty"`
	}
	if err := json.Unmarshal(x.answer.Bytes(), &page); err != nil {
		return err
	}
	for i := range page.Items {
		one, err := cutOne(page.Items[i], want)
		if err != nil {
			return err
		}
		page.Items[i] = one
	}
	return x.replace(json.Marshal(page))
}

func (x *exchange) replace(text []byte, err error) error {
	x.answer.Reset()
	x.answer.Write(text)
	x.answer.WriteByte('\n')
	return err
}

// cutOne keeps the named fields of an object, in the order they are named.
func cutOne(object []byte, want []string) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(object, &all); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for _, name := range want {
		value, there := all[name]
		if !there {
			continue // left out where it is empty
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.WriteString(strconv.Quote(name) + ":")
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// setJSON makes an answer out of a value.
func (x *exchange) setJSON(status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // only values of our own come here
	}
	x.status = status
	x.header.Set("Content-Type", "application/json")
	x.answer.Write(append(body, '\n'))
}

// shownFields are the JSON names of the resource that an output shows.
func shownFields[O any]() []string {
	body, ok := reflect.TypeFor[O]().FieldByName("Body")
	if !ok || body.Type.Kind() != reflect.Struct {
		return nil
	}
	return jsonNames(body.Type)
}

// jsonNames are the names of a struct's fields, in order.
func jsonNames(t reflect.Type) []string {
	var all []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			all = append(all, jsonNames(f.Type)...)
		case f.IsExported() && name != "" && name != "-":
			all = append(all, name)
		}
	}
	return all
}

// etag is the tag of a version.
func etag(version int64) string { return strconv.Quote(strconv.FormatInt(version, 10)) }

// parseVersion reads If-Match, which is the version in quotes.
func parseVersion(tag string) (int64, error) {
	n, err := strconv.ParseInt(strings.Trim(tag, `"`), 10, 64)
	if err != nil || etag(n) != tag {
		return 0, fault.New(fault.Invalid, "If-Match %.40q is not an ETag of ours", tag)
	}
	return n, nil
}

// VersionTag is the ETag of a version, for addresses of applications.
func VersionTag(version int64) string { return etag(version) }

// VersionSeen reads an If-Match that may be left out; none is what it is then.
func VersionSeen(tag string, none int64) (int64, error) {
	if tag == "" {
		return none, nil
	}
	n, err := parseVersion(tag)
	if err == nil && n < 0 {
		err = fault.New(fault.Invalid, "If-Match %.40q is not an ETag of ours", tag)
	}
	return n, err
}

// A Raw is JSON that is passed on as it is.
type Raw json.RawMessage

// MarshalJSON is the JSON itself.
func (r Raw) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return r, nil
}

// UnmarshalJSON keeps the JSON.
func (r *Raw) UnmarshalJSON(b []byte) error {
	*r = append((*r)[:0], b...)
	return nil
}

// Schema says that it may be anything.
func (Raw) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Description: "Any JSON."} }

// failsAs tells the errors of a route in the form of its own contract.
func (a *API) failsAs(rt *Route) func(http.ResponseWriter, *http.Request, error) {
	return func(w http.ResponseWriter, r *http.Request, err error) {
		status, body := rt.Fails(r, err, a.mux.Site().Problem(r, err))
		h := w.Header()
		h.Del("ETag")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Type", "application/problem+json")
		web.ComeAgain(h, fault.KindOf(err))
		if status == http.StatusUnauthorized {
			h.Set("WWW-Authenticate", `Bearer realm="gavel"`)
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body) // the caller may have gone; there is nobody to tell
	}
}
