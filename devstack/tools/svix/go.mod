module github.com/gavelhq/gavel/devstack/tools/svix

go 1.26.0

replace github.com/gavelhq/gavel => ../../..

require (
	github.com/gavelhq/gavel v0.0.0-00010101000000-000000000000
	github.com/svix/svix-webhooks v1.45.1
)

require gopkg.in/validator.v2 v2.0.1 // indirect
