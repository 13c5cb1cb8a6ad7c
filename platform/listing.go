package platform

import (
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/list"
)

// A Listing is a list of the API as a command shows it.
type Listing struct {
	Short, Example string
	Address        string // of the API
	None           string // what is said where there is nothing
	Columns        []Column
	Flags          []Flag // what narrows it
}

// A Flag narrows a list.
type Flag struct {
	Name   string
	Query  string // what the API calls it
	Help   string
	Switch bool // it is on or off, and not a text
}

// ListCommand is the command that shows a list.
func (t Terminal) ListCommand(l Listing) *cobra.Command {
	texts, switches := map[string]*string{}, map[string]*bool{}
	var limit int
	cmd := &cobra.Command{Use: "list", Short: l.Short, Example: l.Example, Args: cobra.NoArgs}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		query := url.Values{}
		for name, text := range texts {
			query.Set(name, *text)
		}
		for name, on := range switches {
			if *on {
				query.Set(name, strconv.FormatBool(true))
			}
		}
		return t.ListAt(cmd.Context(), l.Address, query, limit, l.None, l.Columns)
	}
	for _, f := range l.Flags {
		if f.Switch {
			switches[f.Query] = cmd.Flags().Bool(f.Name, false, f.Help)
		} else {
			texts[f.Query] = cmd.Flags().String(f.Name, "", f.Help)
		}
	}
	cmd.Flags().IntVar(&limit, "limit", list.Usual, "at most so many")
	return t.Uses(cmd)
}
