//go:build !linux

package doctor

import "errors"

func space(string) (free, total uint64, err error) { return 0, 0, errors.ErrUnsupported }
