package web

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Lang is a language pages are written in.
type Lang string

// The languages. English is what a page falls back to.
const (
	English Lang = "en"
	Hindi   Lang = "hi"
)

// Languages lists them in the order people are offered them.
func Languages() []Lang { return []Lang{English, Hindi} }

// ParseLang is the language of a tag such as "hi-IN", and whether we have it.
func ParseLang(tag string) (Lang, bool) {
	main, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	lang := Lang(main)
	return lang, slices.Contains(Languages(), lang)
}

// A Catalogue holds every sentence the pages say, by language and key. Texts
// may hold {name} places, the same ones in every language.
type Catalogue struct {
	texts  map[Lang]map[string]string
	titles []titleForm // how applications write titles, from the messages
}

var placeForm = regexp.MustCompile(`\{[a-z_]+\}`)

// LoadCatalogue reads <lang>.json, one flat object of key to text, from each
// source and joins them. A key that is given twice, missing in a language, or
// holding other places in one language than in another is refused.
func LoadCatalogue(sources ...fs.FS) (*Catalogue, error) {
	c := &Catalogue{texts: map[Lang]map[string]string{}}
	for _, lang := range Languages() {
		c.texts[lang] = map[string]string{}
		for i, source := range sources {
			if err := c.load(source, lang); err != nil {
				return nil, fmt.Errorf("messages of source %d: %w", i, err)
			}
		}
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	c.readTitles()
	return c, nil
}

func (c *Catalogue) load(source fs.FS, lang Lang) error {
	name := string(lang) + ".json"
	data, err := fs.ReadFile(source, name)
	if err != nil {
		return err
	}
	var texts map[string]string
	if err := json.Unmarshal(data, &texts); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for key, text := range texts {
		if _, taken := c.texts[lang][key]; taken {
			return fmt.Errorf("%s: key %s is already given by another source", name, key)
		}
		c.texts[lang][key] = text
	}
	return nil
}

func (c *Catalogue) check() error {
	for _, lang := range Languages() {
		for key, text := range c.texts[English] {
			other, ok := c.texts[lang][key]
			if !ok || other == "" {
				return fmt.Errorf("message %s has no text in %q", key, lang)
			}
			if got, want := places(other), places(text); !slices.Equal(got, want) {
				return fmt.Errorf("message %s has places %v in %q and %v in English", key, got, lang, want)
			}
		}
		for key := range c.texts[lang] {
			if _, ok := c.texts[English][key]; !ok {
				return fmt.Errorf("message %s is in %q and not in English", key, lang)
			}
		}
	}
	return nil
}

func places(text string) []string {
	found := placeForm.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// Keys lists every key, sorted.
func (c *Catalogue) Keys() []string { return slices.Sorted(maps.Keys(c.texts[English])) }

// Has reports whether there is a text for a key.
func (c *Catalogue) Has(key string) bool {
	_, ok := c.texts[English][key]
	return ok
}

// One ends the key of a text for a single thing, beside the text for several.
const One = ".one"

// Text is the text for a key, its places filled from name and value pairs; where n is
// one and there is a text for that, that one. An unknown key gives itself, so that a
// slip shows on the page and not as a blank.
func (c *Catalogue) Text(lang Lang, key string, pairs ...string) string {
	text, ok := c.texts[lang][key]
	if !ok {
		return key
	}
	if len(pairs) == 0 {
		return text
	}
	fill := make([]string, 0, len(pairs))
	for i := 0; i+1 < len(pairs); i += 2 {
		fill = append(fill, "{"+pairs[i]+"}", pairs[i+1])
		if single, there := c.texts[lang][key+One]; there && pairs[i] == "n" && pairs[i+1] == "1" {
			text = single
		}
	}
	return strings.NewReplacer(fill...).Replace(text)
}

// acceptLang is the language a browser would like best among ours.
func acceptLang(header string) (Lang, bool) {
	best, bestQ, found := English, 0.0, false
	for i, part := range strings.Split(header, ",") {
		if i == 20 { // nobody reads twenty languages; the header is from outside
			break
		}
		tag, params, _ := strings.Cut(part, ";")
		lang, ok := ParseLang(tag)
		if !ok {
			continue
		}
		q := 1.0
		if value, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			q, _ = strconv.ParseFloat(value, 64)
		}
		if q > bestQ {
			best, bestQ, found = lang, q, true
		}
	}
	return best, found
}
