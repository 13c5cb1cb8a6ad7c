package blob

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of a name. A part must fit a file name, the whole an S3 key with room
// for a prefix.
const (
	maxNameBytes = 512
	maxPartBytes = 200
)

// PutNamed writes a small object under a name, provided that the object is
// still at version prev, and returns its new version. With Absent the name must
// be free: a second writer gets a Conflict. With the ETag that GetNamed or
// PutNamed returned, a writer who was overtaken gets Stale. A write whose answer
// is lost on the way may have happened: on Unavailable, read before trying again.
func (s *Store) PutNamed(ctx context.Context, name string, data []byte, prev ETag) (ETag, error) {
	key, err := nameKey(name)
	if err != nil {
		return "", err
	}
	if int64(len(data)) > s.bounds.MaxNamedBytes {
		return "", fault.New(fault.TooLarge, "a named object may have at most %d bytes", s.bounds.MaxNamedBytes)
	}
	draft, err := s.backend.Draft(ctx)
	if err != nil {
		return "", fmt.Errorf("begin %s: %w", name, err)
	}
	defer draft.Discard()
	if _, err := bytes.NewReader(data).WriteTo(draft); err != nil {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	etag, err := draft.Commit(ctx, key, Sum(data), prev)
	if err != nil {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	return etag, nil
}

// GetNamed reads a named object and its version.
func (s *Store) GetNamed(ctx context.Context, name string) ([]byte, ETag, error) {
	key, err := nameKey(name)
	if err != nil {
		return nil, "", err
	}
	data, etag, err := s.backend.Load(ctx, key, s.bounds.MaxNamedBytes)
	if err != nil {
		return nil, "", fmt.Errorf("read %s: %w", name, err)
	}
	return data, etag, nil
}

// nameKey checks a name and returns its key. A name is one or more parts
// joined by "/", each of ASCII letters, digits, ".", "_" and "-" and not
// beginning with a dot: it means the same in an S3 key, a URL and a file
// system, and cannot lead out of its folder. A name that is another's folder
// ("a" beside "a/b") is a Conflict on storage that is made of files.
func nameKey(name string) (string, error) {
	if name == "" || len(name) > maxNameBytes {
		return "", fault.New(fault.Invalid, "a name has 1 to %d characters, not %d", maxNameBytes, len(name))
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || len(part) > maxPartBytes || part[0] == '.' || strings.ContainsFunc(part, notInName) {
			return "", fault.New(fault.Invalid, "%q is not a name: use parts of letters, digits, '.', '_' and '-' joined by '/'", name)
		}
	}
	return "named/" + name, nil
}

func notInName(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
		return false
	}
	return true
}
