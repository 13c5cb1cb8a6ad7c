package gavel_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// mostWords is the longest a sentence may be that people read on a page or in a terminal.
const mostWords = 20

// TestPeopleReadPlainWords promises that no phrase stands where people read which they were
// seen to stumble over, that sentences are short, and that Hindi is complete and Hindi. It
// prints how long the sentences of each file are.
func TestPeopleReadPlainWords(t *testing.T) {
	all, err := saidBy(os.DirFS("."), module)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10_000 {
		t.Errorf("only %d texts were found", len(all))
	}
	for _, wrong := range slices.Concat(stumbles(all), long(all), foreignWords(all), untold(all)) {
		t.Error(wrong)
	}
	for _, line := range readability(all) {
		t.Log(line)
	}
}

// stumbles are the phrases that people do not use, wherever they stand.
func stumbles(all []said) []string {
	var found []string
	for _, s := range all {
		text := strings.ToLower(strings.ReplaceAll(s.text, "’", "'"))
		for _, p := range phrases {
			if strings.Contains(text, p.was) && !slices.Contains(p.but, s.file) {
				found = append(found, fmt.Sprintf("%s: %q; say %q (in: %s)", s.at(), p.was, p.say, s.text))
			}
		}
	}
	return found
}

// sentenceEnd is where one sentence ends and the next begins, or where a line of several
// things is divided.
var sentenceEnd = regexp.MustCompile(`[.?!।…]["”)]*\s+| · |\n`)

// sentences are the sentences of a text.
func sentences(text string) []string {
	var all []string
	for _, one := range sentenceEnd.Split(text, -1) {
		if wordsIn(one) > 0 {
			all = append(all, strings.TrimSpace(one))
		}
	}
	return all
}

// wordForm is a word, a number, or what is put in for one.
var wordForm = regexp.MustCompile(`[\pL\pN\pM]`)

func wordsIn(sentence string) int {
	n := 0
	for word := range strings.FieldsSeq(sentence) {
		if wordForm.MatchString(word) {
			n++
		}
	}
	return n
}

// long are the sentences that take a second reading.
func long(all []said) []string {
	var found []string
	for _, s := range all {
		for _, one := range sentences(s.text) {
			if n := wordsIn(one); s.short && n > mostWords {
				found = append(found, fmt.Sprintf("%s: %d words in a sentence, at most %d: %s", s.at(), n, mostWords, one))
			}
		}
	}
	return found
}

// latinForm is a word in Latin letters; putIn is what a page puts into a message.
var (
	latinForm = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_./=+-]*`)
	putIn     = regexp.MustCompile(`\{\{?[^}]*\}\}?`)
)

// foreignWords are words in Latin letters on Hindi pages that are no names.
func foreignWords(all []said) []string {
	var found []string
	for _, s := range all {
		if !s.hindi {
			continue
		}
		for _, word := range latinForm.FindAllString(putIn.ReplaceAllString(s.text, " "), -1) {
			if word = strings.TrimRight(word, "./"); !slices.Contains(names, word) && !refForm.MatchString(word) {
				found = append(found, fmt.Sprintf("%s: %q is not Hindi, nor a name that is listed: %s", s.at(), word, s.text))
			}
		}
	}
	return found
}

// untold are the keys that one language has and the other has not.
func untold(all []said) []string {
	keys := map[bool]map[string]bool{true: {}, false: {}}
	for _, s := range all {
		if dir, ok := strings.CutSuffix(strings.TrimSuffix(s.file, "hi.json"), "en.json"); ok || s.hindi {
			keys[s.hindi][dir+s.where] = true
		}
	}
	var found []string
	for hindi, here := range keys {
		for _, key := range slices.Sorted(maps.Keys(here)) {
			if !keys[!hindi][key] {
				found = append(found, fmt.Sprintf("%s: said in one language only (Hindi: %v)", key, hindi))
			}
		}
	}
	return found
}

// readability says for each file how many words its sentences have.
func readability(all []said) []string {
	type count struct{ sentences, words, longest int }
	files := map[string]*count{}
	for _, s := range all {
		c := files[s.file]
		if c == nil {
			c = &count{}
			files[s.file] = c
		}
		for _, one := range sentences(s.text) {
			n := wordsIn(one)
			c.sentences, c.words, c.longest = c.sentences+1, c.words+n, max(c.longest, n)
		}
	}
	var lines []string
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if c := files[file]; strings.HasSuffix(file, ".json") || strings.HasSuffix(file, ".md") {
			lines = append(lines, fmt.Sprintf("%s: %d sentences, %.1f words each, longest %d", file, c.sentences,
				float64(c.words)/float64(c.sentences), c.longest))
		}
	}
	return lines
}

// TestPlainWordsAreSeen promises that the check finds what it is for, on a made-up tree, and
// leaves alone what it must.
func TestPlainWordsAreSeen(t *testing.T) {
	tree := func(en, hi, code string) fs.FS {
		return fstest.MapFS{
			"platform/web/messages/en.json": {Data: []byte(en)},
			"platform/web/messages/hi.json": {Data: []byte(hi)},
			"platform/web/fail.go":          {Data: []byte("// Package web is made up.\npackage web\n\n" + code)},
		}
	}
	many := strings.Repeat("word ", mostWords+1)
	for _, c := range []struct {
		name, en, hi, code string
		want               []string // parts of what is found, in order
	}{
		{name: "plain", en: `{"a": "Export"}`, hi: `{"a": "निर्यात"}`, code: `var said = "one two"`},
		{name: "phrase in a message", en: `{"a": "Take this list OUT"}`, hi: `{"a": "सूची"}`, want: []string{"en.json: a"}},
		{name: "phrase in a literal", en: `{}`, hi: `{}`, code: `var said = "you may not do this"`, want: []string{"fail.go: 4"}},
		{name: "phrase in a comment", en: `{}`, hi: `{}`, code: "// You may not do this.\nvar said = \"\""},
		{name: "long message", en: `{"a": "` + many + `"}`, hi: `{"a": "क"}`, want: []string{"21 words"}},
		{name: "two short ones", en: `{"a": "` + many[:50] + `. ` + many[:50] + `"}`, hi: `{"a": "क"}`},
		{name: "long reason", en: `{}`, hi: `{}`, code: `var err = fault.New(1, "` + many + `")`, want: []string{"21 words"}},
		{name: "long, and no reason", en: `{}`, hi: `{}`, code: `var err = tell("` + many + `")`},
		{name: "not Hindi", en: `{"a": "x"}`, hi: `{"a": "यह file है"}`, want: []string{`"file" is not Hindi`}},
		{name: "a name", en: `{"a": "x"}`, hi: `{"a": "Gavel {file} VP-206"}`},
		{name: "missing in Hindi", en: `{"a": "x"}`, hi: `{}`, want: []string{"one language only (Hindi: false)"}},
		{name: "missing in English", en: `{}`, hi: `{"a": "क"}`, want: []string{"one language only (Hindi: true)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := saidBy(tree(c.en, c.hi, c.code), module)
			if err != nil {
				t.Fatal(err)
			}
			got := slices.Concat(stumbles(all), long(all), foreignWords(all), untold(all))
			if len(got) != len(c.want) {
				t.Fatalf("found %q, want %q", got, c.want)
			}
			for i, want := range c.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("found %q, want %q in it", got[i], want)
				}
			}
		})
	}
}
