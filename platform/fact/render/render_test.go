package render_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fault"
)

// facts are F1, an observed change, and F2, computed from it.
func facts(t testing.TB) render.Renderer {
	t.Helper()
	b := fact.NewBook("case_1")
	var ids []fact.ID
	for _, s := range []struct{ number, scenario string }{{"-128.92", "1p5ds"}, {"-121.4", "house"}} {
		f, err := fact.Read(fact.Reading{
			Kind: fact.Observed, Number: s.number, Unit: "Mt CO2-e", Decimals: 1,
			Subject: fact.Subject{Type: "series", IDs: map[string]string{"scenario": s.scenario}},
			Source:  fact.Source{Snapshot: strings.Repeat("0f", 32), Selector: fact.Selector{CSV: &fact.CSVCell{Row: 1, Column: "val"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if f, err = b.Add(f); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, f.ID)
	}
	if _, err := b.Derive(fact.Ratio, "v1", ids...); err != nil {
		t.Fatal(err)
	}
	return render.Renderer{Find: b.Latest}
}

func TestOnlyTheGrammarIsAToken(t *testing.T) {
	for _, s := range []string{"{{F17}}", "{{F17|abs}}", "{{F17|0}}", "{{F17|12}}", "{{F17|nounit}}", "{{F17|abs|1}}", "{{F17|abs|nounit}}",
		"{{F17|1|nounit}}", "{{F17|abs|1|nounit}}", "{{F999999999|abs|12|nounit}}"} {
		tok, ok := render.ParseToken(s)
		if !ok || tok.String() != s {
			t.Errorf("%s: got %v, %v", s, tok, ok)
		}
		if p := render.Parse("a " + s + " b"); len(p) != 3 || p[1].Kind != render.Fact || p[1].Text != s {
			t.Errorf("%s in a text: %+v", s, p)
		}
	}
	for _, s := range []string{
		"{{}}", "{{F}}", "{{F0}}", "{{F017}}", "{{f17}}", "{{G17}}", "{{ F17 }}", "{{F17 }}", "{{F17|}}", "{{F17||abs}}", "{{F17|ABS}}",
		"{{F17|abs|abs}}", "{{F17|1|abs}}", "{{F17|nounit|abs}}", "{{F17|nounit|1}}", "{{F17|01}}", "{{F17|13}}", "{{F17|-1}}",
		"{{F17|+1}}", "{{F17|1.5}}", "{{F17@2}}", "{{F1000000000}}", "{{F17|abs|1|nounit|}}", "{F17}", "{{F17}", "{{F1\n7}}", "{{F१७}}",
		"{{fact:F17}}", "{{{F17}}", "{{F17|१}}",
	} {
		if tok, ok := render.ParseToken(s); ok {
			t.Errorf("%s was read as %v", s, tok)
		}
	}
}

func TestNumbersAreTaggedAndWordsAreEscaped(t *testing.T) {
	r := facts(t)
	got, err := r.HTML(`<b>Power</b> & "co" fall by {{F1|abs|0}}, {{F3}} times as much.`)
	if err != nil {
		t.Fatal(err)
	}
	want := `&lt;b&gt;Power&lt;/b&gt; &amp; &#34;co&#34; fall by ` +
		`<data class="fact" value="-128.92" data-fact="F1" data-version="1" data-show="|abs|0">129` + "\u00a0Mt\u00a0" + `CO₂-e</data>, ` +
		`<data class="fact computed" value="1.06194398682" data-fact="F3" data-version="1">1.1</data> times as much.`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	plain, err := r.Text("falls by {{F1|abs|0|nounit}} & more")
	if err != nil || plain != "falls by 129 & more" {
		t.Errorf("got %q, %v", plain, err)
	}
}

func TestAPageIsNeverMadeWithADeadNumber(t *testing.T) {
	r := facts(t)
	for _, s := range []string{"{{F99}}", "{{F1", "F1}}", "{{F1|ABS}}", "{{ F1 }}"} {
		if got, err := r.HTML(s); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %q, %v", s, got, err)
		}
		if got, err := r.Text(s); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s as text: got %q, %v", s, got, err)
		}
	}
	if _, err := r.HTML(strings.Repeat("x", render.MaxText+1)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too long: %v", err)
	}
}

func TestPagesWithForeignMarkupAreNotReadBack(t *testing.T) {
	for _, s := range []string{
		"<b>x</b>", `<data value="1">1</data>`, `<data data-fact="F1">1</data>`, `<data data-fact="F1" data-version="0">1</data>`,
		`<data data-fact="F1" data-version="1" data-show="|x">1</data>`, `<data data-fact="F1" data-version="1">1`,
		`<data data-fact="F1" data-version="1"><i>1</i></data>`,
	} {
		if text, _, err := render.Tokens(s); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s was read as %q", s, text)
		}
	}
}

// texts mixes words, markup and tokens.
func texts() *rapid.Generator[string] {
	words := rapid.OneOf(rapid.StringN(0, 12, -1), rapid.SampledFrom([]string{" ", "&amp;", "<data ", "</data>", `"`, "'", "{", "}", "| ",
		"प्रतिशत ", "CO₂ ", "\n"}))
	token := rapid.Custom(func(t *rapid.T) string {
		tok := render.Token{ID: rapid.SampledFrom([]fact.ID{"F1", "F2", "F3"}).Draw(t, "id")}
		tok.Abs, tok.NoUnit, tok.Set = rapid.Bool().Draw(t, "abs"), rapid.Bool().Draw(t, "nounit"), rapid.Bool().Draw(t, "set")
		if tok.Set {
			tok.Decimals = rapid.IntRange(0, fact.MaxDecimals).Draw(t, "decimals")
		}
		return tok.String()
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(words, token), 0, 12).Draw(t, "parts"), "")
	})
}

func TestRenderParseRenderIsStable(t *testing.T) {
	r := facts(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := texts().Draw(rt, "text")
		page, err := r.HTML(text)
		if err != nil {
			return // a lone pair of braces: refused
		}
		back, shown, err := render.Tokens(page)
		if err != nil {
			rt.Fatalf("%q: %v", page, err)
		}
		if back != text {
			rt.Fatalf("%q came back as %q", text, back)
		}
		again, err := r.HTML(back)
		if err != nil || again != page {
			rt.Fatalf("rendered again: %q, %v, want %q", again, err, page)
		}
		n := 0
		for _, p := range render.Parse(text) {
			if p.Kind == render.Fact {
				n++
			}
		}
		if len(shown) != n {
			rt.Fatalf("%d numbers shown, %d tokens", len(shown), n)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "{{F17|abs|1|nounit}}", "{{{{F1}}}}", "}}{{", "{{F1|", "a {{F1}} b {{F2|x}} c", "\xff{{F1}}"} {
		f.Add(s)
	}
	r := facts(f)
	f.Fuzz(func(t *testing.T, text string) {
		var b strings.Builder
		end := 0
		for _, p := range render.Parse(text) {
			if p.Start != end || p.Text != text[p.Start:p.End] || p.Text == "" {
				t.Fatalf("%q: piece %+v does not join", text, p)
			}
			if p.Kind == render.Fact && p.Token.String() != p.Text {
				t.Fatalf("%q: token %v is not %q", text, p.Token, p.Text)
			}
			end = p.End
			b.WriteString(p.Text)
		}
		if b.String() != text {
			t.Fatalf("%q came apart", text)
		}
		page, err := r.HTML(text)
		if err != nil || !utf8.ValidString(text) {
			return
		}
		if back, _, err := render.Tokens(page); err != nil || back != text {
			t.Fatalf("%q came back as %q, %v", text, back, err)
		}
	})
}
