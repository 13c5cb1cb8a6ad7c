package register_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/register"
)

// TestALineThatIsMissingOrChangedIsFound promises that of a register every line counts: what is left out, put in another order or changed
// breaks it, and nothing else does.
func TestALineThatIsMissingOrChangedIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) register.Line {
			return register.Line{Number: rapid.String().Draw(t, "number"), Version: rapid.Int().Draw(t, "version"), Reason: rapid.String().
				Draw(t,
					"reason")}
		}), 2, 20).Draw(t, "lines")
		file, err := register.Write(lines, "")
		if err != nil {
			t.Fatal(err)
		}
		last, err := register.Check(file, "")
		if err != nil {
			t.Fatal(err)
		}
		more, err := register.Write(lines, last)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := register.Check(append(bytes.Clone(file), more...), ""); err != nil {
			t.Fatalf("what goes on from it is refused: %v", err)
		}
		all := bytes.SplitAfter(file, []byte("\n"))
		all = all[:len(all)-1]
		i := rapid.IntRange(0, len(all)-2).Draw(t, "missing")
		if _, err := register.Check(bytes.Join(append(append([][]byte{}, all[:i]...), all[i+1:]...), nil), ""); err == nil {
			t.Fatalf("line %d is missing, and nobody finds it", i+1)
		}
		other := bytes.Clone(file)
		other[rapid.IntRange(0, len(file)-len(all[len(all)-1])-2).Draw(t, "changed")] ^= 1
		if _, err := register.Check(other, ""); err == nil {
			t.Fatal("a line was changed, and nobody finds it")
		}
	})
}
