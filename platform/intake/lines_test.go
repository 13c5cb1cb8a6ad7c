package intake_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/intake"
)

// TestColumnsAreFoundByName promises that order, case, a byte order mark and
// other columns make no difference.
func TestColumnsAreFoundByName(t *testing.T) {
	rows, err := intake.Lines([]byte("\xef\xbb\xbfB,other, A \r\n2,x,\" 1\"\r\n\r\n4,y,3\r\n"), "a", "b")
	want := []intake.Line{{Line: 2, Cells: []string{"1", "2"}}, {Line: 4, Cells: []string{"3", "4"}}}
	if err != nil || !reflect.DeepEqual(rows, want) {
		t.Errorf("got %v, %v, want %v", rows, err, want)
	}
}

// TestWhatCannotBeReadIsRefusedWithItsPlace promises a sentence that helps.
func TestWhatCannotBeReadIsRefusedWithItsPlace(t *testing.T) {
	for file, want := range map[string]string{
		"":                        "no line that names its columns",
		"a\n1\n":                  "there is no column b",
		"a,b,a\n1,2,3\n":          "there are two columns a",
		"a,b\n1\n":                "line 2 cannot be read",
		"a,b\n1,\"2\n":            "line 2 cannot be read",
		"a,b\n1,2\n\"":            "line 3 cannot be read",
		"a,b\n\xff,2\n":           "not UTF-8",
		"a,b\n" + long() + ",2\n": "line 2: a has more than 500 bytes",
	} {
		_, err := intake.Lines([]byte(file), "a", "b")
		if text, _ := fault.Words(err); !strings.Contains(text, want) {
			t.Errorf("%.20q: got %q, want %q", file, text, want)
		}
	}
}

func long() string { return strings.Repeat("x", 501) }

// FuzzLines promises that every row has a cell for every column asked for.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a,b\n1,2\n"))
	f.Add([]byte("b,a,c\n\"1\",,\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		rows, err := intake.Lines(file, "a", "b")
		for _, r := range rows {
			if err != nil || len(r.Cells) != 2 || r.Line < 2 {
				t.Errorf("row %v, error %v", r, err)
			}
		}
	})
}
