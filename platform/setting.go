package platform

// A Setting is what an installation tells an application at start and no
// organisation can change: where a server is, a key. It stands in the same table
// as Gavel's own, comes from the same places and is refused by name like them.
type Setting struct {
	Name    string // "GAVEL_ROUTER"; no other application's
	Help    string // what it is for
	Expect  string // what a valid value looks like, after the word "expected"
	Default string
	Secret  bool // never shown
	Fits    func(value string) bool
	// Address is the http(s) address in a value, and Carries what goes there.
	// Production refuses plain HTTP to another machine. Nil where there is none.
	Address func(value string) string
	Carries string
}
