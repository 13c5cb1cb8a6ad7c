package chart

import _ "embed" // the stylesheets

//go:embed chart.css
var chartCSS string

//go:embed paper.css
var paperCSS string

// Style is the rules of the drawings for pages of the console, whose tokens they use.
func Style() string { return chartCSS }

// Paper is all the rules of the drawings, for a page that has no stylesheet of the
// console: a report that must need nothing from outside.
func Paper() string { return paperCSS + chartCSS }
