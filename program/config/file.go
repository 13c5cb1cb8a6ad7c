package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of a settings file. A file over them is not one of ours.
const (
	maxFile  = 64 << 10
	maxValue = 8 << 10
	maxName  = 64
)

// A line is one KEY=VALUE of a file.
type line struct {
	name   string
	value  string
	number int // from 1
}

// readFile reads a settings file: KEY=VALUE lines, # comments and blank lines.
// A value may stand in single or double quotes; there are no escapes, no
// expansions and no comments after a value.
func readFile(path string) ([]line, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.Invalid, "settings file %s cannot be read: %s", path, reason(err)).WithNext("gavel config list --help")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fault.New(fault.Invalid, "settings file %s cannot be read: %s", path, reason(err)).WithNext("gavel config list --help")
	}
	lines, err := parseFile(data)
	if err != nil {
		return nil, fault.New(fault.Invalid, "settings file %s: %s", path, err).WithNext("gavel config list --help")
	}
	return lines, nil
}

// reason is the cause without the path, which the message already names.
func reason(err error) error {
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		return pe.Err
	}
	return err
}

// parseFile turns a file's bytes into lines. Its errors name the line and never
// show a value, which may be a secret.
func parseFile(data []byte) ([]line, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, errors.New("it is not UTF-8 text")
	}
	var lines []line
	seen := map[string]int{}
	number := 0
	for text := range strings.Lines(string(data)) {
		number++
		text = strings.TrimSpace(text)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		one, err := parseLine(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if before, again := seen[one.name]; again {
			return nil, fmt.Errorf("line %d: %s stands on line %d already", number, one.name, before)
		}
		one.number = number
		seen[one.name] = number
		lines = append(lines, one)
	}
	return lines, nil
}

func parseLine(text string) (line, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return line{}, errors.New("expected NAME=VALUE")
	}
	if !validName(name) {
		return line{}, errors.New("expected NAME=VALUE, the name of A-Z, 0-9 and _ without spaces around it")
	}
	value = strings.TrimSpace(value)
	if value != "" && (value[0] == '"' || value[0] == '\'') {
		quote := value[:1]
		if len(value) < 2 || !strings.HasSuffix(value, quote) || strings.Contains(value[1:len(value)-1], quote) {
			return line{}, fmt.Errorf("%s: the value opens with %s and must close with it, with none inside", name, quote)
		}
		value = value[1 : len(value)-1]
	}
	if len(value) > maxValue {
		return line{}, fmt.Errorf("%s: the value is longer than %d bytes", name, maxValue)
	}
	return line{name: name, value: value}, nil
}

func validName(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	for _, r := range name {
		if (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' {
			return false
		}
	}
	return true
}
