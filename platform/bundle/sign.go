package bundle

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// A signingKey is the log's key, ready to sign a manifest.
type signingKey struct {
	note   note.Signer
	key    ed25519.PrivateKey
	public audit.Verifier
}

// String keeps the secret out of logs.
func (k signingKey) String() string { return string(k.public) }

// parseSigner reads a secret key as audit.NewKey makes it. Its errors do not
// quote it.
func parseSigner(secret string) (signingKey, error) {
	bad := fault.New(fault.Invalid, "the log's signing key is malformed").WithNext("make one: gavel audit key new")
	s, err := note.NewSigner(strings.TrimSpace(secret))
	if err != nil {
		return signingKey{}, bad
	}
	parts := strings.SplitN(strings.TrimSpace(secret), "+", 5) // PRIVATE, KEY, name, hash, key
	raw, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err != nil || len(raw) != 1+ed25519.SeedSize {
		return signingKey{}, bad
	}
	key := ed25519.NewKeyFromSeed(raw[1:])
	public, _ := key.Public().(ed25519.PublicKey)
	v, err := note.NewEd25519VerifierKey(s.Name(), public)
	if err != nil {
		return signingKey{}, bad
	}
	return signingKey{note: s, key: key, public: audit.Verifier(v)}, nil
}

// publicKey is the origin and the Ed25519 key of a verifier.
func publicKey(v audit.Verifier) (origin string, key ed25519.PublicKey, err error) {
	n, err := note.NewVerifier(string(v))
	if err != nil {
		return "", nil, fault.New(fault.Invalid, "%.80q is not a public key of a log", v)
	}
	parts := strings.SplitN(string(v), "+", 3) // name, hash, key; base64 has plus signs of its own
	raw, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err != nil || len(raw) != 1+ed25519.PublicKeySize {
		return "", nil, fault.New(fault.Invalid, "%.80q is not an Ed25519 key", v)
	}
	return n.Name(), ed25519.PublicKey(raw[1:]), nil
}

// ParseKey checks a public key that a person was given.
func ParseKey(text string) (audit.Verifier, error) {
	v := audit.Verifier(text)
	if _, _, err := publicKey(v); err != nil {
		return "", err
	}
	return v, nil
}

// pemOf is the key the way openssl reads it.
func pemOf(key ed25519.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return nil, fmt.Errorf("write public key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}

// noteText is what the signed note says. Its first line is no origin of a log
// and its second no number, so that nobody can take it for a checkpoint; nor a
// manifest, which begins with a brace.
func noteText(format string, manifest []byte) string {
	return format + "\nsha256 " + blob.Sum(manifest).String() + "\n"
}

// sign makes the two signatures of a manifest.
func (k signingKey) sign(manifest []byte) (signed, raw []byte, err error) {
	signed, err = note.Sign(&note.Note{Text: noteText(Format, manifest)}, k.note)
	if err != nil {
		return nil, nil, fmt.Errorf("sign manifest: %w", err)
	}
	return signed, ed25519.Sign(k.key, manifest), nil
}

// signedBy says what is wrong with the signatures of a manifest, file by file.
func signedBy(format string, key audit.Verifier, manifest, signed, raw, pemText []byte) []Finding {
	var found []Finding
	bad := func(file, format string, args ...any) {
		found = append(found, Finding{What: file, Text: fmt.Sprintf(format, args...)})
	}
	_, public, err := publicKey(key)
	if err != nil {
		bad(manifestFile, "%s names a key that cannot be read.", manifestFile)
		return found
	}
	if len(raw) != ed25519.SignatureSize || !ed25519.Verify(public, manifest, raw) {
		bad(sigFile, "%s is not the signature of %s by the key that %s names.", sigFile, manifestFile, manifestFile)
	}
	if what := noteFault(format, key, manifest, signed); what != "" {
		bad(noteFile, "%s %s.", noteFile, what)
	}
	if want, err := pemOf(public); err != nil || !bytes.Equal(pemText, want) {
		bad(keyFile, "%s is not the key that %s names.", keyFile, manifestFile)
	}
	return found
}

// noteFault says what is wrong with the signed note, or nothing.
func noteFault(format string, key audit.Verifier, manifest, signed []byte) string {
	v, err := note.NewVerifier(string(key))
	if err != nil {
		return "cannot be checked: its key cannot be read"
	}
	n, err := note.Open(signed, note.VerifierList(v))
	switch {
	case err != nil || len(n.Sigs) != 1 || len(n.UnverifiedSigs) != 0:
		return "is not a note that this key alone signed"
	case n.Text != noteText(format, manifest):
		return "is signed, but for another manifest"
	}
	// The last character of base64 has bits that mean nothing; ours has them zero.
	if _, err := base64.StdEncoding.Strict().DecodeString(n.Sigs[0].Base64); err != nil {
		return "spells its signature another way"
	}
	return ""
}
