package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gavelhq/gavel/platform/web"
)

// Version is the version of the API's form, in its document. The address has the
// first number of it; what is within one is only added to.
const Version = "1.0.0"

// newDocument is an empty document, and how huma reads and writes.
func newDocument() huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{Title: "Gavel", Version: Version,
				Description: "Agents do the casework; people hold the gavel. Everything here is also on the pages and in the command " +
					"line, under the same words and the same policy."},
			Servers: []*huma.Server{{URL: "/"}},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry(schemaPrefix, schemaName),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"token": {Type: "http", Scheme: "bearer",
						Description: "A token of a person or of a machine. A machine's can never decide."}},
			},
			Security: []map[string][]string{{"token": {}}},
		},
		// the second for …+json
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat},
		DefaultFormat: "application/json",
		Transformers: []huma.Transformer{func(ctx huma.Context, _ string, v any) (any, error) {
			if m, ok := v.(*huma.ErrorModel); ok {
				if x := exchangeOf(ctx.Context()); x.failed == nil {
					x.failed = x.refusal(m)
				}
			}
			return v, nil
		}},
	}
}

// schemaName names a type in the document: ours by what it is, those of other
// packages with the package's name before it; those of an application's rest with the
// application's.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := huma.DefaultSchemaNamer(t, hint)
	from := strings.TrimSuffix(t.PkgPath(), "/rest")
	if at := strings.LastIndex(from, "/"); at >= 0 && t.Name() != "" && !strings.HasSuffix(from, "/api") &&
		!strings.HasSuffix(from, "/web") {
		pkg := from[at+1:]
		return strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	return strings.ReplaceAll(name, "Body", "")
}

// document is a route as the document has it.
func (a *API) document(rt *Route) huma.Operation {
	op := huma.Operation{
		OperationID: rt.ID, Method: rt.Method, Path: rt.Path, Tags: []string{rt.Tag}, Summary: rt.Title, Description: rt.describe(),
		DefaultStatus: rt.Status, MaxBodyBytes: rt.MaxBody + 1, Parameters: rt.parameters(), Responses: map[string]*huma.Response{},
	}
	op.Responses["default"] = &huma.Response{Description: "What is wrong, and what to do about it.",
		Content: map[string]*huma.MediaType{"application/problem+json": {Schema: a.schemaOf(web.Problem{})}}}
	if rt.Method == http.MethodGet && !rt.Slow && !rt.Fresh && !rt.elsewhere {
		op.Responses["304"] = &huma.Response{Description: "It is still what If-None-Match names."}
	}
	return op
}

// describeParts says in the document what the parts of a route's body are. It comes after
// the registration: what huma has a schema of it would read as JSON.
func (a *API) describeParts(rt *Route) {
	op := a.huma.OpenAPI().Paths[rt.Path].Post
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{formMedia: {Schema: a.schemaOf(rt.Parts)}}}
}

// bodyOf is the body that an operation takes: JSON, or parts.
func bodyOf(op *huma.Operation) *huma.MediaType {
	if json, ok := op.RequestBody.Content["application/json"]; ok {
		return json
	}
	return op.RequestBody.Content[formMedia]
}

// formMedia is the type of a body in parts.
const formMedia = "multipart/form-data"

func (a *API) schemaOf(v any) *huma.Schema {
	t := reflect.TypeOf(v)
	return a.huma.OpenAPI().Components.Schemas.Schema(t, true, t.Name())
}

// describe is the route's own text and what follows from its declaration.
func (rt *Route) describe() string {
	var lines []string
	if rt.Text != "" {
		lines = append(lines, rt.Text)
	}
	switch {
	case rt.elsewhere && strings.HasPrefix(rt.Text, "For everybody"):
	case len(rt.Acts) == 0:
		lines = append(lines, "For whoever is signed in.")
	default:
		lines = append(lines, "Needs to be allowed: "+strings.Join(rt.Acts, " or ")+".")
	}
	if rt.Untried != "" && !rt.elsewhere {
		lines = append(lines, "validate_only cannot be had: "+rt.Untried+".")
	}
	if rt.Key == KeyRefused {
		lines = append(lines, keyHeader+" cannot be had: the answer holds a secret, and answers to a key are kept.")
	}
	return strings.Join(lines, "\n\n")
}

func text(most int) *huma.Schema { return &huma.Schema{Type: huma.TypeString, MaxLength: &most} }

// parameters are those that follow from the route's declaration; huma adds those
// of its input.
func (rt *Route) parameters() []*huma.Param {
	var all []*huma.Param
	if rt.elsewhere {
		return nil
	}
	add := func(in, name, words string, required bool, schema *huma.Schema) {
		all = append(all, &huma.Param{In: in, Name: name, Description: words, Required: required, Schema: schema})
	}
	if rt.Method == http.MethodGet {
		if len(rt.shown) > 0 {
			add("query", "fields", "Only these fields, with commas between: "+strings.Join(rt.shown, ", ")+".", false, text(1000))
		}
		if !rt.Slow && !rt.Fresh {
			add("header", "If-None-Match", "The ETag you have: 304 if it is still so.", false, text(1000))
		}
		return all
	}
	if rt.Untried == "" {
		add("query", "validate_only", "Check everything and do nothing.", false, &huma.Schema{Type: huma.TypeBoolean})
	}
	words := "The same request with the same key is done once, and answered alike for seven days."
	if rt.Key != KeyRefused {
		add("header", keyHeader, words, rt.Key == KeyNeeded, text(120))
	}
	if rt.Match {
		add("header", "If-Match", "The ETag of what you read: 412 if it has changed since, 428 without.", true, text(200))
	}
	return all
}

// finishDocument puts in what belongs to the whole, and takes out what huma has
// of its own.
func (a *API) finishDocument() {
	doc := a.huma.OpenAPI()
	tried := a.schemaOf(Tried{})
	for _, rt := range a.names {
		op := operationOf(doc, rt)
		a.documentAnswers(op, rt)
		documentTrial(op, rt, tried)
		documentExample(op, rt)
	}
	schemas := doc.Components.Schemas.Map()
	delete(schemas, "V2ErrorModel")
	delete(schemas, "V2ErrorDetail")
	sent := map[string]bool{}
	for _, rt := range a.names {
		if body := operationOf(doc, rt).RequestBody; body != nil {
			for _, media := range body.Content {
				reach(schemas, media.Schema, sent)
			}
		}
	}
	for name, s := range schemas {
		settle(doc.Components.Schemas.TypeFromRef(schemaPrefix+name), s)
		if !sent[name] {
			s.AdditionalProperties = nil // what is answered may grow; what is sent is read strictly
		}
	}
}

// schemaPrefix is how the document refers to its objects.
const schemaPrefix = "#/components/schemas/"

// reach notes the objects that a schema refers to, however deep.
func reach(schemas map[string]*huma.Schema, s *huma.Schema, found map[string]bool) {
	if s == nil {
		return
	}
	if name, ok := strings.CutPrefix(s.Ref, schemaPrefix); ok && !found[name] {
		found[name] = true
		reach(schemas, schemas[name], found)
	}
	reach(schemas, s.Items, found)
	for _, one := range s.OneOf {
		reach(schemas, one, found)
	}
	for _, one := range s.Properties {
		reach(schemas, one, found)
	}
}

// settle says of an object's fields what its type says: a list is a list, however
// empty, and a pointer may be null.
func settle(t reflect.Type, s *huma.Schema) {
	for _, p := range s.Properties {
		if p.Type == huma.TypeArray {
			p.Nullable = false
		}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.Properties[name]
		if f.Type.Kind() == reflect.Pointer && p != nil && p.Ref != "" && rest == "" {
			s.Properties[name] = &huma.Schema{OneOf: []*huma.Schema{{Ref: p.Ref}, {Type: "null"}}, Description: p.Description}
		}
	}
}

// documentAnswers adds the answers that the output's type does not show.
func (a *API) documentAnswers(op *huma.Operation, rt *Route) {
	if rt.listed {
		op.Responses["200"].Content["text/csv"] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	}
	for _, one := range rt.Answers {
		status := strconv.Itoa(one.Status)
		if op.Responses[status] == nil {
			op.Responses[status] = &huma.Response{}
		}
		response := op.Responses[status]
		if one.Words != "" {
			response.Description = one.Words
		}
		if response.Content == nil {
			response.Content = map[string]*huma.MediaType{}
		}
		media, schema := one.Media, &huma.Schema{Type: huma.TypeString, Format: "binary"}
		if media == "" {
			media = "application/json"
		}
		if one.Of != nil {
			schema = a.schemaOf(one.Of)
		}
		addSchema(response, media, schema)
	}
}

// addSchema adds one more thing that an answer may be.
func addSchema(r *huma.Response, media string, s *huma.Schema) {
	was := r.Content[media]
	switch {
	case was == nil || was.Schema == nil || was.Schema.Ref == "" && was.Schema.Type == "" && len(was.Schema.OneOf) == 0:
		r.Content[media] = &huma.MediaType{Schema: s}
	case len(was.Schema.OneOf) > 0:
		was.Schema.OneOf = append(was.Schema.OneOf, s)
	default:
		was.Schema = &huma.Schema{OneOf: []*huma.Schema{was.Schema, s}}
	}
}

// documentTrial adds what trying a write answers.
func documentTrial(op *huma.Operation, rt *Route, tried *huma.Schema) {
	if !rt.writes() || rt.Untried != "" {
		return
	}
	response := op.Responses["200"]
	if response == nil {
		response = &huma.Response{Description: "With validate_only=true: it would be done."}
		op.Responses["200"] = response
	}
	if response.Content == nil {
		response.Content = map[string]*huma.MediaType{}
	}
	addSchema(response, "application/json", tried)
}

func documentExample(op *huma.Operation, rt *Route) {
	if rt.Body == "" || op.RequestBody == nil {
		return
	}
	var example any
	if err := json.Unmarshal([]byte(rt.Body), &example); err != nil {
		panic("api: the example of " + rt.ID + " is no JSON: " + err.Error()) // a mistake in the program
	}
	bodyOf(op).Example = example
}

func operationOf(doc *huma.OpenAPI, rt *Route) *huma.Operation {
	item := doc.Paths[rt.Path]
	switch rt.Method {
	case http.MethodGet:
		return item.Get
	case http.MethodPost:
		return item.Post
	case http.MethodPut:
		return item.Put
	case http.MethodPatch:
		return item.Patch
	case http.MethodDelete:
		return item.Delete
	}
	panic("api: " + rt.ID + " has the method " + rt.Method) // a mistake in the program
}

// Document is the OpenAPI document of everything that was registered.
func (a *API) Document() []byte { return slices.Clone(a.text) }

// writeDocument writes it, indented so that a change in it can be read.
func (a *API) writeDocument() []byte {
	text, err := json.Marshal(a.huma.OpenAPI())
	var out bytes.Buffer
	if err == nil {
		err = json.Indent(&out, text, "", "  ")
	}
	if err != nil {
		panic("api: the document cannot be written: " + err.Error()) // a mistake in the program
	}
	out.WriteByte('\n')
	return out.Bytes()
}

func (a *API) serveDocument(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-cache")
	if web.NotModified(w, r, web.Tag(a.text)) {
		return nil
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(a.text) // the caller may have gone; there is nobody to tell
	return nil
}
