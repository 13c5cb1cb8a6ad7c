package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// sumsFile holds a line for each file, as sha256sum(1) reads it, and below them the
// signature as package note writes it, like the audit log's checkpoints: so neither can
// be had without the other.
const sumsFile = "SHA256SUMS"

// sum writes the checksums of a release, signed where there is a key.
func (r *release) sum(dir string) error {
	var text bytes.Buffer
	for _, name := range r.sorted() {
		digest, err := sumOf(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", digest, name)
	}
	sums := text.Bytes()
	if r.signer != nil {
		var err error
		if sums, err = note.Sign(&note.Note{Text: text.String()}, r.signer); err != nil {
			return fmt.Errorf("sign the checksums: %w", err)
		}
	}
	return os.WriteFile(filepath.Join(dir, sumsFile), sums, 0o644)
}

func sumOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// verify reports how many files of a folder are as those who hold the key signed them. A
// file that they did not sign is an error like one that was changed: who looks into the
// folder would take it for theirs.
func verify(dir, key string) (int, error) {
	v, err := note.NewVerifier(key)
	if err != nil {
		return 0, fmt.Errorf("the public key: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil {
		return 0, err
	}
	signed, err := note.Open(text, note.VerifierList(v))
	if err != nil {
		return 0, fmt.Errorf("%s is not signed by %s: %w", sumsFile, v.Name(), err)
	}
	listed := map[string]string{}
	for line := range strings.Lines(signed.Text) {
		digest, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || name != filepath.Base(name) {
			return 0, fmt.Errorf("%s has a line that is no checksum", sumsFile)
		}
		listed[name] = digest
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	for _, f := range there {
		if _, ok := listed[f.Name()]; !ok && f.Name() != sumsFile {
			err = errors.Join(err, fmt.Errorf("%s was not signed", f.Name()))
		}
	}
	for name, want := range listed {
		got, readErr := sumOf(filepath.Join(dir, name))
		switch {
		case readErr != nil:
			err = errors.Join(err, readErr)
		case got != want:
			err = errors.Join(err, fmt.Errorf("%s is not what was signed", name))
		}
	}
	return len(listed), err
}

// readSigner reads a secret key. Its errors do not quote it.
func readSigner(file string) (note.Signer, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s can be read by others: chmod 600 %[1]s", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	signer, err := note.NewSigner(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s holds no secret key as `release key` prints it", file)
	}
	return signer, nil
}

// newKey makes a pair of keys.
func newKey(name string) (secret, public string, err error) {
	return note.GenerateKey(rand.Reader, name)
}
