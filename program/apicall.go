package program

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

// Bounds of gavel api.
const (
	maxBody  = 1 << 20 // bytes of a body that is sent
	maxPages = 1_000   // of a list that is read to its end
	maxRaw   = 4 << 30 // bytes of an answer that is no JSON
)

// An apiCall is what the flags of gavel api say.
type apiCall struct {
	fields, typed, headers []string
	input                  string
	paginate, include      bool
}

func (c *cli) apiCommand() *cobra.Command {
	var call apiCall
	cmd := &cobra.Command{
		Use:   "api [METHOD] PATH",
		Short: "Send any request to the API",
		Long: `Send any request to the API, with your token, and print the answer. Without a
method it is a GET. What the API takes and answers stands on the server's page
/reference and in /openapi.json.

Fields go into the query of a GET and into the JSON body of anything else. A
write gets an Idempotency-Key unless you give one. It is then done once, however
often it is sent. A stream of events is printed an event a line, as JSON.`,
		Example: `  gavel api GET /v1/cases -f state=open
  gavel api /v1/proposals --paginate --jq '.[].id'
  gavel api POST /v1/cases -f app=general -f key=jind-1 -f title="Smoke over Jind"
  gavel api POST /v1/proposals/P-881/decisions --input decision.json -H 'If-Match: "4f0c…-1"'
  gavel api /v1/events -H 'Accept: text/event-stream'`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				args = []string{http.MethodGet, args[0]}
			}
			return c.callAPI(cmd.Context(), strings.ToUpper(args[0]), args[1], call)
		},
	}
	f := cmd.Flags()
	f.StringArrayVarP(&call.fields, "field", "f", nil, "a field, as name=text; may be repeated")
	f.StringArrayVarP(&call.typed, "typed-field", "F", nil, "a field of a body, as name=JSON; may be repeated")
	f.StringArrayVarP(&call.headers, "header", "H", nil, "a header, as 'Name: value'; may be repeated")
	f.StringVar(&call.input, "input", "", "file with the body, - for the standard input")
	f.BoolVar(&call.paginate, "paginate", false, "read all pages of a list, and print its items")
	f.BoolVarP(&call.include, "include", "i", false, "say the status and the headers of the answer, too, beside the data")
	_ = cmd.MarkFlagFilename("input")
	return c.talksToServer(cmd)
}

func (c *cli) callAPI(ctx context.Context, method, path string, call apiCall) error {
	request, err := c.wordCall(method, path, call)
	if err != nil {
		return err
	}
	server, err := c.server()
	if err != nil {
		return err
	}
	if call.paginate {
		return c.allPages(ctx, server, request)
	}
	answer, err := server.Call(ctx, request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if call.include {
		c.sayHeaders(answer)
	}
	switch answer.Media() {
	case "application/json":
		body, err := answer.JSON()
		if err != nil {
			return err
		}
		return c.printBody(body)
	case "text/event-stream":
		return c.printEvents(ctx, answer.Body)
	}
	n, err := io.Copy(c.out, io.LimitReader(answer.Body, maxRaw+1))
	if err == nil && n > maxRaw {
		err = fault.New(fault.TooLarge, "the answer is larger than %d GiB; what was printed is not all of it", maxRaw>>30)
	}
	return err
}

func (c *cli) sayHeaders(a *client.Answer) {
	c.print.Say("%s", output.Clean(a.Status))
	for _, name := range slices.Sorted(maps.Keys(a.Header)) {
		c.print.Say("%s: %s", output.Clean(name), output.Clean(strings.Join(a.Header[name], ", ")))
	}
}

// wordCall makes a request of what the person gave.
func (c *cli) wordCall(method, path string, call apiCall) (client.Call, error) {
	one := client.Call{Method: method, Path: path, Header: http.Header{}}
	reads := method == http.MethodGet || method == http.MethodHead
	fields, err := bodyFields(call)
	switch {
	case err != nil:
		return one, err
	case !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, method):
		return one, fault.New(fault.Invalid, "%.20q is no method; those are GET, HEAD, POST, PUT, PATCH and DELETE", method)
	case call.paginate && method != http.MethodGet:
		return one, fault.New(fault.Invalid, "--paginate reads lists, and lists are read with GET")
	case call.input != "" && len(fields) > 0:
		return one, fault.New(fault.Invalid, "--input is the whole body; give fields or a file, not both")
	case reads && (call.input != "" || len(call.typed) > 0):
		return one, fault.New(fault.Invalid, "a %s has no body: use -f, which goes into the query", method)
	case reads:
		one.Query = url.Values{}
		for _, f := range call.fields {
			name, value, _ := strings.Cut(f, "=")
			one.Query.Add(name, value)
		}
	case call.input != "":
		one.Body, err = c.readBody(call.input)
	case len(fields) > 0:
		one.Body, err = json.Marshal(fields)
	}
	if err != nil {
		return one, err
	}
	return one, setHeaders(&one, call.headers, reads)
}

// bodyFields is the object that the fields make.
func bodyFields(call apiCall) (map[string]any, error) {
	all := map[string]any{}
	for _, f := range call.fields {
		name, value, ok := strings.Cut(f, "=")
		if !ok || name == "" {
			return nil, fault.New(fault.Invalid, "-f takes name=text, not %.40q", f)
		}
		all[name] = value
	}
	for _, f := range call.typed {
		name, value, ok := strings.Cut(f, "=")
		if !ok || name == "" || !json.Valid([]byte(value)) {
			return nil, fault.New(fault.Invalid, "-F takes name=JSON, as in seconds=30, not %.40q", f)
		}
		all[name] = json.RawMessage(value)
	}
	return all, nil
}

func setHeaders(one *client.Call, headers []string, reads bool) error {
	if !reads {
		one.Header.Set("Idempotency-Key", rand.Text())
	}
	for _, h := range headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return fault.New(fault.Invalid, "-H takes 'Name: value', not %.40q", h)
		}
		one.Header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return nil
}

// readBody reads a file, or the standard input, within the bound.
func (c *cli) readBody(name string) ([]byte, error) {
	from := c.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fault.From(fault.NotFound, err, "%s cannot be read", name).
				WithNext("give a file that is there, or - for the standard input")
		}
		defer f.Close()
		from = f
	}
	body, err := io.ReadAll(io.LimitReader(from, maxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(body) > maxBody:
		return nil, fault.New(fault.TooLarge, "%s is larger than %d MiB", name, maxBody>>20)
	case !json.Valid(body):
		return nil, fault.New(fault.Invalid, "%s is not JSON", name)
	}
	return body, nil
}
