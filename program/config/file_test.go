package config

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

func TestFileFormat(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []line
		wrong      string // part of the refusal
	}{
		{"empty", "", nil, ""},
		{"comments and blanks", "# a\n\n  # b\r\n", nil, ""},
		{"plain", "A=1\nB= two words \r\n", []line{{"A", "1", 1}, {"B", "two words", 2}}, ""},
		{"no final newline", "A=1", []line{{"A", "1", 1}}, ""},
		{"a value may hold = # and $", "A=s3://b?x=1&y=$z #c", []line{{"A", "s3://b?x=1&y=$z #c", 1}}, ""},
		{"quotes", "A='a b'\nB=\"c'd\"\nC=''", []line{{"A", "a b", 1}, {"B", "c'd", 2}, {"C", "", 3}}, ""},
		{"empty value", "A=", []line{{"A", "", 1}}, ""},
		{"open quote", "A='a", nil, "line 1: A: the value opens with '"},
		{"quote inside", `A="a"b"`, nil, `line 1: A: the value opens with "`},
		{"lone quote", "A='", nil, "line 1: A"},
		{"no equals", "\nA", nil, "line 2: expected NAME=VALUE"},
		{"spaces round the name", "A =1", nil, "line 1: expected NAME=VALUE, the name of"},
		{"export", "export A=1", nil, "line 1: expected NAME=VALUE"},
		{"lower case", "a=1", nil, "line 1"},
		{"no name", "=1", nil, "line 1"},
		{"twice", "A=1\nB=2\nA=3", nil, "line 3: A stands on line 1 already"},
		{"not text", "A=\xff", nil, "not UTF-8"},
		{"a zero byte", "A=\x00", nil, "not UTF-8"},
		{"too large", strings.Repeat("#", maxFile+1), nil, "larger than"},
		{"value too long", "A=" + strings.Repeat("x", maxValue+1), nil, "longer than"},
		{"name too long", strings.Repeat("A", maxName+1) + "=1", nil, "line 1"},
	} {
		got, err := parseFile([]byte(tt.text))
		switch {
		case tt.wrong == "" && (err != nil || !reflect.DeepEqual(got, tt.want)):
			t.Errorf("%s: got %v, %v, want %v", tt.name, got, err, tt.want)
		case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)):
			t.Errorf("%s: got %v, %v, want it refused with %q", tt.name, got, err, tt.wrong)
		}
	}
}

func TestAFileThatCannotBeReadIsRefusedByItsName(t *testing.T) {
	folder := t.TempDir()
	for _, path := range []string{filepath.Join(folder, "none.env"), folder, writeFile(t, "nonsense")} {
		_, err := Load(Sources{File: path})
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want an invalid fault that names it", path, err)
		}
		if strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s is named twice: %v", path, err)
		}
	}
}

// FuzzParseFile holds the parser to its bounds: whatever the bytes, each line it
// accepts has a valid name that is not repeated, a bounded value and a place in
// the file, and writing the lines out again gives the same lines.
func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{"", "A=1\n", "# c\nGAVEL_MODE='demo'\r\nB=\"x\"", "A=\nA=", "=", "A='", "\xff", "A==\t"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := parseFile(data)
		if err != nil {
			if lines != nil {
				t.Fatalf("lines %v beside error %v", lines, err)
			}
			return
		}
		var again strings.Builder
		for i, l := range lines {
			if !validName(l.name) || len(l.value) > maxValue || !utf8.ValidString(l.value) || l.number < 1 ||
				(i > 0 && l.number <= lines[i-1].number) {
				t.Fatalf("line %+v is out of bounds", l)
			}
			quote := "'"
			if strings.Contains(l.value, quote) {
				quote = `"`
			}
			if strings.Contains(l.value, quote) || strings.TrimSpace(l.value) == l.value && l.value != "" &&
				!strings.HasPrefix(l.value, "'") && !strings.HasPrefix(l.value, `"`) {
				quote = ""
			}
			again.WriteString(l.name + "=" + quote + l.value + quote + "\n")
		}
		if again.Len() > maxFile {
			return
		}
		back, err := parseFile([]byte(again.String()))
		if err != nil || len(back) != len(lines) {
			t.Fatalf("%q: got %v %v, want %v", again.String(), back, err, lines)
		}
		for i := range back {
			if back[i].name != lines[i].name || back[i].value != lines[i].value {
				t.Fatalf("got %+v, want %+v", back[i], lines[i])
			}
		}
	})
}
