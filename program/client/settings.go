package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

// A SettingName names a setting; item is empty where there is one of it.
type SettingName struct{ App, Name, Item string }

func (n SettingName) request(method string) request {
	q := url.Values{}
	if n.Item != "" {
		q.Set("item", n.Item)
	}
	return request{method: method, path: []string{"settings", n.App, n.Name}, query: q}
}

// A Setting is what is in force.
type Setting struct {
	Version int64           `json:"version"`
	Value   json.RawMessage `json:"value"`
	Asked   *struct {
		Proposal string `json:"proposal"`
	} `json:"asked"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the bytes beside the fields.
func (s *Setting) UnmarshalJSON(data []byte) error {
	type fields Setting
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*s = Setting(f)
	s.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// Setting reads what is in force.
func (c *Client) Setting(ctx context.Context, n SettingName) (s Setting, err error) {
	_, err = c.do(ctx, n.request(http.MethodGet), &s)
	return s, err
}

// PutSetting changes a setting that was read as a version, or proposes to.
func (c *Client) PutSetting(ctx context.Context, n SettingName, version int64, value json.RawMessage) (s Setting, err error) {
	r := n.request(http.MethodPut)
	r.ifMatch, r.body = strconv.Quote(strconv.FormatInt(version, 10)), map[string]json.RawMessage{"value": value}
	_, err = c.do(ctx, r, &s)
	return s, err
}

// RemoveSetting removes one of several that was read as a version.
func (c *Client) RemoveSetting(ctx context.Context, n SettingName, version int64) error {
	r := n.request(http.MethodDelete)
	r.ifMatch = strconv.Quote(strconv.FormatInt(version, 10))
	_, err := c.do(ctx, r, nil)
	return err
}
