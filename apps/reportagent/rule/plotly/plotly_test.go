package plotly_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/plotly"
)

func figure(y string) []byte {
	return []byte(`{"data": [{"type": "bar", "name": "<b>a</b>", "y": ` + y + `, "text": ["-0", "−0.00 Mt", "-0.5"], "xaxis": "x2"}],
		"layout": {"title": "T<br>1 &amp; 2", "annotations": [{"text": "scen=A"}, {"text": "<b>B</b>"}, {"text": "peak", "showarrow": true}]}}`)
}

// TestTypedArraysAreRead promises the values of every type, with the shortest decimals that are the same float.
func TestTypedArraysAreRead(t *testing.T) {
	for array, want := range map[string]string{
		`[1, 2.50, null, "x", true]`:                            "1 2.50 _ x true",
		`{"dtype": "i1", "bdata": "AP8="}`:                      "0 -1",
		`{"dtype": "u1", "bdata": "AP8="}`:                      "0 255",
		`{"dtype": "i2", "bdata": "//8BAA=="}`:                  "-1 1",
		`{"dtype": "u2", "bdata": "//8BAA=="}`:                  "65535 1",
		`{"dtype": "i4", "bdata": "6QcAAAIIAAA="}`:              "2025 2050",
		`{"dtype": "u4", "bdata": "6QcAAP////8="}`:              "2025 4294967295",
		`{"dtype": "f4", "bdata": "zczMPQ=="}`:                  "0.1",
		`{"dtype": "f8", "bdata": "mpmZmZmZuT8AAAAAAAD4fw=="}`:  "0.1 _",
		`{"dtype": "f8", "bdata": "AAAAAAAAAIAAAAAAAADwfw=="}`:  "0 _",
		`{"dtype": "i1", "bdata": "AQIDBAUG", "shape": "2, 3"}`: "1 2 3 4 5 6",
	} {
		f, err := plotly.Parse(figure(array))
		if err != nil {
			t.Errorf("%s: %v", array, err)
			continue
		}
		var got []string
		for _, i := range f.Traces[0].Y.Items {
			if i.Empty {
				i.Text = "_"
			}
			got = append(got, i.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", array, got, want)
		}
	}
	for _, array := range []string{`{"dtype": "f2", "bdata": ""}`, `{"dtype": "f8", "bdata": "AAA="}`, `{"dtype": "i1", "bdata": "?"}`,
		`{"dtype": "i1", "bdata": "AQID", "shape": "2, 3"}`, `{"dtype": "i1", "bdata": "AQID", "shape": "a"}`, `[[1]]`} {
		if _, err := plotly.Parse(figure(array)); err == nil {
			t.Errorf("%s was read", array)
		}
	}
}

func TestTitlesAreReadWithoutTheirMarkup(t *testing.T) {
	f, err := plotly.Parse(figure("[1]"))
	if err != nil {
		t.Fatal(err)
	}
	tr := f.Traces[0]
	if f.Title != "T 1 & 2" || strings.Join(f.Facets, "|") != "A|B" || tr.Facet != "B" || tr.Name != "a" {
		t.Errorf("got %+v", f)
	}
	if tr.Text.Items[0].Text != "0" || tr.Text.Items[1].Text != "0.00 Mt" || tr.Text.Items[2].Text != "-0.5" {
		t.Errorf("a zero has a sign: %+v", tr.Text) // T14
	}
}

// TestTheFiguresOfARunSayWhatItsNumbersAre promises that every trace of the made-up run is read as it was drawn (T13).
func TestTheFiguresOfARunSayWhatItsNumbersAre(t *testing.T) {
	run := madeup.Make(1)
	files := run.Files()
	typed := 0
	for _, c := range run.Charts {
		file := files[c.Category+"/"+c.ID+".json"]
		typed += strings.Count(string(file), `"bdata"`)
		f, err := plotly.Parse(file)
		if err != nil || f.Title != c.Title {
			t.Fatalf("%s: %v, title %q", c.ID, err, f.Title)
		}
		n := 0
		for _, tr := range f.Traces {
			for i, y := range tr.Y.Items {
				want, label := c.Series[n].Values, tr.Name
				if c.Long {
					want, label, i = c.Series[n].Values, tr.X.Items[i].Text, 0
				}
				if v := want[i]; y.Empty != v.Empty || label != c.Series[n].Label || tr.Facet != c.Series[n].Scenario {
					t.Fatalf("%s: %s of %s is %+v, want %+v of %+v", c.ID, label, tr.Facet, y, v, c.Series[n])
				} else if !v.Empty && strings.TrimSuffix(madeup.Decimal(v.Cents), ".0") != y.Text && madeup.Decimal(v.Cents) != y.Text {
					t.Fatalf("%s: %s of %s is %s, want %s", c.ID, label, tr.Facet, y.Text, madeup.Decimal(v.Cents))
				}
				if c.Long {
					n++
				}
			}
			if !c.Long {
				n++
			}
		}
		if n != len(c.Series) {
			t.Errorf("%s has %d series, want %d", c.ID, n, len(c.Series))
		}
	}
	if typed < 1500 {
		t.Errorf("only %d typed arrays", typed)
	}
}

// FuzzParse looks for a figure that is no figure and is read all the same.
func FuzzParse(f *testing.F) {
	f.Add(figure(`{"dtype": "f8", "bdata": "mpmZmZmZuT8AAAAAAAD4fw==", "shape": "1, 2"}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		fig, err := plotly.Parse(file)
		if err != nil {
			return
		}
		for _, tr := range fig.Traces {
			for _, i := range tr.Y.Items {
				if i.Empty && i.Text != "" {
					t.Fatalf("got %+v", i)
				}
			}
		}
	})
}
