package main

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
)

// selfSigned is a bundle of nothing by a stranger who signs it with a key of their own:
// it passes every wall that does not need the institution's key, and unpacks to as much
// as the page lets it.
func selfSigned(size int) ([]byte, error) {
	secret, public, err := audit.NewKey("evil.test/log")
	if err != nil {
		return nil, err
	}
	seed, err := base64.StdEncoding.DecodeString(strings.SplitN(secret, "+", 5)[4])
	if err != nil {
		return nil, err
	}
	key := ed25519.NewKeyFromSeed(seed[1:])
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"README.md": nil, "VERIFY.md": nil, "index.html": nil,
		"key.pem":         pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}),
		"log/keys.ndjson": bytes.Repeat([]byte("\n"), min(size*100, 56<<20)), "log/blob": make([]byte, max(0, size-100<<10))}
	m := bundle.Manifest{Format: bundle.Format, Case: "case_01ARZ3NDEKTSV4RRFFQ69G5FAV", Org: org, MadeAt: time.Date(2026, 1, 2, 3, 4, 5, 0,
		time.UTC),
		Program: "x", Origin: "evil.test/log", Key: public, Sections: []bundle.Part{{Name: "log", Title: "L", Version: 1}}}
	text, err := list(&m, files)
	if err != nil {
		return nil, err
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	files["manifest.json"], files["manifest.sig"] = text, ed25519.Sign(key, text)
	if files["manifest.note"], err = note.Sign(&note.Note{Text: bundle.Format + "\nsha256 " + hex.EncodeToString(sum[:]) + "\n"},
		signer); err != nil {
		return nil, err
	}
	return packAll(files)
}

// list names the files in the manifest and in SHA256SUMS.
func list(m *bundle.Manifest, files map[string][]byte) ([]byte, error) {
	var sums strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		section := "bundle"
		if strings.Contains(name, "/") {
			section = "log"
		}
		sum := sha256.Sum256(files[name])
		m.Files = append(m.Files, bundle.File{Path: name, Section: section, Size: int64(len(files[name])), SHA256: sum})
		fmt.Fprintf(&sums, "%x  %s\n", sum, name)
	}
	files["SHA256SUMS"] = []byte(sums.String())
	m.Files = append(m.Files, bundle.File{Path: "SHA256SUMS", Section: "bundle", Size: int64(sums.Len()),
		SHA256: sha256.Sum256(files["SHA256SUMS"])})
	slices.SortFunc(m.Files, func(a, b bundle.File) int { return strings.Compare(a.Path, b.Path) })
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(m)
	return b.Bytes(), err
}

func packAll(files map[string][]byte) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		method := zip.Deflate
		if name == "log/blob" {
			method = zip.Store // it makes the file as large as it is to be
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}
