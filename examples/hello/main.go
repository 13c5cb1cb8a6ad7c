// This is Gavel with one application, hello, in it.
package main

import (
	"os"

	"example.com/hello/hello"
	"github.com/gavelhq/gavel/program"
)

func main() { os.Exit(program.Main(hello.New())) }
