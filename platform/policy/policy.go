// Package policy answers whether an actor may call a tool, and whether it may do
// so with nobody looking.
//
// Policies are Cedar: what no policy permits is refused, and a forbid beats
// every permit. A file reads like this:
//
//	@id("analysts-read-shifts")
//	permit (
//	  principal in Role::"analyst",
//	  action in [Action::"call", Action::"call_unattended"],
//	  resource
//	) when { context.tool == "poolpatrol.get_shift" };
//
// The same question is put twice, as Action::"call" and as
// Action::"call_unattended". Not call means refused; call but not unattended
// means that a person is asked. So a missing policy refuses and a half-written
// one asks, and nobody has to remember which of the two is safe.
//
// Read Question for what a policy can see, then Set.Ask. Parse checks every name
// a policy uses, because a misspelt name in a forbid forbids nothing.
package policy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cedar-policy/cedar-go"

	"github.com/gavelhq/gavel/platform/fault"
)

// The bounds of a set. The parser recurses, so a file's length is also the
// bound of its depth; and a policy is checked in a form that takes the square of
// its depth to make, so it has a bound of its own.
const (
	MaxFile     = 64 << 10 // bytes
	MaxFiles    = 200
	MaxPolicies = 2000
	MaxWords    = 800 // of one policy: names, texts and signs, without comments
)

var (
	idForm   = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,79}$`)
	wordForm = regexp.MustCompile(`//[^\n]*|"(?:[^"\\]|\\.)*"|\w+|[^\s\w]`)
	fileForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]{0,199}$`)
)

// A File is one file of policies. The name is part of the set's digest.
type File struct {
	Name string
	Text []byte
}

// A Set is all policies of an installation, parsed and checked. It does not
// change and may be asked from many goroutines. A nil Set refuses everything.
type Set struct {
	policies []named // in order of id, so that answers come in one order
	files    []File  // in order of name
	digest   string
	mentions []mention
}

type named struct {
	id     cedar.PolicyID
	policy *cedar.Policy
	form   form
}

// all yields the policies in order of id.
func (s *Set) all() iter.Seq2[cedar.PolicyID, *cedar.Policy] {
	return func(yield func(cedar.PolicyID, *cedar.Policy) bool) {
		for _, p := range s.policies {
			if !yield(p.id, p.policy) {
				return
			}
		}
	}
}

// Parse reads and checks a set. An error names the file and the line. Beyond
// Cedar's own grammar it asks that
//
//   - every policy has an @id, unique in the set;
//   - every permit names its actions, so that nothing becomes unattended by
//     leaving a word out;
//   - every entity type, action, role, effect and attribute of the context is
//     one there is, and is compared with a value of its own type.
//
// Which tools there are only the registry knows: see Set.CheckTools.
func Parse(files ...File) (*Set, error) { return ofTools.parse(files...) }

func (d dialect) parse(files ...File) (*Set, error) {
	if len(files) > MaxFiles {
		return nil, fault.New(fault.TooLarge, "%d policy files: at most %d are read", len(files), MaxFiles)
	}
	files = slices.SortedFunc(slices.Values(files), func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	s := &Set{files: files, digest: digest(files)}
	for i, f := range files {
		if i > 0 && files[i-1].Name == f.Name {
			return nil, fault.New(fault.Invalid, "two policy files are called %s", f.Name)
		}
		if err := s.add(d, f); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(s.policies, func(a, b named) int { return cmp.Compare(a.id, b.id) })
	for i := 1; i < len(s.policies); i++ {
		if p, q := s.policies[i-1], s.policies[i]; p.id == q.id {
			return nil, fault.New(fault.Invalid, "%s: the @id %q is taken at %s", place(q.policy), q.id, place(p.policy))
		}
	}
	return s, nil
}

// add parses one file into the set.
func (s *Set) add(d dialect, f File) error {
	if !fileForm.MatchString(f.Name) {
		return fault.New(fault.Invalid, "policy file %.60q: use letters, digits and ._-/ in its name", f.Name)
	}
	if !utf8.Valid(f.Text) {
		return fault.New(fault.Invalid, "%s: is not text in UTF-8", f.Name)
	}
	if len(f.Text) > MaxFile {
		return fault.New(fault.TooLarge, "%s: %d bytes, and at most %d are read; split it", f.Name, len(f.Text), MaxFile)
	}
	list, err := cedar.NewPolicyListFromBytes(f.Name, f.Text)
	if err != nil {
		// Cedar calls every document <input>.
		text := strings.TrimPrefix(strings.ReplaceAll(err.Error(), "<input>", f.Name), "parser error: ")
		return fault.New(fault.Invalid, "%s", text)
	}
	if len(s.policies)+len(list) > MaxPolicies {
		return fault.New(fault.TooLarge, "%s: more than %d policies", f.Name, MaxPolicies)
	}
	for i, p := range list {
		end := len(f.Text)
		if i+1 < len(list) {
			end = list[i+1].Position().Offset
		}
		if n := words(f.Text[p.Position().Offset:end]); n > MaxWords {
			return fault.New(fault.TooLarge, "%s: a policy of %d words; at most %d are read; split it", place(p), n, MaxWords)
		}
		id := string(p.Annotations()["id"])
		if !idForm.MatchString(id) {
			return fault.New(fault.Invalid,
				`%s: give the policy an @id("…") of at most 80 of a-z, 0-9 and _.-, a letter first; it has %.90q`, place(p), id)
		}
		whole, err := formOf(p)
		if err != nil {
			return fault.New(fault.Invalid, "%s: %s: %w", place(p), id, err)
		}
		found, err := d.check(whole)
		if err != nil {
			return fault.New(fault.Invalid, "%s: %s: %w", place(p), id, err)
		}
		for _, m := range found {
			m.policy, m.at = id, place(p)
			s.mentions = append(s.mentions, m)
		}
		s.policies = append(s.policies, named{cedar.PolicyID(id), p, whole})
	}
	return nil
}

// words counts what a policy is made of.
func words(text []byte) int {
	n := 0
	for _, at := range wordForm.FindAllIndex(text, -1) {
		if !strings.HasPrefix(string(text[at[0]:at[1]]), "//") {
			n++
		}
	}
	return n
}

// place is where a policy begins.
func place(p *cedar.Policy) string {
	at := p.Position()
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}

// digest is the SHA-256 of what `sha256sum` prints for the files in order of
// name, so that anyone can make it again with two commands.
func digest(files []File) string {
	all := sha256.New()
	for _, f := range files {
		fmt.Fprintf(all, "%x  %s\n", sha256.Sum256(f.Text), f.Name)
	}
	return hex.EncodeToString(all.Sum(nil))
}

// Digest names the set: the hex SHA-256 over its files in order of name. In
// their folder, `LC_ALL=C sha256sum *.cedar | sha256sum` gives the same.
func (s *Set) Digest() string {
	if s == nil {
		return digest(nil)
	}
	return s.digest
}
