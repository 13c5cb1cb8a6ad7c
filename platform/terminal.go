package platform

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/gavelhq/gavel/platform/fault"
)

const (
	maxListed   = 10_000  // items a list fetches
	maxExported = 200_000 // items an export does
	pageOfList  = 200     // the most the server gives at once
)

// ListAt prints a list of the server's, and says where it was cut off.
func (t Terminal) ListAt(ctx context.Context, path string, query url.Values, limit int, none string, columns []Column) error {
	if limit < 1 || limit > maxListed {
		return fault.New(fault.Invalid, "--limit takes 1 to %d, not %d", maxListed, limit)
	}
	items, more, err := t.Gather(ctx, path, query, limit)
	if err != nil {
		return err
	}
	if err := t.List(items, none, columns...); err != nil {
		return err
	}
	if more {
		t.Say("there are more; raise --limit")
	}
	return nil
}

// ShowAt prints one thing the server has.
func (t Terminal) ShowAt(ctx context.Context, path string, columns []Column) error {
	var item json.RawMessage
	if err := t.Call(ctx, http.MethodGet, path, nil, &item); err != nil {
		return err
	}
	return t.One(item, columns...)
}

// PutAt writes one thing whole and prints what it is now.
func (t Terminal) PutAt(ctx context.Context, path string, body any, columns []Column) error {
	return t.sendTo(ctx, http.MethodPut, path, body, columns)
}

// PostAt asks for something and prints what came of it.
func (t Terminal) PostAt(ctx context.Context, path string, body any, columns []Column) error {
	return t.sendTo(ctx, http.MethodPost, path, body, columns)
}

func (t Terminal) sendTo(ctx context.Context, method, path string, body any, columns []Column) error {
	var item json.RawMessage
	if err := t.Call(ctx, method, path, body, &item); err != nil {
		return err
	}
	return t.One(item, columns...)
}

// AllAt reads a whole list. One that is longer than anybody has is refused: a part
// must not be taken for the whole.
func (t Terminal) AllAt(ctx context.Context, path string, query url.Values) ([]json.RawMessage, error) {
	items, more, err := t.Gather(ctx, path, query, maxExported)
	if more {
		return nil, fault.New(fault.TooLarge, "the list has over %d lines", maxExported).WithNext("narrow it")
	}
	return items, err
}

// Gather reads pages of a list until there are enough items, and says whether more
// remain. Empty values of the query are left out.
func (t Terminal) Gather(ctx context.Context, path string, query url.Values, limit int) (items []json.RawMessage, more bool, err error) {
	return Gather(limit, func(size int, token string) ([]json.RawMessage, string, error) {
		asked := url.Values{"page_size": {strconv.Itoa(size)}}
		for name, values := range query {
			if values[0] != "" {
				asked[name] = values
			}
		}
		if token != "" {
			asked.Set("page_token", token)
		}
		var page struct {
			Items []json.RawMessage `json:"items"`
			Next  string            `json:"next_page_token"`
		}
		err := t.Call(ctx, http.MethodGet, path+"?"+asked.Encode(), nil, &page)
		return page.Items, page.Next, err
	})
}

// Gather reads pages of any list of the API until there are enough items, and says
// whether more remain.
func Gather[T any](limit int, read func(size int, token string) (page []T, next string, err error)) (items []T, more bool, err error) {
	token := ""
	for {
		page, next, err := read(min(limit-len(items), pageOfList), token)
		if err != nil {
			return nil, false, err
		}
		items = append(items, page...)
		switch {
		case next == "":
			return items, false, nil
		case len(items) >= limit:
			return items[:limit], true, nil
		case len(page) == 0 || next == token:
			return nil, false, fault.New(fault.Unavailable, "the server's list does not end as lists do")
		}
		token = next
	}
}
