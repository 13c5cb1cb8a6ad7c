// Package ui holds the pieces pages are made of, so that there is one way to draw
// a button, a verdict or a table, and one place to mend it.
//
// A piece that holds nothing of others is a value that renders itself:
//
//	@ui.Button{Label: "File the report", Look: ui.Primary}
//
// One that holds others, or speaks for itself in the reader's language, is a
// function:
//
//	@ui.Panel("why", title) { … }
//
// What the shell itself is made of stands in package web: Icon, Badge, NoticeBox,
// Empty, DueClock, FieldError and Outcome. Package gallery shows every piece in
// every state.
package ui

import (
	"slices"
	"strings"
)

// A Tone is how something stands. It is said by word and icon; colour repeats it.
type Tone string

// The tones.
const (
	Neutral Tone = "plain"
	Good    Tone = "ok"
	Careful Tone = "warn"
	Bad     Tone = "bad"
	Here    Tone = "info" // it is the reader's turn
)

// A Link is a word that leads somewhere.
type Link struct {
	Text string
	Href string // empty for a word that leads nowhere
}

// classes joins the names that are there.
func classes(names ...string) string {
	return strings.Join(slices.DeleteFunc(names, func(name string) bool { return name == "" }), " ")
}

// when is a name that is there only if something holds.
func when(holds bool, name string) string {
	if holds {
		return name
	}
	return ""
}
