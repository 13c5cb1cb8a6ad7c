package platform

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/pdf"
)

// A Terminal is what a command of an application works with: the server it talks
// to, and the person or the pipe it prints for. The program that has the command
// brings it, every part of it.
type Terminal struct {
	// Uses declares that a command talks to a server, unless one of these flags is
	// given, with which it does without. One that was not declared so cannot Call.
	Uses func(cmd *cobra.Command, unless ...string) *cobra.Command
	// Silent declares that a command prints nothing a program would pick apart: there is
	// nothing to say but that it is done. Every other command prints data.
	Silent func(cmd *cobra.Command) *cobra.Command
	// Writes declares that --output of a command names the file it writes, as a published
	// form of that command has it. The form of what it prints is said with -o or --format.
	Writes func(cmd *cobra.Command, file *string, words string) *cobra.Command
	// Call sends a request to the server's API and decodes its answer into out, which
	// may be nil. A write is done once however often the line fails.
	Call func(ctx context.Context, method, path string, in, out any) error
	// List prints items of the API in the form that was asked for; none is said to a
	// person where there are none.
	List func(items []json.RawMessage, none string, columns ...Column) error
	// One prints one item.
	One func(item json.RawMessage, columns ...Column) error
	// JSON reports whether the output is JSON, for what a published form decides.
	JSON func() bool
	// Say tells a person something that is not data.
	Say func(format string, args ...any)
	// Progress says how far long work has come, to a person who is looking.
	Progress func(format string, args ...any)
	// Sure asks a person to say yes; where there is nobody to ask it fails, and says
	// what to write instead: "--yes".
	Sure func(question, instead string) (bool, error)
	// Printer is who makes PDFs on this machine; without a browser it says how to come
	// by one.
	Printer func(cmd *cobra.Command) (*pdf.Printer, error)
	// Wait passes the time between two looks at long work. It ends early, with an
	// error, when the command is called off.
	Wait func(ctx context.Context) error
	// Now is what time it is on this machine, for what a command writes down.
	Now func() time.Time
	// Version is which Gavel this is.
	Version string
	// Problems is what a command returns that has done its work and printed what it
	// found, where that is something wrong: it ends with the code for that.
	Problems error
}

// A Column is one field of an item of the API: how a table heads it. The first one
// names the item.
type Column struct {
	Head, Field string
	Time        bool // it holds a time: a table's heading names the zone
}
