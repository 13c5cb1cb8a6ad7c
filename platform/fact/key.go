package fact

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// keyOfReading is the key of an observed, quoted or assumed fact: the digest of
// kind, subject and selector without anything that says where the row stood or who
// typed it. The snapshot, the names and the value are left out too: they change
// while the thing measured does not.
func keyOfReading(kind Kind, s Subject, sel Selector) string {
	var where []string
	switch {
	case sel.CSV != nil:
		where = []string{"csv", sel.CSV.Column}
	case sel.JSON != nil:
		where = []string{"json", withoutPositions(sel.JSON.Pointer)}
	case sel.Row != nil:
		where = []string{"row", sel.Row.Table, sel.Row.PK}
	default:
		where = []string{"manual"}
	}
	return digest(struct {
		Form  string            `json:"form"`
		Kind  Kind              `json:"kind"`
		Type  string            `json:"type"`
		IDs   map[string]string `json:"ids"`
		Where []string          `json:"where"`
	}{"gavel.fact.reading.1", kind, s.Type, s.IDs, where})
}

// keyOfCalc is the key of a computed fact: the operation and what it was done
// to. Versions are left out, so that a recomputation keeps the F-number; so is
// the order of inputs where it makes no difference.
func keyOfCalc(op Op, inputs []Fact) string {
	keys := make([]string, len(inputs))
	for i, f := range inputs {
		keys[i] = f.Key
	}
	slices.Sort(keys[ordered(op):])
	return digest(struct {
		Form   string   `json:"form"`
		Op     Op       `json:"op"`
		Inputs []string `json:"inputs"`
	}{"gavel.fact.calc.1", op, keys})
}

// ordered is how many of an operation's first inputs have a place of their own.
func ordered(op Op) int {
	switch op {
	case Difference, Ratio, Percentage, Growth:
		return 2
	case Share, Rank, RankLow:
		return 1
	}
	return 0
}

// withoutPositions replaces the array positions of a pointer. A pointer does not
// say whether /2030 is a position or a name, so both go; the subject's year
// tells such facts apart.
func withoutPositions(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		if p != "" && allDigits(p) {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// digest hashes v's JSON. encoding/json sorts map keys and the structs above
// have no other freedom, so equal values have equal bytes.
func digest(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("fact: a key of plain strings cannot fail to encode: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
