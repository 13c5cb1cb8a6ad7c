package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
)

// from is a client at an address of this machine: the server counts by network.
func from(address string) *http.Client {
	dial := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Transport: &http.Transport{DialContext: dial.DialContext, DisableKeepAlives: true}, Timeout: time.Minute}
}

// An answer is what became of a file.
type answer struct {
	status int
	body   string
	took   time.Duration // since the last byte was sent
}

// A marked body notes when it was read to its end.
type marked struct {
	io.Reader
	end time.Time
}

// Read notes.
func (m *marked) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.end = time.Now()
	return n, err
}

// check sends a file to the public page.
func (g *ground) check(ctx context.Context, client *http.Client, body []byte) (answer, error) {
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	if _, err := form.CreateFormFile("bundle", "case.zip"); err != nil {
		return answer{}, err
	}
	tail := "\r\n--" + form.Boundary() + "--\r\n"
	sent := &marked{Reader: io.MultiReader(&head, bytes.NewReader(body), strings.NewReader(tail)), end: time.Now()}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.base+"/verify", sent)
	if err != nil {
		return answer{}, err
	}
	req.ContentLength = int64(head.Len() + len(body) + len(tail))
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Accept", "text/html")
	res, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, string(text), time.Since(sent.end)}, err
}

// page opens a page as somebody who is signed in does.
func (g *ground) page(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.base+"/cases", nil)
	if err != nil {
		return 0, err
	}
	req.AddCookie(&http.Cookie{Name: "gavel_dev", Value: g.tokens[identity.Officer]})
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return 0, err
	}
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("the page answers %d", res.StatusCode)
	}
	return time.Since(began), nil
}

// bundle opens a case and takes it out.
func (g *ground) bundle(ctx context.Context) ([]byte, error) {
	made, err := g.post(ctx, identity.Analyst, "/v1/cases", `{"app":"general","key":"bench","title":"A true case"}`)
	if err != nil {
		return nil, err
	}
	var one struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(made, &one); err != nil {
		return nil, err
	}
	var data []byte
	for range 20 { // the log may still be taking its first records in
		if data, err = g.post(ctx, identity.Officer, "/v1/cases/"+one.ID+"/bundle", `{"to":"bench"}`); err == nil {
			return data, nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

func (g *ground) post(ctx context.Context, as identity.Role, path, body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+g.tokens[as])
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s answers %d: %.300s", path, res.StatusCode, text)
	}
	return text, err
}

// memory is how much of the machine's the server has, in bytes.
func (g *ground) memory() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", g.server.Process.Pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}
