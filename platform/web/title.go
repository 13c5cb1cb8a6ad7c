package web

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// titlePrefix begins the keys of the forms that applications write titles in, and
// titlePart those of the words that may stand in a form.
const titlePrefix, titlePart = "title.", "title.part."

// A titleForm is one form of a title in English, to be known again by.
type titleForm struct {
	key, text string
	is        *regexp.Regexp
	places    []string
}

// titlePlaces are what the places of a title's form take. A {what} is a word that is
// itself a message, a {list} several of them.
var titlePlaces = map[string]string{
	"{id}": `[A-Z]+-[0-9A-Z-]+`, "{n}": `[0-9]+`, "{day}": `[0-9]{1,2} [A-Z][a-z]+ [0-9]{4}, [0-9:]{5} [A-Z]{3,5}`,
}

// readTitles reads the forms of titles, those with the most words of their own first.
func (c *Catalogue) readTitles() {
	for key, text := range c.texts[English] {
		if !strings.HasPrefix(key, titlePrefix) || strings.HasPrefix(key, titlePart) {
			continue
		}
		f := titleForm{key: key, text: text}
		form, rest := "^", text
		for _, at := range placeForm.FindAllString(text, -1) {
			before, after, _ := strings.Cut(rest, at)
			form += regexp.QuoteMeta(before) + "(" + cmp.Or(titlePlaces[at], ".{1,120}?") + ")"
			f.places, rest = append(f.places, strings.Trim(at, "{}")), after
		}
		f.is = regexp.MustCompile(form + regexp.QuoteMeta(rest) + "$")
		c.titles = append(c.titles, f)
	}
	slices.SortFunc(c.titles, func(a, b titleForm) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), cmp.Compare(a.key, b.key))
	})
}

// Titled is the title of a case or a piece of evidence in the page's language. It is kept
// as it was written: in English by an application, by a person as they wrote it. One in
// none of the forms that are known is shown to the letter.
func (p *Page) Titled(title string) string {
	if p.Lang == English {
		return title
	}
	for _, f := range p.site.catalogue.titles {
		found := f.is.FindStringSubmatch(title)
		if found == nil {
			continue
		}
		if pairs, ok := p.titleParts(f, found[1:]); ok {
			return p.T(f.key, pairs...)
		}
	}
	return title
}

// titleParts are the places of a form with what stands in them, in the page's language;
// false where a word is not known.
func (p *Page) titleParts(f titleForm, found []string) ([]string, bool) {
	var pairs []string
	for i, name := range f.places {
		value := found[i]
		switch name {
		case "what":
			if !p.site.catalogue.Has(partKey(value)) {
				return nil, false
			}
			value = p.T(partKey(value))
		case "list":
			words := strings.Split(strings.ReplaceAll(value, " and ", ", "), ", ")
			for j, word := range words {
				if !p.site.catalogue.Has(partKey(word)) {
					return nil, false
				}
				words[j] = p.T(partKey(word))
			}
			value = strings.Join(words, ", ")
		case "day":
			value = p.titleDay(value)
		}
		pairs = append(pairs, name, value)
	}
	return pairs, true
}

// partKey is the key of a word in a title.
func partKey(word string) string {
	return titlePart + strings.ReplaceAll(strings.ToLower(word), " ", "_")
}

// titleDay is a day and its clock in the page's language; the zone is told, and stays.
func (p *Page) titleDay(text string) string {
	at, err := time.Parse("2 January 2006, 15:04 MST", text)
	if err != nil {
		return text
	}
	return strconv.Itoa(at.Day()) + " " + p.T(at.Format("month.01")) + at.Format(" 2006, 15:04 MST")
}
