package web

// A Frame is how a page fills the shell.
type Frame string

// The frames.
const (
	Padded Frame = ""        // an ordinary page
	Flush  Frame = "flush"   // the page goes to the edges: a list and what is selected in it
	Barred Frame = "has-bar" // the page ends in a bar that stays in sight
)
