package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"reflect"
	"strings"

	"github.com/gavelhq/gavel/platform/identity"
)

// A Page is one part of a list.
type Page[T any] struct {
	Items         []T    `json:"items"`
	NextPageToken string `json:"next_page_token,omitempty" doc:"Send it as page_token for what follows; absent on the last page."`
}

// Paging is what every list takes.
type Paging struct {
	PageSize  int    `query:"page_size" minimum:"1" maximum:"200" doc:"At most so many items; 50 if it is left out."`
	PageToken string `query:"page_token" maxLength:"500" doc:"next_page_token of the page before, with the same filters."`
	Format    string `query:"format" enum:"json,csv" doc:"csv is all the filtered rows as a file, as Accept: text/csv asks for too. It needs the act list.export."`
}

func (p *Paging) paging() *Paging { return p }

// paged is a list's input: something that embeds Paging.
type paged[I any] interface {
	*I
	paging() *Paging
}

// pageSize is how many items a page has if nobody says.
const pageSize = 50

// A fetch reads a part of a list: what follows a token of its own, empty for the
// beginning, so many items at most; and the token of what follows these.
type fetch[I, T any] func(ctx context.Context, who identity.Actor, in *I, after string, limit int) (items []T, next string, err error)

// List registers an operation that answers with pages of a list, or with all of it
// as CSV.
func List[I, T any, P paged[I]](a *API, rt Route, read fetch[I, T]) {
	type output struct{ Body Page[T] }
	rt.Method, rt.listed, rt.shown = http.MethodGet, true, jsonNames(reflect.TypeFor[T]())
	Serve(a, rt, func(ctx context.Context, who identity.Actor, in *I) (*output, error) {
		x, p := exchangeOf(ctx), P(in).paging()
		after, err := x.openToken(p.PageToken)
		if err != nil {
			return nil, err
		}
		if x.wantsCSV(p.Format) {
			return &output{}, sendCSV(x, who, func(after string, limit int) ([]T, string, error) {
				return read(ctx, who, in, after,
					limit)
			}, after)
		}
		limit := p.PageSize
		if limit == 0 {
			limit = pageSize
		}
		items, next, err := read(ctx, who, in, after, limit)
		if items == nil {
			items = []T{}
		}
		return &output{Page[T]{Items: items, NextPageToken: x.sealToken(next)}}, err
	})
}

// A page token is the list's own, and what it belongs to: the operation and its
// filters. It is no secret and protects nothing; it keeps a client that changes a
// filter half-way from taking what it gets for a whole list.

// sealToken is a token as callers see it.
func (x *exchange) sealToken(own string) string {
	if own == "" {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(append(x.filters(), own...))
}

// openToken is the list's own token.
func (x *exchange) openToken(sent string) (string, error) {
	if sent == "" {
		return "", nil
	}
	text, err := base64.RawURLEncoding.DecodeString(sent)
	mark := x.filters()
	if err != nil || len(text) <= len(mark) || string(text[:len(mark)]) != string(mark) {
		return "", details{{Pointer: "query/page_token", Code: CodeElsewhere,
			Detail: "it is not a token of this list with these filters"}}.err()
	}
	return string(text[len(mark):]), nil
}

// filters is a digest of what a list was narrowed by.
func (x *exchange) filters() []byte {
	query := x.r.URL.Query()
	for _, name := range []string{"page_token", "page_size", "format", "fields", "lang"} {
		query.Del(name)
	}
	sum := sha256.Sum256([]byte(x.route.ID + "\n" + x.r.URL.Path + "\n" + query.Encode()))
	return sum[:8]
}

// wantsCSV reports whether the rows are wanted as a file.
func (x *exchange) wantsCSV(format string) bool {
	if format != "" {
		return format == "csv"
	}
	accept := x.r.Header.Get("Accept")
	return strings.Contains(accept, "text/csv") && !strings.Contains(accept, "json")
}
