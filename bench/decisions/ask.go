package main

import (
	"fmt"
	"strings"
)

// callsPerCase is how many things an agent proposes, all in one turn.
const callsPerCase = 10

// The tools that wait for a person.
const (
	letter = "letter" // leaves the house, and can be undone for as long as undoWindow
	note   = "note"   // a row of our own
	wire   = "wire"   // leaves the house, and two people must approve it
)

// An ask is one thing that an agent will propose.
type ask struct{ file, n int }

// tool is what it asks for: of ten seven letters, two notes and a wire.
func (a ask) tool() string {
	switch a.n {
	case callsPerCase - 1:
		return wire
	case callsPerCase - 2, callsPerCase - 3:
		return note
	}
	return letter
}

// word tells it from every other, whatever numbers and keys it gets on its way.
func (a ask) word() string { return fmt.Sprintf("%s-%d-%d", a.tool(), a.file, a.n) }

// voices is how many people must approve it.
func (a ask) voices() int {
	if a.tool() == wire {
		return 2
	}
	return 1
}

// parseWord finds the ask a word belongs to.
func parseWord(word string) (a ask, ok bool) {
	tool, rest, _ := strings.Cut(word, "-")
	if n, err := fmt.Sscanf(rest, "%d-%d", &a.file, &a.n); n != 2 || err != nil {
		return a, false
	}
	return a, a.tool() == tool && a.word() == word
}

// script is what the agent of a case does.
func script(file int) string {
	var calls []string
	for n := range callsPerCase {
		a := ask{file, n}
		calls = append(calls, a.tool()+" "+a.word())
	}
	return strings.Join(calls, "; ")
}

// everyAsk is all that will be proposed.
func everyAsk(files int) []ask {
	var all []ask
	for file := range files {
		for n := range callsPerCase {
			all = append(all, ask{file, n})
		}
	}
	return all
}
