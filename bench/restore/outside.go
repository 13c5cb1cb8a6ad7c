package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/tool"
)

// get reads JSON.
func get(ctx context.Context, address string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s: %.200s", address, res.Status, answer)
	}
	return json.Unmarshal(answer, v)
}

// mailpit is the mail server as its API shows it.
type mailpit struct{ base string }

// Has reports whether the server has a mail.
func (m *mailpit) Has(ctx context.Context, messageID string) (bool, error) {
	var found struct {
		Total int `json:"messages_count"`
	}
	query := url.Values{"query": {`message-id:"` + messageID + `"`}, "limit": {"1"}}
	err := get(ctx, m.base+"/api/v1/search?"+query.Encode(), &found)
	return found.Total > 0, err
}

// arrived counts what the server has, by the word that each mail's subject begins
// with.
func (m *mailpit) arrived(ctx context.Context) (map[string]int, error) {
	all := map[string]int{}
	const page = 500
	for from := 0; ; from += page {
		var list struct {
			Messages []struct{ Subject string }
		}
		if err := get(ctx, fmt.Sprintf("%s/api/v1/messages?start=%d&limit=%d", m.base, from, page), &list); err != nil {
			return nil, err
		}
		for _, one := range list.Messages {
			word, _, _ := strings.Cut(one.Subject, " ")
			all[word]++
		}
		if len(list.Messages) < page {
			return all, nil
		}
	}
}

// commission is the simulator as its API shows it.
type commission struct{ base string }

type received struct {
	ReportID string `json:"report_id"`
	Key      string `json:"idempotency_key"`
	Times    int    `json:"times"`
}

func (c commission) list(ctx context.Context) ([]received, error) {
	var all struct {
		Reports []received `json:"reports"`
	}
	err := get(ctx, c.base+"/reports", &all)
	return all.Reports, err
}

// filed counts what the commission has, by the report's own id.
func (c commission) filed(ctx context.Context) (map[string]int, error) {
	list, err := c.list(ctx)
	all := map[string]int{}
	for _, one := range list {
		all[one.ReportID]++
	}
	return all, err
}

// file hands a report over, under the act's key.
func (c commission) file(ctx context.Context, e tool.Env, w agenttest.Word) (agenttest.Told, error) {
	body, err := json.Marshal(map[string]string{"report_id": w.Word})
	if err != nil {
		return agenttest.Told{}, err
	}
	if err := sleep(ctx, takes); err != nil {
		return agenttest.Told{}, tool.NotSent(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/reports", bytes.NewReader(body))
	if err != nil {
		return agenttest.Told{}, err
	}
	sum := sha256.Sum256(body)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", e.Key)
	req.Header.Set("Content-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return agenttest.Told{}, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated && res.StatusCode != http.StatusOK {
		return agenttest.Told{}, fmt.Errorf("the commission answers %s", res.Status)
	}
	return agenttest.Told{Text: "filed " + w.Word}, nil
}

// asked asks the commission by the act's key.
func (c commission) asked(ctx context.Context, e tool.Env, w agenttest.Word) (tool.Found, agenttest.Told, error) {
	list, err := c.list(ctx)
	if err != nil {
		return tool.CannotTell, agenttest.Told{}, err
	}
	for _, one := range list {
		if one.Key == e.Key {
			return tool.Yes, agenttest.Told{Text: "filed " + w.Word}, nil
		}
	}
	return tool.No, agenttest.Told{}, nil
}
