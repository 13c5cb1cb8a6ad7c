package main

import (
	"github.com/gavelhq/gavel/cmd/gavel/client"
	"github.com/gavelhq/gavel/platform/fault"
)

const (
	maxList  = 10_000 // items one list command fetches
	pageSize = 200    // the most the server gives at once
)

func checkLimit(limit int) error {
	if limit < 1 || limit > maxList {
		return fault.New(fault.Invalid, "--limit takes 1 to %d, not %d", maxList, limit)
	}
	return nil
}

// gather reads pages of a list until there are enough items, and says whether
// more remain.
func gather[T any](limit int, read func(size int, token string) (client.Page[T], error)) (items []T, more bool, err error) {
	token := ""
	for {
		page, err := read(min(limit-len(items), pageSize), token)
		if err != nil {
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

// sayMore says that a list was cut off, where it was.
func (c *cli) sayMore(more bool) {
	if more {
		c.print.Say("there are more; raise --limit")
	}
}
