// Package planted has a fault of every kind, each with what is to be said of it.
package planted

import "fmt"

func Verb() string { return fmt.Sprintf("%d", "three") } // want "of wrong type string"

func Nil(p *int) int {
	if p == nil {
		return *p // want "nil dereference in load"
	}
	return *p
}
