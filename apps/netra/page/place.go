package page

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A place is where a state lies on the map of tiles: its band from the north, and from 0 in the west to 1 in the east.
type place struct {
	band int
	at   float64
}

// places are India's states and union territories, about where they lie. This is our own drawing: no boundary is taken from
// anywhere, and none is drawn.
var places = map[string]place{
	"jammu and kashmir": {0, 0.2}, "ladakh": {0, 0.4},
	"punjab": {1, 0.16}, "chandigarh": {1, 0.26}, "himachal pradesh": {1, 0.36},
	"haryana": {2, 0.18}, "delhi": {2, 0.28}, "uttarakhand": {2, 0.42}, "sikkim": {2, 0.7}, "arunachal pradesh": {2, 0.94},
	"rajasthan": {3, 0.1}, "uttar pradesh": {3, 0.4}, "bihar": {3, 0.62}, "assam": {3, 0.84}, "nagaland": {3, 0.98},
	"gujarat": {4, 0.05}, "madhya pradesh": {4, 0.33}, "jharkhand": {4, 0.58}, "west bengal": {4, 0.7}, "meghalaya": {4, 0.82},
	"manipur": {4, 0.96},
	"dadra and nagar haveli and daman and diu": {5, 0.05}, "maharashtra": {5, 0.25}, "chhattisgarh": {5, 0.48}, "odisha": {5, 0.62},
	"tripura": {5, 0.84}, "mizoram": {5, 0.94},
	"goa": {6, 0.15}, "telangana": {6, 0.38}, "andhra pradesh": {6, 0.55},
	"karnataka": {7, 0.22}, "tamil nadu": {7, 0.42}, "puducherry": {7, 0.55},
	"lakshadweep": {8, 0.08}, "kerala": {8, 0.28}, "andaman and nicobar islands": {8, 0.92},
}

// elsewhere is the first band of states that are not on the list.
const elsewhere = 9

// placesOf is where states lie; those that are not on the list stand below all others, by their names, three in a band.
func placesOf(states []string) map[string]place {
	out := map[string]place{}
	var others []string
	for _, s := range states {
		name := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "&", "and")
		if at, ok := places[name]; ok {
			out[s] = at
		} else {
			others = append(others, s)
		}
	}
	slices.Sort(others)
	for i, s := range slices.Compact(others) {
		out[s] = place{elsewhere + i/3, 0.17 + 0.33*float64(i%3)}
	}
	return out
}

// abbreviated is a district's name as it stands on its tile: three letters, of two words the first and two of the last.
func abbreviated(name string) string {
	words := strings.FieldsFunc(name, func(c rune) bool { return c == ' ' || c == '-' || c == '(' || c == ')' })
	if len(words) == 0 {
		return ""
	}
	if len(words) == 1 {
		return letters(words[0], 3)
	}
	return letters(words[0], 1) + letters(words[len(words)-1], 2)
}

func letters(word string, n int) string {
	for i := range word {
		if n == 0 {
			return word[:i]
		}
		n--
	}
	if utf8.ValidString(word) {
		return word
	}
	return ""
}
