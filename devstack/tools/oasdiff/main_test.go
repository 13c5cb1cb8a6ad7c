package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

const (
	released = "../../../platform/api/testdata/openapi.released.json"
	current  = "../../../platform/api/testdata/openapi.json"
)

// tree is the released document, to be changed.
func tree(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile(released)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// at walks down a document.
func at(t *testing.T, v any, path ...string) map[string]any {
	t.Helper()
	for _, p := range path {
		node, ok := v.(map[string]any)
		if !ok || node[p] == nil {
			t.Fatalf("the document has no %s", strings.Join(path, " "))
		}
		v = node[p]
	}
	return v.(map[string]any)
}

func compared(t *testing.T, doc map[string]any) []string {
	t.Helper()
	before, err := os.ReadFile(released)
	if err != nil {
		t.Fatal(err)
	}
	after, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	found, err := compare(before, after)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestNoBreakingChangeSinceTheReleasedDocument(t *testing.T) {
	found, err := compareFiles(released, current)
	if err != nil || len(found) > 0 {
		t.Errorf("%v\n%s", err, strings.Join(found, "\n"))
	}
}

func TestEveryKindOfBreakingChangeIsFound(t *testing.T) {
	schema := func(doc map[string]any, name string) map[string]any { return at(t, doc, "components", "schemas", name) }
	for name, change := range map[string]func(doc map[string]any){
		"an address goes": func(doc map[string]any) { delete(at(t, doc, "paths"), "/v1/inbox") },
		"a method goes":   func(doc map[string]any) { delete(at(t, doc, "paths", "/v1/cases"), "post") },
		"a field goes":    func(doc map[string]any) { delete(at(t, schema(doc, "Case"), "properties"), "ref") },
		"a field may be null": func(doc map[string]any) {
			at(t, schema(doc, "Case"), "properties", "title")["type"] = []any{"string", "null"}
		},
		"a field changes type": func(doc map[string]any) { at(t, schema(doc, "Case"), "properties", "version")["type"] = "string" },
		"a field must be sent": func(doc map[string]any) {
			s := schema(doc, "NewDecision")
			s["required"] = append(s["required"].([]any), "reason")
		},
		"a verdict goes": func(doc map[string]any) {
			at(t, schema(doc, "NewDecision"), "properties", "verdict")["enum"] = []any{"approve", "reject"}
		},
		"a parameter must be sent": func(doc map[string]any) {
			op := at(t, doc, "paths", "/v1/cases", "post")
			for _, p := range op["parameters"].([]any) {
				if p.(map[string]any)["name"] == "Idempotency-Key" {
					p.(map[string]any)["required"] = true
				}
			}
		},
		"a page gets smaller": func(doc map[string]any) {
			for _, p := range at(t, doc, "paths", "/v1/cases", "get")["parameters"].([]any) {
				if p.(map[string]any)["name"] == "page_size" {
					at(t, p, "schema")["maximum"] = 50
				}
			}
		},
		"success has another status": func(doc map[string]any) {
			responses := at(t, doc, "paths", "/v1/holds", "post", "responses")
			responses["202"] = responses["201"]
			delete(responses, "201")
		},
	} {
		doc := tree(t)
		change(doc)
		if found := compared(t, doc); len(found) == 0 {
			t.Errorf("%s: nothing is found", name)
		}
	}
}

func TestWhatIsAddedBreaksNobody(t *testing.T) {
	doc := tree(t)
	at(t, doc, "components", "schemas", "Case", "properties")["colour"] = map[string]any{"type": "string"}
	at(t, doc, "components", "schemas", "NewCase", "properties")["colour"] = map[string]any{"type": "string"}
	at(t, doc, "paths")["/v1/colours"] = at(t, tree(t), "paths", "/v1/holds")
	delete(at(t, doc, "paths", "/v1/colours"), "post")
	at(t, doc, "paths", "/v1/colours", "get")["operationId"] = "listColours"
	if found := compared(t, doc); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}
