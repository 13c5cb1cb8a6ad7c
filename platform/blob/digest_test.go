package blob_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

func TestADigestHasOneSpelling(t *testing.T) {
	good := blob.Sum([]byte("abc")).String()
	for _, tt := range []struct {
		text string
		ok   bool
	}{
		{good, true},
		{strings.ToUpper(good), false},
		{good[:63], false},
		{good + "0", false},
		{good[:63] + "g", false},
		{" " + good[:63], false},
		{"sha256:" + good, false},
		{"", false},
		{strings.Repeat("é", 32), false}, // 64 bytes, no hex
	} {
		d, err := blob.Parse(tt.text)
		if tt.ok && (err != nil || d.String() != tt.text) {
			t.Errorf("%q: got %s, %v", tt.text, d, err)
		}
		if !tt.ok && !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: got %v, want Invalid", tt.text, err)
		}
	}
}

func TestDigestsSurviveEveryWayOfWritingThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := blob.Sum(rapid.SliceOf(rapid.Byte()).Draw(t, "content"))
		if got, err := blob.Parse(want.String()); err != nil || got != want {
			t.Fatalf("text: got %s, %v", got, err)
		}
		if url.PathEscape(want.String()) != want.String() || url.QueryEscape(want.String()) != want.String() {
			t.Fatal("a digest needs escaping in a URL")
		}
		type holder struct {
			At blob.Digest `json:"at,omitzero"`
		}
		data, err := json.Marshal(holder{want})
		if err != nil || string(data) != `{"at":"`+want.String()+`"}` {
			t.Fatalf("json: got %s, %v", data, err)
		}
		var back holder
		if err := json.Unmarshal(data, &back); err != nil || back.At != want {
			t.Fatalf("json back: got %s, %v", back.At, err)
		}
		column, err := want.Value()
		if err != nil {
			t.Fatal(err)
		}
		for _, src := range []any{column, []byte(column.(string))} {
			var scanned blob.Digest
			if err := scanned.Scan(src); err != nil || scanned != want {
				t.Fatalf("sql: got %s, %v", scanned, err)
			}
		}
	})
}

func TestOnlyTextIsScanned(t *testing.T) {
	for _, src := range []any{nil, 7, "short", []byte{1, 2, 3}, blob.Sum(nil)} {
		var d blob.Digest
		if err := d.Scan(src); !fault.Is(err, fault.Invalid) || !d.IsZero() {
			t.Errorf("%v: got %s, %v; want Invalid and none", src, d, err)
		}
	}
}
