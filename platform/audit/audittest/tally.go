// Package audittest counts what attackers changed and what was named of it, so
// that the bars of several packages add up to one figure.
package audittest

import "fmt"

// A Tally counts kinds of tampering. The zero value is empty.
type Tally struct {
	kinds   []string
	all     map[string]int
	named   map[string]int
	whole   int
	refused int
}

// Tried counts one change of a kind: named is whether a finding said what was changed.
func (c *Tally) Tried(kind string, named bool) {
	if c.all == nil {
		c.all, c.named = map[string]int{}, map[string]int{}
	}
	if c.all[kind] == 0 {
		c.kinds = append(c.kinds, kind)
	}
	if c.all[kind]++; named {
		c.named[kind]++
	}
}

// Whole counts a bundle that nobody changed.
func (c *Tally) Whole(refused bool) {
	if c.whole++; refused {
		c.refused++
	}
}

// Print says what was counted, one kind a line, in the form that .ci/tamper.awk
// adds up.
func (c *Tally) Print() {
	for _, kind := range c.kinds {
		fmt.Printf("tally: %s: %d of %d named\n", kind, c.named[kind], c.all[kind])
	}
	if c.whole > 0 {
		fmt.Printf("tally: true bundles: %d of %d refused\n", c.refused, c.whole)
	}
}
