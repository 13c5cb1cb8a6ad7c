package poolpatrol

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// commands are what Pool Patrol adds to the command line: one command, with all
// others below it. They speak to a server's API and know nothing else.
func commands(t platform.Terminal) []*cobra.Command {
	cmd := &cobra.Command{
		Use:   "poolpatrol",
		Short: "Audit vanpools, import their records, try other rules",
		Long: `Audit the vanpools of a commuter programme, import the records they are audited
on, and see whom other rules would have flagged.

An audit opens a case for every van that fails, and riders who may be written to
are: with what is held about them, and seven days to answer. Nobody loses a seat
without a person's decision. Try the rules first with simulate.`,
		Example: `  gavel poolpatrol import employees employees.csv --whole --dry-run
  gavel poolpatrol audit --wait
  gavel poolpatrol van list --outcome failed
  gavel poolpatrol simulate location.threshold_miles=40`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c := terminal{t}
	cmd.AddCommand(c.caseCommand(), c.scheduleCommand(), c.settingsCommand())
	cmd.AddCommand(c.auditCommand(), c.passCommand(), c.vanCommand(), c.importCommand(), c.simulateCommand(), c.exportCommand())
	return []*cobra.Command{cmd}
}

// terminal is the program's, with what several commands need.
type terminal struct{ platform.Terminal }

const (
	maxListed   = 10_000  // items a list fetches
	maxExported = 200_000 // items an export does
	pageOfList  = 200     // the most the server gives at once
)

func checkLimit(limit int) error {
	if limit < 1 || limit > maxListed {
		return fault.New(fault.Invalid, "--limit takes 1 to %d, not %d", maxListed, limit)
	}
	return nil
}

// gather reads pages of a list until there are enough items, and says whether
// more remain.
func (c terminal) gather(ctx context.Context, path string, query url.Values, limit int) (items []json.RawMessage, more bool, err error) {
	token := ""
	for {
		var page struct {
			Items []json.RawMessage `json:"items"`
			Next  string            `json:"next_page_token"`
		}
		asked := url.Values{"page_size": {strconv.Itoa(min(limit-len(items), pageOfList))}}
		for name, values := range query {
			if values[0] != "" {
				asked[name] = values
			}
		}
		if token != "" {
			asked.Set("page_token", token)
		}
		if err := c.Call(ctx, http.MethodGet, path+"?"+asked.Encode(), nil, &page); err != nil {
			return nil, false, err
		}
		items = append(items, page.Items...)
		switch {
		case page.Next == "":
			return items, false, nil
		case len(items) >= limit:
			return items[:limit], true, nil
		case len(page.Items) == 0 || page.Next == token:
			return nil, false, fault.New(fault.Unavailable, "the server's list does not end as lists do")
		}
		token = page.Next
	}
}

// list prints a list, and says where it was cut off.
func (c terminal) list(ctx context.Context, path string, query url.Values, limit int, none string, columns []platform.Column) error {
	if err := checkLimit(limit); err != nil {
		return err
	}
	items, more, err := c.gather(ctx, path, query, limit)
	if err != nil {
		return err
	}
	if err := c.List(items, none, columns...); err != nil {
		return err
	}
	if more {
		c.Say("there are more; raise --limit")
	}
	return nil
}

// show prints one thing the server has.
func (c terminal) show(ctx context.Context, path string, columns []platform.Column) error {
	var item json.RawMessage
	if err := c.Call(ctx, http.MethodGet, path, nil, &item); err != nil {
		return err
	}
	return c.One(item, columns...)
}

// of is an address with a name in it that somebody typed.
func of(path, name string) string { return "/v1/poolpatrol/" + path + "/" + url.PathEscape(name) }
