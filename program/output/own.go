package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/itchyny/gojq"

	"github.com/gavelhq/gavel/platform/fault"
)

// An Own prints JSON in a way that a person wrote down: a jq program or a
// template.
type Own func(w io.Writer, data json.RawMessage) error

// maxOwn bounds a program or a template, in bytes.
const maxOwn = 64 << 10

// JQ makes an Own of a jq program. Each result has a line of its own: text as it
// is, anything else as JSON. The program reads neither files nor the environment.
func JQ(program string) (Own, error) {
	if len(program) > maxOwn {
		return nil, fault.New(fault.TooLarge, "--jq has over %d bytes", maxOwn)
	}
	query, err := gojq.Parse(program)
	if err != nil {
		return nil, fault.New(fault.Invalid, "--jq is no jq program: %s", err.Error())
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fault.New(fault.Invalid, "--jq is no jq program: %s", err.Error())
	}
	return func(w io.Writer, data json.RawMessage) error {
		value, err := decode(data)
		if err != nil {
			return err
		}
		results := code.Run(value)
		for {
			v, more := results.Next()
			if !more {
				return nil
			}
			if err, failed := v.(error); failed {
				if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
					return nil
				}
				return fault.New(fault.Invalid, "the jq program failed: %s", err.Error())
			}
			if err := writeResult(w, v); err != nil {
				return err
			}
		}
	}, nil
}

func writeResult(w io.Writer, v any) error {
	text, isText := v.(string)
	if !isText {
		data, err := gojq.Marshal(v)
		if err != nil {
			return fmt.Errorf("encode a result of jq: %w", err)
		}
		text = string(data)
	}
	_, err := io.WriteString(w, Safe(text)+"\n")
	return err
}

// Template makes an Own of a text/template. It has two functions beside the
// usual ones: json and join.
func Template(text string) (Own, error) {
	if len(text) > maxOwn {
		return nil, fault.New(fault.TooLarge, "--template has over %d bytes", maxOwn)
	}
	made, err := template.New("--template").Option("missingkey=zero").Funcs(template.FuncMap{
		"json": func(v any) (string, error) { data, err := json.Marshal(v); return string(data), err },
		"join": join,
	}).Parse(text)
	if err != nil {
		return nil, fault.New(fault.Invalid, "--template cannot be read: %s", err.Error())
	}
	return func(w io.Writer, data json.RawMessage) error {
		value, err := decode(data)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := made.Execute(&b, value); err != nil {
			return fault.New(fault.Invalid, "the template failed: %s", err.Error())
		}
		if text := b.String(); text != "" {
			_, err = io.WriteString(w, strings.TrimSuffix(Safe(text), "\n")+"\n")
		}
		return err
	}, nil
}

func join(between string, list []any) string {
	all := make([]string, len(list))
	for i, one := range list {
		all[i] = fmt.Sprint(one)
	}
	return strings.Join(all, between)
}

// decode reads JSON with its numbers as they are spelt.
func decode(data json.RawMessage) (v any, err error) {
	in := json.NewDecoder(bytes.NewReader(data))
	in.UseNumber()
	if err := in.Decode(&v); err != nil {
		return nil, fmt.Errorf("read what was found: %w", err)
	}
	return v, nil
}

// Safe takes the characters out of a text that would move a terminal. Lines and
// tabs stay, and nothing is cut off.
func Safe(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && moves(r) {
			return ' '
		}
		return r
	}, s)
}
