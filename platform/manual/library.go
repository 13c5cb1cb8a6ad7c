package manual

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
)

// A library is every document, read once.
type library struct {
	shelves []*shelf
	byFile  map[string]*page // by its path in the repository
	byPath  map[string]*page // by its address
	index   *index
}

// A shelf is a folder of documents, in the order of their names.
type shelf struct {
	name  string
	pages []*page
}

// A page is one document.
type page struct {
	file     string // its path in the repository
	shelf    string
	name     string // within its shelf
	title    string // its first heading
	lede     string // its first sentence
	sections []section
	source   []byte
	tree     ast.Node
}

// A section is a heading and what stands below it, up to the next one. The first
// is the page's title.
type section struct {
	heading, anchor string
	level           int
	text            string // without marks
}

// project is the shelf of what stands at the root of the repository.
const project = "project"

// order is that of the shelves; others follow by name.
var order = []string{"guide", "reference", "runbook", "design", project}

// readLibrary reads every document, resolves the links between them and notes
// which word stands where.
func readLibrary(files fs.FS) (*library, error) {
	parse := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	lib := &library{byFile: map[string]*page{}, byPath: map[string]*page{}}
	for _, pattern := range []string{"*.md", "docs/*/*.md"} {
		names, err := fs.Glob(files, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			source, err := fs.ReadFile(files, name)
			if err != nil {
				return nil, fmt.Errorf("read a document: %w", err)
			}
			lib.add(readPage(parse, name, source))
		}
	}
	slices.SortStableFunc(lib.shelves, func(a, b *shelf) int {
		return cmp.Or(cmp.Compare(rank(a.name), rank(b.name)), strings.Compare(a.name, b.name))
	})
	for _, pg := range lib.byFile {
		lib.resolve(pg, files)
	}
	lib.index = newIndex(lib)
	return lib, nil
}

// behind reports whether a shelf is for those who change the program, and stands folded.
func (s *shelf) behind() bool { return s.name == "design" || s.name == project }

// rank is the place of a shelf.
func rank(name string) int {
	if at := slices.Index(order, name); at >= 0 {
		return at
	}
	return len(order)
}

// add puts a page on its shelf.
func (lib *library) add(pg *page) {
	at := slices.IndexFunc(lib.shelves, func(s *shelf) bool { return s.name == pg.shelf })
	if at < 0 {
		at = len(lib.shelves)
		lib.shelves = append(lib.shelves, &shelf{name: pg.shelf})
	}
	lib.shelves[at].pages = append(lib.shelves[at].pages, pg)
	lib.byFile[pg.file], lib.byPath[pg.address()] = pg, pg
}

// beside is the page before or after another on its shelf, nil at the ends.
func (lib *library) beside(pg *page, step int) *page {
	for _, s := range lib.shelves {
		at := slices.Index(s.pages, pg)
		if at < 0 || at+step < 0 || at+step >= len(s.pages) {
			continue
		}
		return s.pages[at+step]
	}
	return nil
}

// placed is the shelf and the name of a file.
func placed(file string) (on, name string) {
	name = strings.ToLower(strings.TrimSuffix(path.Base(file), ".md"))
	if path.Dir(file) == "." {
		return project, name
	}
	return path.Base(path.Dir(file)), name
}

// address is where a page is served.
func (pg *page) address() string { return Path + "/" + pg.shelf + "/" + pg.name }

// has reports whether the page has a heading with this anchor.
func (pg *page) has(anchor string) bool {
	return slices.ContainsFunc(pg.sections, func(s section) bool { return s.anchor == anchor })
}
