// Command oasdiff says whether a version of the API's document breaks callers of
// the one before, and how. It is oasdiff's own judgement, asked as a library: its
// command reports to its makers over the network.
//
//	oasdiff released.json new.json
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/tufin/oasdiff/checker"
	"github.com/tufin/oasdiff/checker/localizations"
	"github.com/tufin/oasdiff/diff"
	"github.com/tufin/oasdiff/load"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: oasdiff released.json new.json")
		os.Exit(2)
	}
	found, err := compareFiles(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, line := range found {
		fmt.Println(line)
	}
	if len(found) > 0 {
		fmt.Printf("%d breaking changes: they need a new version of the address, or to be taken back\n", len(found))
		os.Exit(1)
	}
	fmt.Println("no breaking change")
}

func compareFiles(before, after string) ([]string, error) {
	a, err := os.ReadFile(before)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(after)
	if err != nil {
		return nil, err
	}
	return compare(a, b)
}

// compare lists what would break a caller of the first document.
func compare(before, after []byte) ([]string, error) {
	a, err := read("before", before)
	if err != nil {
		return nil, err
	}
	b, err := read("after", after)
	if err != nil {
		return nil, err
	}
	report, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), a, b)
	if err != nil {
		return nil, err
	}
	say := checker.NewLocalizer(localizations.LangEn)
	var found []string
	for _, change := range checker.CheckBackwardCompatibilityUntilLevel(checker.GetChecks(nil), report, sources, checker.WARN) {
		found = append(found, change.GetOperation()+" "+change.GetPath()+": "+change.GetUncolorizedText(say))
	}
	sort.Strings(found)
	return found, nil
}

// read reads a document as the library can: it knows OpenAPI 3.0.
func read(name string, text []byte) (*load.SpecInfo, error) {
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	older, err := json.Marshal(to30(tree))
	if err != nil {
		return nil, err
	}
	spec, err := openapi3.NewLoader().LoadFromData(older)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &load.SpecInfo{Url: name, Spec: spec, Version: spec.Info.Version}, nil
}

// to30 writes in OpenAPI 3.0 what our documents say in 3.1: that something may be
// null is a mark there, and not one of its types.
func to30(v any) any {
	switch node := v.(type) {
	case []any:
		for i := range node {
			node[i] = to30(node[i])
		}
	case map[string]any:
		for k := range node {
			node[k] = to30(node[k])
		}
		if node["openapi"] == "3.1.0" {
			node["openapi"] = "3.0.3"
		}
		if types, ok := node["type"].([]any); ok {
			node["type"], node["nullable"] = types[0], len(types) > 1
		}
		if any, ok := node["oneOf"].([]any); ok && len(any) == 2 && isNull(any[1]) {
			delete(node, "oneOf")
			node["allOf"], node["nullable"] = any[:1], true
		}
		delete(node, "contentMediaType")
	}
	return v
}

func isNull(v any) bool {
	node, ok := v.(map[string]any)
	return ok && node["type"] == "null"
}
