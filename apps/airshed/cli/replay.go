package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

func (c terminal) replayCommand() *cobra.Command {
	var o offline
	cmd := &cobra.Command{
		Use:   "replay <analysis.json>",
		Short: "Do an analysis again and compare it, byte for byte",
		Long: `Repeat an analysis from the file it was made of. Compare it byte for byte with the
one that was kept. Ends with an error where they differ, and says which part does.`,
		Example: `  gavel airshed replay analysis.json --data november.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			kept, err := platform.ReadInput(args[0], analysis.MaxBytes)
			if err != nil {
				return err
			}
			var was analysis.Analysis
			if err := json.Unmarshal(kept, &was); err != nil || was.Key == "" {
				return fault.From(fault.Invalid, err, "%s is no analysis", args[0]).
					WithNext("gavel airshed episode <key> --data %s --out analysis.json", o.Data)
			}
			o.Method = string(was.Method())
			_, again, err := o.analyse(string(was.Key))
			if err != nil {
				return err
			}
			if bytes.Equal(kept, again) {
				return c.One(replayed(was))
			}
			return fault.New(fault.Conflict, "the analysis of %s differs: %s", was.Key, differs(kept, again)).
				WithNext("see whether the data file and the version of Gavel are those it was made with")
		},
	}
	return files(cmd, &o)
}

// replayed is what is printed of an analysis that was done again.
func replayed(a analysis.Analysis) (json.RawMessage, platform.Column, platform.Column) {
	body, _ := json.Marshal(map[string]any{"key": a.Key, "same_bytes": true}) // text and a truth value
	return body, platform.Column{Head: "EPISODE", Field: "key"}, platform.Column{Head: "SAME BYTES", Field: "same_bytes"}
}

// differs names the parts of two analyses that are not the same.
func differs(kept, again []byte) string {
	var was, is map[string]json.RawMessage
	if json.Unmarshal(kept, &was) != nil || json.Unmarshal(again, &is) != nil {
		return "one of them is no object"
	}
	var parts []string
	for _, name := range namesOf(was, is) {
		if !bytes.Equal(was[name], is[name]) {
			parts = append(parts, name)
		}
	}
	if len(parts) == 0 {
		return "the same content in another form"
	}
	return strings.Join(parts, ", ")
}

// namesOf are the names of both, in order.
func namesOf(a, b map[string]json.RawMessage) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
