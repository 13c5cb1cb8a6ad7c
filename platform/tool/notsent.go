package tool

import (
	"errors"
	"fmt"
)

// errNotSent marks an error after which nothing can have reached the other side.
var errNotSent = errors.New("nothing was sent")

// NotSent says of an error that nothing can have reached the other side: a
// connection that was refused, a body that could not be made. The act may then
// be tried again at once; after any other error it is asked about first.
func NotSent(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errNotSent, err)
}

// IsNotSent reports whether an error was marked by NotSent.
func IsNotSent(err error) bool { return errors.Is(err, errNotSent) }
