// Command regions writes the outlines that package region looks places up in: the
// states of India and the countries around it, out of Natural Earth's public-domain
// data as github.com/sams96/rgeo carries them. Neighbours come to share one and the
// same simplified line, so that no place lies in two states or between two.
//
//	regions ../../../apps/airshed/rule/region/outlines.bin
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: regions outlines.bin")
		os.Exit(2)
	}
	file, err := outlines()
	if err == nil {
		err = os.WriteFile(os.Args[1], file, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%s: %d bytes\n", os.Args[1], len(file))
}

// outlines is the whole way from the source's polygons to the bytes of the file.
func outlines() ([]byte, error) {
	raw := provinces()
	shapes, err := read(raw)
	if err != nil {
		return nil, err
	}
	stitch(shapes)
	lines, err := join(shapes)
	if err != nil {
		return nil, err
	}
	lines, err = simplify(lines)
	if err != nil {
		return nil, err
	}
	return write(lines, raw)
}
