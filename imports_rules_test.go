package gavel_test

import (
	"path"
	"slices"
	"strings"
)

// An importRule forbids some imports.
type importRule struct {
	rule
	broken func(f *file, imp imported) bool
}

// A useRule forbids naming some members of a package, in some files.
type useRule struct {
	rule
	members map[string][]string // by import path
	applies func(f *file) bool
}

// pureStandard is the part of the standard library that touches nothing outside
// the process and has no hidden input: no os, net, net/http, os/exec, syscall,
// database/sql, log, flag, testing, unsafe, no randomness, no templates (they
// can open files). A longer path counts with its parent.
var pureStandard = []string{
	"archive/zip", "bufio", "bytes", "cmp", "compress/flate", "container", "context", "embed", "encoding", "errors", "fmt",
	"crypto/aes", "crypto/cipher", "crypto/ed25519", "crypto/hmac", "crypto/sha256", "crypto/sha512", "crypto/subtle",
	"hash", "html", "image", "io", "iter", "maps", "math", "net/netip", "net/url",
	"path", "reflect", "regexp", "slices", "sort", "strconv", "strings", "sync", "text/tabwriter", "time", "unicode", "unique",
}

// notPure is what lies below a parent in pureStandard and is not pure itself.
var notPure = []string{"hash/maphash", "html/template", "io/ioutil", "math/rand", "path/filepath"}

// pureModules are the modules of others that pure code may import. Each has
// been looked at: no I/O, no clock, no randomness on the paths we call.
var pureModules = []string{
	"github.com/cedar-policy/cedar-go", // the policy language, evaluated in memory
	"github.com/google/jsonschema-go",  // what a JSON Schema says, read from memory
	"github.com/gowebpki/jcs",          // canonical JSON
	"golang.org/x/text",                // Unicode normal forms and collation
	"rsc.io/qr/coding",                 // the squares of a QR code
}

// Modules that are held in one place, so that they can be changed in one place.
var (
	modelSDKs = []string{"github.com/openai/openai-go", "github.com/anthropics/anthropic-sdk-go", "google.golang.org/genai",
		"cloud.google.com/go/vertexai", "github.com/sashabaranov/go-openai", "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"}
	awsSDK     = []string{"github.com/aws"}
	engineSDK  = []string{"go.temporal.io"}
	rowDrivers = []string{"github.com/jackc/pgx", "github.com/lib/pq", "github.com/jmoiron/sqlx"}
	migrators  = []string{"database/sql", "github.com/pressly/goose"}
	envReaders = []string{"github.com/caarlos0/env", "github.com/joho/godotenv", "github.com/spf13/viper", "github.com/knadh/koanf"}
	testKits   = []string{"testing", "pgregory.net/rapid", "github.com/stretchr/testify", "github.com/google/go-cmp"}
)

// importRules are the arrows. Each is proved to refuse by a fake tree in
// imports_test.go; a rule without one fails that test.
var importRules = []importRule{
	{rule{"layers", "cmd → program → apps → platform → face → minds → records → pipes → words: an import never points upwards",
		"move the shared part down, or declare a small interface where it is used and let the program pass the value in"},
		func(f *file, imp imported) bool { return imp.ours && !imp.to.root && imp.to.layer > f.at.layer }},
	{rule{"known-place", "every package stands in the layout of ARCHITECTURE.md",
		"move it to a folder of the layout, or add the folder to shelves in imports_place_test.go and to ARCHITECTURE.md"},
		func(_ *file, imp imported) bool { return imp.ours && !imp.to.root && imp.to.layer == nowhere }},
	{rule{"apps-apart", "no app knows another app",
		"move what both need into platform, or let the first write a row the second reads"},
		func(f *file, imp imported) bool {
			return imp.ours && f.at.layer == apps && imp.to.layer == apps && f.at.part != imp.to.part
		}},
	{rule{"program-knows-no-app", "the program is handed applications and knows none; its tests run those that ship",
		"reach it through platform.App; what only one application needs is the application's"},
		func(f *file, imp imported) bool {
			return imp.ours && imp.to.layer == apps && f.at.layer == program && !f.test
		}},
	{rule{"cmd-only-lists", "what stands in cmd lists applications and hands them to the program",
		"put it into package program, or into the application"},
		func(f *file, imp imported) bool {
			handed := imp.path == "os" || imp.ours && (imp.to.layer == apps || imp.to.dir == "program")
			return f.at.layer == command && !f.test && !handed
		}},
	{rule{"rules-know-words", "a rule package (below rule/) knows words and its sister rules only",
		"take the value as an argument; who calls it fetches it"},
		func(f *file, imp imported) bool {
			sister := imp.to.rules && imp.to.part == f.at.part
			return imp.ours && f.at.rules && imp.to.layer != words && !sister
		}},
	{rule{"pure-code", "words and rule packages only compute: values in, values out",
		"do the I/O in the caller and pass values; a package that does none may join pureStandard or pureModules, with its reason"},
		func(f *file, imp imported) bool { return f.at.pure() && !f.test && impure(imp) }},
	{rule{"test-helpers", "a package made for tests (blob/blobtest) is imported by tests, benchmarks and other such packages only",
		"move what production needs into the parent package"},
		func(f *file, imp imported) bool {
			return imp.ours && imp.to.helper && !f.test && !f.at.helper && f.at.layer != bench
		}},
	{rule{"devstack-apart", "only tests, their helper packages, the program and bench start the dev stack",
		"take an address as a setting; who started the part is not this package's business"},
		func(f *file, imp imported) bool {
			return imp.ours && imp.to.devstack && !f.at.devstack && !f.test && !f.at.helper && f.at.layer < program
		}},
	{rule{"testing-apart", "what runs in production does not link test kits",
		"move it into a _test.go file or a helper package named <parent>test"},
		func(f *file, imp imported) bool {
			return under(imp.path, testKits...) && !f.test && !f.at.helper && f.at.layer != bench
		}},
	{rule{"model-sdks", "a model vendor's SDK lives under platform/model/<name> only",
		"go through platform/model"},
		func(f *file, imp imported) bool {
			return under(imp.path, modelSDKs...) && (!f.at.within("platform/model") || f.at.dir == "platform/model")
		}},
	{rule{"object-store-sdk", "the S3 SDK lives in platform/blob/s3; the dev stack makes its bucket with it, and a bench measures beside it",
		"go through platform/blob"},
		func(f *file, imp imported) bool {
			return under(imp.path, awsSDK...) && !under(imp.path, modelSDKs...) &&
				!f.at.within("platform/blob/s3", "devstack", "bench/gate")
		}},
	{rule{"engine-sdk", "Temporal lives in platform/durable, in outbox/engine.go, and in workflow*.go and activities*.go of records, " +
		"minds and applications' casework",
		"go through platform/durable, or put workflow code in workflow.go"},
		func(f *file, imp imported) bool { return under(imp.path, engineSDK...) && !engineHome(f) }},
	{rule{"row-drivers", "SQL is run by pipes, records, minds, and the store and casework of an application",
		"ask the record's package for the rows"},
		func(f *file, imp imported) bool { return under(imp.path, rowDrivers...) && !sqlHome(f) }},
	{rule{"migrations", "database/sql and the migration tool live in platform/postgres only",
		"use pgx through platform/postgres; hand over migrations as an fs.FS"},
		func(f *file, imp imported) bool {
			values := imp.path == "database/sql/driver" // the interface by which a type becomes a column
			return under(imp.path, migrators...) && !values && !f.at.within("platform/postgres")
		}},
	{rule{"environment-libraries", "settings are read once, in program",
		"take a Config struct"},
		func(f *file, imp imported) bool { return under(imp.path, envReaders...) && !f.at.within("program") }},
	{rule{"dot-imports", "a reader can see where a name comes from",
		"import it by its name"},
		func(_ *file, imp imported) bool { return imp.name == "." }},
}

// useRules are the arrows that an import alone does not show.
var useRules = []useRule{
	{rule{"environment", "settings are read once, in program; nothing else reads the environment",
		"take the value in a Config struct; a test takes it from its helper package"},
		map[string][]string{
			"os":      {"Getenv", "LookupEnv", "Environ", "ExpandEnv"},
			"syscall": {"Getenv", "Environ"},
		},
		func(f *file) bool {
			return !f.at.within("program") && !f.at.helper && !f.at.devstack && f.at.layer != bench
		}},
	{rule{"one-clock", "rules, words, records, minds and apps live by the scaled clock",
		"take the time as an argument, or ask the durable.Clock you were given"},
		map[string][]string{"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}},
		func(f *file) bool {
			slow := f.at.layer == records || f.at.layer == minds || f.at.layer == apps
			return !f.test && !f.at.helper && (f.at.pure() || slow)
		}},
	{rule{"no-printing", "words and rule packages only compute",
		"return the text"},
		map[string][]string{"fmt": {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"}},
		func(f *file) bool { return f.at.pure() && !f.test }},
	{rule{"archives-in-memory", "words and rule packages open no files, archives neither",
		"take the bytes, and read them with zip.NewReader"},
		map[string][]string{"archive/zip": {"OpenReader"}},
		func(f *file) bool { return f.at.pure() && !f.test }},
}

// reachRule is pure-code followed through our own packages.
var reachRule = rule{"pure-reach", "a rule package reaches no I/O, through any number of our own packages",
	"break the chain: the package in the middle must not import it, or the rule must not import that package"}

// impure reports whether an import of someone else's code does more than compute.
func impure(imp imported) bool {
	switch {
	case imp.ours:
		return false // another rule's business
	case standard(imp.path):
		return under(imp.path, notPure...) || !under(imp.path, pureStandard...)
	default:
		return !under(imp.path, pureModules...)
	}
}

// engineHome reports whether a file may import the workflow engine's SDK.
func engineHome(f *file) bool {
	if f.at.within("platform/durable") || f.at.devstack || f.at.layer == program || f.at.layer == bench {
		return true
	}
	if f.path == "platform/outbox/engine.go" || f.at.dir == "platform/outbox" && f.test {
		return true // the dispatcher's last step, the only one outside durable that calls the engine
	}
	if f.at.rules || f.at.layer != records && f.at.layer != minds && f.at.layer != apps {
		return false
	}
	if f.at.layer == apps && !slices.Contains([]string{"", "casework"}, f.at.room) && !f.test && !f.at.helper {
		return false
	}
	base := path.Base(f.path)
	return f.test || f.at.helper || strings.HasPrefix(base, "workflow") || strings.HasPrefix(base, "activities")
}

// sqlHome reports whether a file may import a database driver. A test may look
// at the rows from anywhere but pure code.
func sqlHome(f *file) bool {
	if f.at.pure() {
		return false
	}
	if f.at.layer == apps && !f.at.helper && !slices.Contains(sqlRooms, f.at.room) {
		return f.test
	}
	return f.test || f.at.helper || slices.Contains([]layer{pipes, records, minds, apps, bench}, f.at.layer)
}
