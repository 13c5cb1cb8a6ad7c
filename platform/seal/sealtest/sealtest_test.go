package sealtest_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal/sealtest"
)

const name = "Zubeida Quiñonez-Ravn <z&q>"

// TestANeedleIsFoundInEveryWriting promises that text does not hide from the
// search by the way a program wrote it down, wherever in the bytes it stands.
func TestANeedleIsFoundInEveryWriting(t *testing.T) {
	writings := map[string]func(string) string{
		"plain": func(s string) string { return s },
		"upper": strings.ToUpper,
		"hex":   func(s string) string { return hex.EncodeToString([]byte(s)) },
		"std":   func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"url":   func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
		"lines": func(s string) string {
			text := base64.StdEncoding.EncodeToString([]byte(s))
			return text[:20] + "\r\n" + text[20:]
		},
		"query": url.QueryEscape,
		"path":  url.PathEscape,
		"html":  html.EscapeString,
		"json": func(s string) string {
			text, _ := json.Marshal(s)
			return string(text)
		},
		"utf16": func(s string) string {
			var b strings.Builder
			for _, r := range s {
				b.WriteByte(byte(r))
				b.WriteByte(byte(r >> 8))
			}
			return b.String()
		},
	}
	for how, write := range writings {
		rapid.Check(t, func(t *rapid.T) {
			before := rapid.StringMatching(`[ -~]{0,7}`).Draw(t, "before")
			after := rapid.StringMatching(`[ -~]{0,7}`).Draw(t, "after")
			text := write(before + name + after)
			if finds := sealtest.Search("here", []byte(text), name); len(finds) != 1 {
				t.Errorf("%s: got %v in %q, want one find", how, finds, text)
			}
		})
	}
	ascii := `{"x":"Zubeida Qui\u00f1onez-Ravn <z&q>"}`
	if finds := sealtest.Search("here", []byte(ascii), name); len(finds) != 1 {
		t.Errorf("JSON in ASCII: got %v", finds)
	}
	if finds := sealtest.Search("here", []byte("Zubeida Quinonez"), name); len(finds) != 0 {
		t.Errorf("found %v where it is not", finds)
	}
}

func TestEveryColumnOfEveryTableIsSearched(t *testing.T) {
	db := postgrestest.New(t, postgres.MigrationSet{Name: "hides", FS: fstest.MapFS{"00001_hides.sql": {Data: []byte(`-- +goose Up
create table gavel.hide (org text not null, a text, b jsonb, c bytea, d text[], e varchar(99)) partition by list (org);
create table gavel.hide_north partition of gavel.hide for values in ('north');
create table ref."Odd Name" ("odd Column" text);
create table gavel_sys.hide (x xml);`)}}})
	conn, err := pgx.Connect(t.Context(), db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, tt := range []struct{ sql, where string }{
		{`insert into gavel.hide (org, a) values ('north', $1)`, "gavel.hide_north.a"},
		{`insert into gavel.hide (org, b) values ('north', jsonb_build_object('x', $1::text))`, "gavel.hide_north.b"},
		{`insert into gavel.hide (org, c) values ('north', '\x00ff'::bytea || convert_to($1, 'UTF8'))`, "gavel.hide_north.c"},
		{`insert into gavel.hide (org, c) values ('north', convert_to(encode(convert_to($1, 'UTF8'), 'base64'),
			'UTF8'))`, "gavel.hide_north.c"},
		{`insert into gavel.hide (org, d) values ('north', array['x', $1])`, "gavel.hide_north.d"},
		{`insert into gavel.hide (org, e) values ('north', $1)`, "gavel.hide_north.e"},
		{`insert into ref."Odd Name" values ($1)`, `ref."Odd Name".odd Column`},
		{`insert into gavel_sys.hide values (xmlelement(name x, $1::text))`, "gavel_sys.hide.x"},
	} {
		if _, err := conn.Exec(t.Context(), tt.sql, name); err != nil {
			t.Fatalf("%s: %v", tt.sql, err)
		}
		got := sealtest.Database(t, db.AdminURL, name)
		if len(got.Finds) != 1 || !strings.HasPrefix(got.Finds[0].Where, tt.where+" ") {
			t.Errorf("%s: found %v, want it in %s", tt.sql, got.Finds, tt.where)
		}
		if _, err := conn.Exec(t.Context(), `truncate gavel.hide, ref."Odd Name", gavel_sys.hide`); err != nil {
			t.Fatal(err)
		}
	}
	if got := sealtest.Database(t, db.AdminURL, name); len(got.Finds) != 0 || got.Tables < 5 || got.Values == 0 {
		t.Errorf("after emptying the tables: %+v", got)
	}
}

func TestFilesAndWhatIsPackedInThemAreSearched(t *testing.T) {
	dir := t.TempDir()
	var inner, outer, squeezed bytes.Buffer
	pack(t, &inner, "case/history.json", []byte(`{"who":"`+name+`"}`))
	pack(t, &outer, "inner.zip", inner.Bytes())
	g := gzip.NewWriter(&squeezed)
	_, _ = g.Write([]byte("GET /riders?name=" + url.QueryEscape(name)))
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	for path, data := range map[string][]byte{
		"blobs/ab/plain": []byte("x" + name), "blobs/bundle": outer.Bytes(), "log/old.gz": squeezed.Bytes(),
		"blobs/other": []byte("nothing"),
	} {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := sealtest.Folder(t, dir, name)
	var where []string
	for _, f := range got.Finds {
		where = append(where, f.Where)
	}
	if want := "blobs/ab/plain blobs/bundle!inner.zip!case/history.json log/old.gz!"; strings.Join(where, " ") != want {
		t.Errorf("found in %q, want %q", where, want)
	}
	if packed := sealtest.Packed(t, "bundle", outer.Bytes(), name); len(packed.Finds) != 1 || got.Files != 7 {
		t.Errorf("packed %v; %d files, want 7", packed.Finds, got.Files)
	}
}

func pack(t *testing.T, to *bytes.Buffer, path string, data []byte) {
	t.Helper()
	w := zip.NewWriter(to)
	f, err := w.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
