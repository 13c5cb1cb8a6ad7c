package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// marshal is an item as JSON, with < and > as they are: nobody puts it in a page.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the output: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// listForPrograms prints a list as one document or as lines.
func listForPrograms[T any](p *Printer, items []T, columns []Column[T]) error {
	texts := make([]json.RawMessage, len(items)) // never nil: an empty list is []
	for i, item := range items {
		text, err := marshal(item)
		if err != nil {
			return err
		}
		texts[i] = text
	}
	texts, err := pick(p.Fields, items, texts, columns)
	if err != nil {
		return err
	}
	if p.Format == NDJSON && p.Own == nil {
		for _, text := range texts {
			if err := p.document(text); err != nil {
				return err
			}
		}
		return nil
	}
	whole, err := marshal(texts)
	if err != nil {
		return err
	}
	return p.document(whole)
}

// document prints one JSON value in the form that is wanted.
func (p *Printer) document(text json.RawMessage) error {
	if p.Own != nil {
		return p.Own(p.Out, text)
	}
	var b bytes.Buffer
	switch p.Format {
	case NDJSON:
		if err := json.Compact(&b, text); err != nil {
			return fmt.Errorf("encode the output: %w", err)
		}
	case YAML:
		return writeYAML(p.Out, text)
	default:
		if err := json.Indent(&b, text, "", "  "); err != nil {
			return fmt.Errorf("encode the output: %w", err)
		}
	}
	b.WriteByte('\n')
	_, err := p.Out.Write(b.Bytes())
	return err
}

// writeYAML prints JSON as YAML: the same fields in the same order, and numbers
// as they are spelt.
func writeYAML(w io.Writer, text json.RawMessage) error {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	node, err := yamlNode(in)
	if err != nil {
		return fmt.Errorf("encode the output: %w", err)
	}
	out := yaml.NewEncoder(w)
	out.SetIndent(2)
	if err := out.Encode(node); err != nil {
		return fmt.Errorf("encode the output: %w", err)
	}
	return out.Close()
}

// yamlNode reads one JSON value.
func yamlNode(in *json.Decoder) (*yaml.Node, error) {
	token, err := in.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		node := &yaml.Node{Kind: yaml.SequenceNode}
		if t == '{' {
			node.Kind = yaml.MappingNode
		}
		for in.More() { // of an object the keys come as values do
			one, err := yamlNode(in)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, one)
		}
		if len(node.Content) == 0 {
			node.Style = yaml.FlowStyle
		}
		_, err = in.Token() // its end
		return node, err
	case json.Number:
		return numberNode(t), nil
	case string:
		return stringNode(t), nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(t)}, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
}

// numberNode is a number as JSON spells it. It has no tag: a whole number over
// what 64 bits hold is one kind of number to one reader and another to the next.
func numberNode(n json.Number) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: n.String()}
}

// plainText is text that every version of YAML reads as text: words, ids, dates
// stand in quotes.
var (
	plainText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.@/ -]*[A-Za-z0-9_]$`)
	yamlWords = []string{"yes", "no", "on", "off", "true", "false", "null"}
)

func stringNode(s string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if !plainText.MatchString(s) || slices.Contains(yamlWords, strings.ToLower(s)) {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}
