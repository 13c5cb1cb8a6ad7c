package platform

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gavelhq/gavel/platform/fault"
)

// ReadFile reads a file that a person at the terminal names, of at most so many bytes.
func ReadFile(name string, most int64) ([]byte, error) {
	f, err := os.Open(filepath.Clean(name))
	if err != nil {
		return nil, Unreadable(name, err)
	}
	defer f.Close()
	return readAtMost(f, name, most)
}

// ReadInput is ReadFile for a command that may be handed its file by another: "-" is the standard input.
func ReadInput(name string, most int64) ([]byte, error) {
	if name == "-" {
		return readAtMost(os.Stdin, name, most)
	}
	return ReadFile(name, most)
}

func readAtMost(from io.Reader, name string, most int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, most+1))
	if err != nil {
		return nil, Unreadable(name, err)
	}
	if int64(len(body)) > most {
		return nil, fault.New(fault.TooLarge, "%s has more than %d MB", name, most>>20)
	}
	return body, nil
}

// Unreadable is the fault of a file or folder that a person named and that could not be read.
func Unreadable(name string, err error) error {
	kind := fault.Invalid
	if errors.Is(err, fs.ErrNotExist) {
		kind = fault.NotFound
	}
	return fault.From(kind, err, "%s cannot be read: %v", name, Nameless(err)).WithNext("see whether it is there and is yours to read")
}

// Nameless is what is wrong with a file, without its name, for a sentence that begins with that.
func Nameless(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
