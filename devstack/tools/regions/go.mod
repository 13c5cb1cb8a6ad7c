// Writes the outlines of states that package region looks places up in.
module github.com/gavelhq/gavel/devstack/tools/regions

go 1.26.0

replace github.com/gavelhq/gavel => ../../..

require (
	github.com/gavelhq/gavel v0.0.0-00010101000000-000000000000
	github.com/sams96/rgeo v1.2.0
)

require (
	github.com/golang/geo v0.0.0-20200730024412-e86565bf3f35 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/twpayne/go-geom v1.4.4 // indirect
)
