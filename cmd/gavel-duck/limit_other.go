//go:build !linux

package main

import "errors"

// limit refuses: without a wall nothing is asked.
func limit(uint64) error { return errors.New("only Linux can") }
