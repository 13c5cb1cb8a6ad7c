// Package prose is for reading a text the way a checker must: sentence by
// sentence, with every mention of a known subject, every cited fact, every digit
// and every claiming word marked and in its clause.
//
// Read Reader.Read first. It says what stands where; whether it is true is the
// business of package verify. The reading is mechanical: no grammar is guessed
// beyond clause marks, lists and brackets, and what it cannot place stays
// unplaced, so that the checker can refuse it.
package prose

import (
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/lexicon"
	"github.com/gavelhq/gavel/platform/fact/render"
)

// A Dimension is one way in which facts differ: scenario, sector, station.
type Dimension struct {
	Name    string     // the id's name in a fact's subject
	Nouns   fact.Names // what people call such a thing: scenario, scenarios, परिदृश्य
	Members []Member
}

// A Member is one value of a dimension with everything people call it.
type Member struct {
	ID    string
	Names fact.Names
}

// A Vocabulary is what the reader must recognise.
type Vocabulary struct {
	Dimensions []Dimension
	Units      map[string][]string // unit → how texts write it, besides the unit itself
	Allow      []string            // phrases that may hold digits
}

// A Kind says what a Node is.
type Kind uint8

// The kinds of node.
const (
	Word    Kind = iota // a word or phrase; Sense says what it may claim
	Number              // digits that nothing allows
	Punct               //
	Cited               // a token that names a fact
	Broken              // braces that are no token
	Mention             // a member of a dimension
	Noun                // a dimension's own name
	Allowed             // digits that may stand: a date, a statute, an allowed phrase
	Year                // a year that occurs in the data
	Figure              // a reference to a figure or table
)

// A Node is one thing in a sentence.
type Node struct {
	Kind       Kind
	Start, End int    // bytes in the text
	Text       string // folded
	Sense      lexicon.Sense
	Arg        int    // of the sense; the year of a Year
	Dim, ID    string // of a Mention; a Noun has only Dim
	Token      render.Token
	Unit       string // unit whose name starts here, canonical; set on any node
	UnitEnd    int    // byte where that name ends
	HasUnit    bool
	Seg        int  // segment
	Side       bool // a mention on the other side of a comparison, or left out
}

// A Segment is a stretch between clause marks.
type Segment struct {
	From, To int  // nodes [From, To)
	Group    int  // bracket it stands in; 0 is the sentence itself
	Side     bool // opened by than, unlike, compared with
	Strong   bool // opened by a strong clause mark
}

// A Sentence is what the checker judges at one time.
type Sentence struct {
	Start, End int // bytes in the text
	Nodes      []Node
	Segments   []Segment
	Parents    []int // enclosing bracket of each bracket
	Hindi      bool  // holds Devanagari letters: verbs stand last
	TooLong    bool  // more nodes than are judged; only its numbers are marked
}

// MaxNodes bounds the sentence that is judged as one.
const MaxNodes = 600
