package outside

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/gatepass/rule/toolset"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Photo is a file that somebody handed in.
type Photo struct {
	Name, Type string
	Bytes      []byte
}

// A Request is one call of a tool as the API takes it.
type Request struct {
	Method, Path string // the path on the server, Base included
	Query        url.Values
	Body         map[string]any    // as JSON; nil for none
	Parts        map[string]string // of a form in parts; nil for none
	Photo        *Photo            // of such a form
	Accept       string
	Key          string // its Idempotency-Key; empty where it only reads
	Version      int    // that somebody has read; zero where they did not say
	About        string // the pass or notice that it names
}

// For is the request that a tool's call is. The arguments were checked, and who is signed in is among them.
func For(t toolset.Tool, args map[string]any, key string, photo *Photo) (Request, error) {
	q := Request{Method: t.Method, Path: Base + t.Path, Query: url.Values{}, Accept: "application/json"}
	rest := map[string]any{}
	for _, p := range t.Params {
		v, given := args[p.Name]
		hole := "{" + p.Name + "}"
		text := fmt.Sprint(v)
		switch {
		case p.Form == toolset.Attachment && given && photo != nil:
			q.Photo = photo
		case p.Form == toolset.Attachment:
			return q, fault.New(fault.Invalid, "%s: there is no such photo", p.Name).On(p.Name, toolset.Missing, "")
		case strings.Contains(q.Path, hole) && given && text != "":
			q.Path, q.About = strings.ReplaceAll(q.Path, hole, url.PathEscape(text)), text
		case strings.Contains(q.Path, hole):
			return q, fault.New(fault.Invalid, "%s: say which", p.Name).On(p.Name, toolset.Missing, "")
		case given:
			rest[p.Name] = v
		}
	}
	q.put(t, rest, key)
	return q, nil
}

// put is where what stands in no path goes: into the query, a form in parts, or a body.
func (q *Request) put(t toolset.Tool, rest map[string]any, key string) {
	if t.Method == http.MethodGet {
		for name, v := range rest {
			q.Query.Set(name, fmt.Sprint(v))
		}
		switch {
		case strings.HasSuffix(t.Path, "/print"):
			q.Accept = "application/pdf"
		case strings.HasPrefix(t.Path, "/qr/"):
			q.Accept = "image/png"
		}
		return
	}
	q.Key = key
	if q.Photo == nil {
		q.Body = rest
		return
	}
	q.Parts = map[string]string{}
	for name, v := range rest {
		q.Parts[name] = fmt.Sprint(v)
	}
	q.About = q.Parts["pass_number"]
	if key != "" {
		q.Parts["event_id"] = key // the gate's own name for what happened: sent twice it happens once
	}
}

// Target is the path with what is asked of it.
func (q Request) Target() string {
	if len(q.Query) == 0 {
		return q.Path
	}
	return q.Path + "?" + q.Query.Encode()
}

// http is the request as it goes out.
func (q Request) http(ctx context.Context, address, token string) (*http.Request, error) {
	body, media, err := q.body()
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, q.Method, address+q.Target(), body)
	if err != nil {
		return nil, err
	}
	for name, v := range map[string]string{"Accept": q.Accept, "Content-Type": media, "Idempotency-Key": q.Key} {
		if v != "" {
			req.Header.Set(name, v)
		}
	}
	if q.Version > 0 {
		req.Header.Set("If-Match", `"`+strconv.Itoa(q.Version)+`"`)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req, nil
}

func (q Request) body() (io.Reader, string, error) {
	switch {
	case q.Photo != nil:
		return q.parts()
	case q.Body != nil:
		text, err := json.Marshal(q.Body)
		return bytes.NewReader(text), "application/json", err
	}
	return nil, "", nil
}

func (q Request) parts() (io.Reader, string, error) {
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	for name, v := range q.Parts {
		if err := form.WriteField(name, v); err != nil {
			return nil, "", err
		}
	}
	head := textproto.MIMEHeader{}
	head.Set("Content-Disposition", multipart.FileContentDisposition("photo", q.Photo.Name))
	head.Set("Content-Type", q.Photo.Type)
	w, err := form.CreatePart(head)
	if err != nil {
		return nil, "", err
	}
	if _, err := w.Write(q.Photo.Bytes); err != nil {
		return nil, "", err
	}
	return &out, form.FormDataContentType(), form.Close()
}
