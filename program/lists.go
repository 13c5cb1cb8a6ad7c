package program

import (
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
)

const maxList = 10_000 // items one list command fetches

func checkLimit(limit int) error {
	if limit < 1 || limit > maxList {
		return fault.New(fault.Invalid, "--limit takes 1 to %d, not %d", maxList, limit)
	}
	return nil
}

// gather reads pages of a list until there are enough items, and says whether
// more remain.
func gather[T any](limit int, read func(size int, token string) (client.Page[T], error)) (items []T, more bool, err error) {
	return platform.Gather(limit, func(size int, token string) ([]T, string, error) {
		page, err := read(size, token)
		return page.Items, page.Next, err
	})
}

// sayMore says that a list was cut off, where it was.
func (c *cli) sayMore(more bool) {
	if more {
		c.print.Say("there are more; raise --limit")
	}
}
