// Compares two versions of the API's document.
module github.com/gavelhq/gavel/devstack/tools/oasdiff

go 1.26.0

require (
	github.com/getkin/kin-openapi v0.122.0
	github.com/tufin/oasdiff v1.10.9
)

require (
	cloud.google.com/go v0.112.0 // indirect
	github.com/TwiN/go-color v1.4.1 // indirect
	github.com/go-openapi/jsonpointer v0.20.2 // indirect
	github.com/go-openapi/swag v0.22.7 // indirect
	github.com/invopop/yaml v0.2.0 // indirect
	github.com/josharian/intern v1.0.0 // indirect
	github.com/mailru/easyjson v0.7.7 // indirect
	github.com/mohae/deepcopy v0.0.0-20170929034955-c48cc78d4826 // indirect
	github.com/perimeterx/marshmallow v1.1.5 // indirect
	github.com/ugorji/go/codec v1.2.11 // indirect
	github.com/yargevad/filepathx v1.0.0 // indirect
	golang.org/x/exp v0.0.0-20240119083558-1b970713d09a // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
