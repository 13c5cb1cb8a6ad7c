package api

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// A reference is the document as a page shows it. Its texts are the document's,
// in English; what stands around them is in the reader's language.
type reference struct {
	base    string
	groups  []refGroup
	objects []refObject
	codes   []refCode
	details [][2]string
}

type refGroup struct {
	title, anchor string
	ops           []refOp
}

type refOp struct {
	id, method, path, title string
	text                    []string
	params                  []refParam
	body                    string // the name of its object
	curl                    string
	answers                 []refAnswer
}

type refParam struct{ name, in, words, need string }

type refAnswer struct{ status, words, object string }

type refObject struct {
	name   string
	fields []refField
}

type refField struct {
	name, kind, object, words string
	required                  bool
}

type refCode struct {
	code, sentence, status string
	retry                  bool
}

func (a *API) serveReference(w http.ResponseWriter, r *http.Request) error {
	p := a.mux.Site().Page(r)
	p.Title = p.T("reference.title")
	return a.mux.Site().Render(w, r, http.StatusOK, p, referenceBody(p, a.page))
}

// readReference reads the page out of the document.
func (a *API) readReference() reference {
	doc := a.huma.OpenAPI()
	ref := reference{base: strings.TrimSuffix(a.PublicURL, "/"), details: DetailCodes()}
	groups := map[string][]refOp{}
	for _, rt := range a.names {
		groups[rt.Tag] = append(groups[rt.Tag], a.refOp(operationOf(doc, rt), rt))
	}
	for _, tag := range slices.Sorted(maps.Keys(groups)) {
		ops := groups[tag]
		slices.SortFunc(ops, func(x, y refOp) int {
			return cmp.Or(strings.Compare(x.path, y.path), strings.Compare(x.method, y.method))
		})
		ref.groups = append(ref.groups, refGroup{tag, anchor(tag), ops})
	}
	schemas := doc.Components.Schemas.Map()
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		ref.objects = append(ref.objects, refObject{name, fieldsOf(schemas[name])})
	}
	for _, k := range fault.Kinds() {
		ref.codes = append(ref.codes, refCode{k.Code(), k.Sentence(), strconv.Itoa(web.Status(k)), k.Retryable()})
	}
	return ref
}

func (a *API) refOp(op *huma.Operation, rt *Route) refOp {
	one := refOp{id: rt.ID, method: rt.Method, path: rt.Path, title: rt.Title, text: strings.Split(op.Description, "\n\n"),
		curl: rt.curl(strings.TrimSuffix(a.PublicURL, "/"))}
	for _, p := range op.Parameters {
		need := ""
		if p.Required {
			need = "required"
		}
		one.params = append(one.params, refParam{p.Name, p.In, p.Description, need})
	}
	if op.RequestBody != nil {
		one.body = objectOf(bodyOf(op).Schema)
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		response := op.Responses[status]
		answer := refAnswer{status: status, words: response.Description}
		for _, media := range []string{"application/json", "application/problem+json"} {
			if m := response.Content[media]; m != nil && m.Schema != nil {
				answer.object = objectOf(m.Schema)
			}
		}
		one.answers = append(one.answers, answer)
	}
	return one
}

// curl is an example that works once the shell has a token.
func (rt *Route) curl(base string) string {
	var b strings.Builder
	b.WriteString("curl")
	if rt.Method != http.MethodGet {
		b.WriteString(" -X " + rt.Method)
	}
	b.WriteString(" " + base + rt.Path + ` \` + "\n" + `  -H "Authorization: Bearer $GAVEL_TOKEN"`)
	if rt.Key == KeyNeeded {
		b.WriteString(` \` + "\n" + `  -H "` + keyHeader + `: $(uuidgen)"`)
	}
	if rt.Match {
		b.WriteString(` \` + "\n" + `  -H 'If-Match: "…"'`)
	}
	if rt.Body != "" {
		b.WriteString(` \` + "\n  --json '" + rt.Body + "'")
	}
	return b.String()
}

func anchor(s string) string { return strings.ToLower(strings.ReplaceAll(s, " ", "-")) }

// objectOf is the name of the object that a schema refers to.
func objectOf(s *huma.Schema) string {
	switch {
	case s == nil:
		return ""
	case s.Ref != "":
		return s.Ref[strings.LastIndex(s.Ref, "/")+1:]
	case s.Items != nil:
		return objectOf(s.Items)
	case len(s.OneOf) > 0:
		return objectOf(s.OneOf[0])
	}
	return ""
}

func fieldsOf(s *huma.Schema) []refField {
	var all []refField
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		all = append(all, refField{name: name, kind: kindOf(p), object: objectOf(p), words: p.Description,
			required: slices.Contains(s.Required, name)})
	}
	return all
}

// kindOf is a schema's type in a word or two.
func kindOf(s *huma.Schema) string {
	switch {
	case s.Items != nil:
		return "list of " + kindOf(s.Items)
	case s.Ref != "":
		return objectOf(s)
	case len(s.OneOf) > 0:
		return kindOf(s.OneOf[0])
	case len(s.Enum) > 0:
		words := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			text, err := json.Marshal(v)
			if err != nil {
				panic(err) // it is part of a document that was marshalled
			}
			words[i] = strings.Trim(string(text), `"`)
		}
		return strings.Join(words, " | ")
	case s.Format == "date-time":
		return "time"
	case s.Type == "":
		return "any"
	}
	return s.Type
}
