package web_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

func TestEveryTextIsThereInEveryLanguageAndUsed(t *testing.T) {
	webtest.Messages(t, ".", web.Messages())
}

func TestAnIncompleteCatalogueIsRefused(t *testing.T) {
	type files map[string]string
	for name, tt := range map[string]struct {
		files files
		want  string
	}{
		"complete":          {files{"en": `{"a.b":"x {n}"}`, "hi": `{"a.b":"{n} य"}`}, ""},
		"missing in Hindi":  {files{"en": `{"a.b":"x"}`, "hi": `{}`}, `message a.b has no text in "hi"`},
		"blank in Hindi":    {files{"en": `{"a.b":"x"}`, "hi": `{"a.b":""}`}, `message a.b has no text in "hi"`},
		"only in Hindi":     {files{"en": `{}`, "hi": `{"a.b":"x"}`}, "not in English"},
		"another place":     {files{"en": `{"a.b":"{n}"}`, "hi": `{"a.b":"{m}"}`}, "places"},
		"not JSON":          {files{"en": `{`, "hi": `{}`}, "en.json"},
		"no file for Hindi": {files{"en": `{}`}, "hi.json"},
		"taken key":         {files{"en": `{"shell.skip":"x"}`, "hi": `{"shell.skip":"x"}`}, "already given"},
	} {
		t.Run(name, func(t *testing.T) {
			source := fstest.MapFS{}
			for lang, text := range tt.files {
				source[lang+".json"] = &fstest.MapFile{Data: []byte(text)}
			}
			_, err := web.LoadCatalogue(web.Messages(), source)
			if got := fmt.Sprint(err); (tt.want == "") != (err == nil) || !strings.Contains(got, tt.want) {
				t.Errorf("got %v, want %q", got, tt.want)
			}
		})
	}
}

func TestPlacesAreFilledByName(t *testing.T) {
	c, err := web.LoadCatalogue(web.Messages())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		lang web.Lang
		want string
	}{
		{web.English, "due 17:30, in 20 min"},
		{web.Hindi, "17:30 तक, 20 min शेष"},
	} {
		if got := c.Text(tt.lang, "clock.soon", "time", "17:30", "span", "20 min"); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	for n, want := range map[string]string{"1": "1 page", "2": "2 pages", "11": "11 pages"} {
		if got := counting(t).Text(web.English, "found", "n", n); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got, want := c.Text(web.English, "no.such.key"), "no.such.key"; got != want {
		t.Errorf("an unknown key reads %q, want %q", got, want)
	}
}

// counting is a catalogue with a text for one thing.
func counting(t *testing.T) *web.Catalogue {
	t.Helper()
	texts := &fstest.MapFile{Data: []byte(`{"found": "{n} pages", "found.one": "1 page"}`)}
	c, err := web.LoadCatalogue(fstest.MapFS{"en.json": texts, "hi.json": texts})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
