package program

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

// A listing is a page of any list.
type listing struct {
	Items []json.RawMessage `json:"items"`
	Next  string            `json:"next_page_token"`
}

// printBody prints an answer: whole where the form is one document, and else the
// items of a list, or the one thing it is.
func (c *cli) printBody(body json.RawMessage) error {
	var page listing
	isList := json.Unmarshal(body, &page) == nil && page.Items != nil
	if !isList || c.print.Format.Whole() || c.print.ForPeople() {
		return c.printAny(body)
	}
	if page.Next != "" {
		c.print.Say("there are more; use --paginate")
	}
	return output.List(c.print, page.Items, "nothing", anyColumns(page.Items))
}

// printAny prints one JSON value. For people that is JSON, too.
func (c *cli) printAny(body json.RawMessage) error {
	p := *c.print
	if p.ForPeople() {
		p.Format = output.JSON
	}
	return output.One(&p, body, anyColumns([]json.RawMessage{body}))
}

// anyColumns are the fields of the first item, in their order.
func anyColumns(items []json.RawMessage) []output.Column[json.RawMessage] {
	if len(items) == 0 {
		return nil
	}
	var columns []output.Column[json.RawMessage]
	for _, name := range output.FieldNames(items[0]) {
		columns = append(columns, output.Column[json.RawMessage]{Head: strings.ToUpper(name), Field: name, Names: name == "id",
			Value: func(item json.RawMessage) any { return output.Text(item, name) }})
	}
	return columns
}

// allPages reads a list to its end. Lines are printed as they come; everything
// else when all is there.
func (c *cli) allPages(ctx context.Context, server *client.Client, one client.Call) error {
	var all []json.RawMessage
	token := ""
	for range maxPages {
		page, err := onePage(ctx, server, one, token)
		if err != nil {
			return err
		}
		if c.print.Format == output.NDJSON {
			if err := output.List(c.print, page.Items, "nothing", anyColumns(page.Items)); err != nil {
				return err
			}
		} else {
			all = append(all, page.Items...)
		}
		switch {
		case page.Next == "" && c.print.Format == output.NDJSON:
			return nil
		case page.Next == "":
			return c.printAll(all)
		case page.Next == token:
			return fault.New(fault.Unavailable, "the server's list does not end as lists do")
		}
		token = page.Next
	}
	return fault.New(fault.TooLarge, "the list has over %d pages", maxPages).WithNext("narrow it with -f, or ask for page_size=200")
}

func (c *cli) printAll(all []json.RawMessage) error {
	p := *c.print
	if p.ForPeople() {
		p.Format = output.JSON
	}
	return output.List(&p, all, "nothing", anyColumns(all))
}

func onePage(ctx context.Context, server *client.Client, one client.Call, token string) (page listing, err error) {
	one.Query = maps.Clone(one.Query)
	if token != "" {
		one.Query.Set("page_token", token)
	}
	answer, err := server.Call(ctx, one)
	if err != nil {
		return page, err
	}
	defer answer.Body.Close()
	body, err := answer.JSON()
	if err != nil {
		return page, err
	}
	if json.Unmarshal(body, &page) != nil || page.Items == nil {
		return page, fault.New(fault.Invalid, "%.80s is no list: it has no pages", one.Path).WithNext("leave out --paginate")
	}
	return page, nil
}

// printEvents prints the data of each event of a stream as a line.
func (c *cli) printEvents(ctx context.Context, stream io.Reader) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(make([]byte, 64<<10), maxBody)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue
		}
		if _, err := fmt.Fprintln(c.out, output.Safe(strings.TrimSpace(data))); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := lines.Err(); err != nil {
		return fault.From(fault.Unavailable, err, "the stream broke off").
			WithNext("run the same command again, with -H 'Last-Event-ID: …' to go on from there")
	}
	return nil
}
