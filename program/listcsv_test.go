package program

import (
	"crypto/rand"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/webhook"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// An apiList is one list of the API as its document describes it.
type apiList struct {
	path    string
	filters []string // queries, each of one filter; the empty one for none
}

// apiListsOf are the API's lists, with those filters whose values the document
// gives or known knows, of the objects that it names.
func (k *counter) apiListsOf(t *testing.T, known func(path, name string) string) (all []apiList) {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In string
				Schema   struct{ Enum []any }
			}
		}
	}
	if status, text := k.fetch(t, identity.Officer, "/openapi.json", "application/json"); status != http.StatusOK ||
		json.Unmarshal([]byte(text), &doc) != nil {
		t.Fatalf("the document answers %d", status)
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		l, isList := apiList{filters: []string{""}}, false
		for _, p := range doc.Paths[path]["get"].Parameters {
			isList = isList || p.Name == "page_token"
			if p.In != "query" || slices.Contains([]string{"page_size", "page_token", "format", "order_by", "fields"}, p.Name) {
				continue
			}
			for _, value := range p.Schema.Enum {
				l.filters = append(l.filters, url.Values{p.Name: {fmt.Sprint(value)}}.Encode())
			}
			if value := known(path, p.Name); value != "" {
				l.filters = append(l.filters, url.Values{p.Name: {value}}.Encode())
			}
		}
		if !isList {
			continue
		}
		l.path = wildcard.ReplaceAllStringFunc(path, func(name string) string {
			value := known(path, name)
			if value == "" {
				t.Errorf("%s is a list of which nothing is known here: say which %s it is asked for", path, name)
			}
			return value
		})
		all = append(all, l)
	}
	return all
}

// fetch is a GET of somebody's program.
func (k *counter) fetch(t *testing.T, as identity.Role, path, accept string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, k.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+devToken(t, as))
	req.Header.Set("Accept", accept)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// counterAtWork is a counter at which an agent has worked, and waits for people.
func counterAtWork(t *testing.T) *counter {
	t.Helper()
	k := &counter{t: t, n: new(int), kept: new(string), dir: t.TempDir(), db: postgrestest.New(t, builtIn().migrations()...)}
	secret := webhook.NewSecret()
	_, k.environ = withEngine(t, settingsFor(t, k.db))
	k.environ = append(k.environ, "GAVEL_HOOKS_LOOPBACK=on",
		"GAVEL_MAIL_DOMAIN=mail.gavel.test", "GAVEL_MAIL_FROM=cell@gavel.test", "GAVEL_SMTP_ADDRESS="+absentPort(t),
		"GAVEL_MAIL_INBOUND_DOMAIN=in.gavel.test", "GAVEL_MAIL_KEYS=k1:"+testKey, "GAVEL_MAIL_ORG=north",
		"GAVEL_MAIL_WEBHOOK_SECRETS="+secret.Reveal())
	w := newWorks(t, k.environ...)
	k.base = w.base
	k.file, _ = w.propose("lists", "one", "two", "three")
	k.exec(`insert into gavel.person (org, id, issuer, subject, name, email, roles, first_seen_at, last_seen_at)
		values ('north', '` + colleague + `', 'office', 'asha', 'Asha', 'asha@example.org', '{officer}', now(), now())`)
	for i := range 4 {
		k.mailComes(t, webhook.Keys{{Secret: secret}},
			fmt.Sprintf("From: zed@elsewhere.test\r\nMessage-ID: <%d@elsewhere.test>\r\nTo: replies@in.gavel.test\r\nSubject: "+
				"Hello\r\n\r\nWhose is this?\r\n", i))
	}
	return k
}

// mailComes has a provider bring a mail.
func (k *counter) mailComes(t *testing.T, keys webhook.Keys, raw string) {
	t.Helper()
	signed, err := keys.Sign("msg_"+rand.Text(), time.Now(), []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, k.base+mailDoorPath, strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = signed
	req.Header.Set("Content-Type", "message/rfc822")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		t.Fatalf("a mail is answered with %s", res.Status)
	}
}

// rows are a list's items page by page, three at a time, so that a file which is
// only a page would show.
func (k *counter) rows(t *testing.T, as identity.Role, path, filter string) (items []map[string]any, may bool) {
	t.Helper()
	for token := ""; ; {
		at := path + "?" + strings.Trim(filter+"&page_size=3", "&")
		if token != "" {
			at += "&page_token=" + url.QueryEscape(token)
		}
		status, text := k.fetch(t, as, at, "application/json")
		if status == http.StatusForbidden {
			return nil, false
		}
		var page struct {
			Items []map[string]any
			Next  string `json:"next_page_token"`
		}
		numbers := json.NewDecoder(strings.NewReader(text))
		numbers.UseNumber() // as they were sent
		if err := numbers.Decode(&page); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d, %v, %s", at, status, err, text)
		}
		items = append(items, page.Items...)
		if token = page.Next; token == "" {
			return items, true
		}
	}
}

// value is what an item has under a column's name; those of objects inside it are
// named object.field.
func value(item map[string]any, name string) (text string, plain bool) {
	first, rest, inside := strings.Cut(name, ".")
	if inside {
		object, _ := item[first].(map[string]any)
		return value(object, rest)
	}
	switch v := item[name].(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case json.Number, bool:
		return fmt.Sprint(v), true
	}
	return "", false // a list, which a cell has in a form of its own
}

// TestEveryListAsAFileIsExactlyTheFilteredRows promises of every list there is in
// the API's document, and of every filter of it whose values are known: the file
// has the rows of all pages, in their order, with the same values, and no others.
func TestEveryListAsAFileIsExactlyTheFilteredRows(t *testing.T) {
	k := counterAtWork(t)
	for range 3 {
		k.propose()
		k.opened()
		k.delegation()
	}
	rejected := k.propose()
	if got := k.as(identity.Officer).run(t, "reject", rejected, "--reason", "not him", "--yes"); got.code != 0 {
		t.Fatalf("reject: %+v", got)
	}
	k.approved()
	k.hold()
	k.device()
	pass, _ := k.fleet()
	filters, filled := 0, 0
	runs, _ := k.rows(t, identity.Officer, "/v1/runs", "")
	sources, _ := k.rows(t, identity.Officer, "/v1/sources", "")
	hook := k.webhook("off") // one that is on would move while it is read
	all := k.apiListsOf(t, func(path, name string) string {
		return map[string]string{"/v1/cases/{id}/entries {id}": k.file, "/v1/cases/{id}/concern-links {id}": k.file,
			"/v1/cases/{id}/mail {id}": k.file, "/v1/webhooks/{id}/messages {id}": hook,
			"/v1/poolpatrol/passes/{id}/runs {id}": pass, "/v1/poolpatrol/vanpools site_id": plant,
			"/v1/poolpatrol/vanpools begins": "VP-10", "/v1/settings/{app}/{name}/items {app}": "poolpatrol",
			"/v1/settings/{app}/{name}/items {name}": "office", "/v1/settings/{app}/{name}/versions {app}": "poolpatrol",
			"/v1/settings/{app}/{name}/versions {name}": "office", "/v1/runs/{id}/steps {id}": fmt.Sprint(runs[0]["id"]),
			"/v1/sources/{source}/snapshots {source}": fmt.Sprint(sources[0]["name"]), path + " case": k.file, path + " app": "general",
			"/v1/proposals state": "rejected", "/v1/cases state": "open", "/v1/records kind": "decision"}[path+" "+name]
	})
	for _, l := range all {
		for _, filter := range l.filters {
			filters++
			if k.sameAsFile(t, l.path, filter) {
				filled++
			}
		}
	}
	if len(all) < 8 || filters < 2*len(all) || filled < 12 {
		t.Errorf("%d lists with %d filters, of which %d find something: the lists are not found", len(all), filters, filled)
	}
	t.Logf("%d lists with %d filters, of which %d find something", len(all), filters, filled)
}

// sameAsFile compares a list with its file, as the first role that may have both,
// and reports whether there was anything in it.
func (k *counter) sameAsFile(t *testing.T, path, filter string) bool {
	t.Helper()
	for _, role := range []identity.Role{identity.Officer, identity.OrgAdmin, identity.Auditor} {
		items, may := k.rows(t, role, path, filter)
		if !may {
			continue
		}
		status, text := k.fetch(t, role, path+"?"+strings.Trim(filter+"&format=csv&page_size=2", "&"), "*/*")
		if status == http.StatusForbidden {
			continue
		}
		lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || status != http.StatusOK || len(lines) != len(items)+1 {
			t.Errorf("%s?%s: the file answers %d, %v, with %d lines, want %d rows and a head:\n%.500s", path, filter, status, err,
				len(lines), len(items), text)
			return false
		}
		for i, item := range items {
			for j, name := range lines[0] {
				want, plain := value(item, name)
				got := strings.TrimPrefix(lines[i+1][j], "'")
				if got == "null" { // a list of objects that there is not
					got = ""
				}
				if plain && got != want {
					t.Errorf("%s?%s: row %d has %q as %s, want %q", path, filter, i+1, got, name, want)
				}
			}
		}
		return len(items) > 0
	}
	t.Errorf("%s: nobody may have it as a file", path)
	return false
}
