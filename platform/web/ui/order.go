package ui

import (
	"net/url"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// What aria-sort calls the two ways.
const (
	ascending  = "ascending"
	descending = "descending"
)

// An Order is how a table is sorted: by which column, and which way. In an
// address it is written sort=rows or, from the largest down, sort=-rows.
type Order struct {
	By   string
	Down bool
}

// ParseOrder reads an order from an address. Only the named columns can be
// sorted by; the first is what an address without an order means.
func ParseOrder(s string, columns ...string) (Order, error) {
	if s == "" && len(columns) > 0 {
		s = columns[0]
	}
	o := Order{By: strings.TrimPrefix(s, "-"), Down: strings.HasPrefix(s, "-")}
	if !slices.Contains(columns, o.By) {
		return Order{}, fault.New(fault.Invalid, "this list cannot be sorted by %.40q", s).
			WithNext("Sort by one of: %s.", strings.Join(columns, ", ")).
			Because("no_order", "value", s, "columns", strings.Join(columns, ", "))
	}
	return o, nil
}

// String is the order as an address writes it.
func (o Order) String() string {
	if o.Down {
		return "-" + o.By
	}
	return o.By
}

// Column is the head of a column that can be sorted by, in a table that is
// sorted this way now. Its link turns the order round, keeps the filter in q and
// begins at the first page.
func (o Order) Column(title, by, path string, q url.Values) Column {
	c := Column{Title: title}
	next := Order{By: by}
	if by == o.By {
		c.Sort, next.Down = ascending, !o.Down
		if o.Down {
			c.Sort = descending
		}
	}
	kept := url.Values{}
	for name, values := range q {
		if name != "after" && name != "before" {
			kept[name] = values
		}
	}
	kept.Set("sort", next.String())
	c.Href = path + "?" + kept.Encode()
	return c
}
