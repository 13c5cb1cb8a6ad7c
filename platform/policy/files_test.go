package policy_test

import (
	"testing"

	"github.com/gavelhq/gavel/platform/policy"
)

// TestASetsDigestIsOfItsFiles promises that the files of a set, kept elsewhere,
// can be told to be those of an answer's digest, whatever order they come in.
func TestASetsDigestIsOfItsFiles(t *testing.T) {
	a := policy.File{Name: "a.cedar", Text: []byte(`@id("a") forbid (principal, action, resource);`)}
	b := policy.File{Name: "b.cedar", Text: []byte(`@id("b") forbid (principal, action, resource);`)}
	set, err := policy.Parse(b, a)
	if err != nil {
		t.Fatal(err)
	}
	files := set.Files()
	if len(files) != 2 || files[0].Name != "a.cedar" {
		t.Fatalf("got %v, want both, in order of name", files)
	}
	if got := policy.DigestOf(b, a); got != set.Digest() {
		t.Errorf("got %s, want %s", got, set.Digest())
	}
	b.Text[0] = ' '
	if policy.DigestOf(a, b) == set.Digest() {
		t.Error("another text has the same digest")
	}
	var none *policy.Set
	if len(none.Files()) != 0 || policy.DigestOf() != none.Digest() {
		t.Error("the set of no files has another digest than no files")
	}
	if _, err := policy.Parse(policy.File{Name: "c.cedar", Text: []byte("// \xff\n")}); err == nil {
		t.Error("a file that is not UTF-8 is taken")
	}
}
