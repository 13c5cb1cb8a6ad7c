package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gavelhq/gavel/platform/model"
)

// NameModels names a file of routes to models. Without it there is no model, and
// everything else works.
const NameModels Name = "GAVEL_MODELS"

// The providers a route may name.
const (
	OpenAI    = "openai" // and whoever speaks its chat API, by base_url
	Anthropic = "anthropic"
	Scripted  = "scripted" // a server of ours that answers from a script
)

// A ModelRoute is one way to a model. Agents ask for it by its name.
type ModelRoute struct {
	Name     string
	Provider string
	BaseURL  string // empty for the vendor's own
	Model    string
	Key      Secret
	Price    *model.Price
	Window   int // tokens that fit; 0 for the runtime's default
	Slots    int // requests under way in one process; 0 for no bound
	Params   model.Params
	Plain    bool // openai: leave out the strict dialect, for servers that choke on it
}

// routeForm is a route as its file spells it.
type routeForm struct {
	Provider    string     `yaml:"provider"`
	BaseURL     string     `yaml:"base_url"`
	Model       string     `yaml:"model"`
	KeyEnv      string     `yaml:"key_env"`
	KeyFile     string     `yaml:"key_file"`
	Price       *priceForm `yaml:"price"`
	Window      int        `yaml:"window"`
	Slots       int        `yaml:"slots"`
	MaxTokens   int        `yaml:"max_tokens"`
	Temperature *float64   `yaml:"temperature"`
	Seed        *int64     `yaml:"seed"`
	Plain       bool       `yaml:"plain"`
}

// priceForm is what a million tokens cost, in the currency.
type priceForm struct {
	Currency string  `yaml:"currency"`
	Input    amount  `yaml:"input"`
	Cached   *amount `yaml:"cached"` // as input where it is not said
	Output   amount  `yaml:"output"`
}

// An amount is a decimal in millionths, read as it is written: no binary
// fraction comes between.
type amount int64

var amountForm = regexp.MustCompile(`^([0-9]{1,9})(?:\.([0-9]{1,6}))?$`)

// UnmarshalYAML reads a number such as 2.50.
func (a *amount) UnmarshalYAML(n *yaml.Node) error {
	m := amountForm.FindStringSubmatch(n.Value)
	if n.Kind != yaml.ScalarNode || m == nil {
		return fmt.Errorf("line %d: a price is a number such as 2.50, with at most six decimals", n.Line)
	}
	whole, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return err
	}
	part, err := strconv.ParseInt((m[2] + "000000")[:6], 10, 64)
	*a = amount(whole*1_000_000 + part)
	return err
}

// Bounds of the file of routes and of a key.
const (
	maxModels  = 64 << 10
	maxKey     = 4 << 10
	mostRoutes = 100
)

var (
	routeName   = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)
	currency    = regexp.MustCompile(`^[A-Z]{3}$`)
	envName     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)
	yamlLine    = regexp.MustCompile(`line [0-9]+`)
	yamlUnknown = regexp.MustCompile(`field (\S{1,60}) not found`)
)

func models() []Setting {
	return []Setting{{Name: NameModels, Help: "file of routes to models, YAML or JSON; no model where it is not set",
		Expect: "the path of a readable file of model routes", set: func(c *Config, v string) bool {
			c.ModelsFile = v
			return true // what is in it is judged by readModels, which can say where
		}}}
}

// readModels reads the file of routes and the keys it points to.
func (c *Config) readModels(environ []string) {
	if c.ModelsFile == "" {
		return
	}
	routes, err := parseRoutes(c.ModelsFile, environ)
	if err != nil {
		c.problems = append(c.problems, Problem{NameModels, (*c.given)[NameModels].origin, err.Error()})
		return
	}
	c.Models = routes
}

func parseRoutes(path string, environ []string) ([]ModelRoute, error) {
	text, err := readSmall(path, maxModels)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, reason(err))
	}
	var forms map[string]routeForm
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&forms); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %s", path, discreet(err))
	}
	if len(forms) > mostRoutes {
		return nil, fmt.Errorf("%s has %d routes; the most is %d", path, len(forms), mostRoutes)
	}
	var all []ModelRoute
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		r, err := forms[name].route(name, environ)
		if err != nil {
			return nil, fmt.Errorf("%s: route %.40q: %w", path, name, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// discreet is what may be said about a file that is not as it should be: where,
// and which word is not known. The parser quotes values, and somebody may have
// put a key there.
func discreet(err error) string {
	text := err.Error()
	where := cmp.Or(yamlLine.FindString(text), "somewhere")
	if m := yamlUnknown.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s: no setting of a route is called %.60q", where, m[1])
	}
	if strings.Contains(text, "a price is") {
		return where + ": a price is a number such as 2.50, with at most six decimals"
	}
	return where + ": this is not a list of routes, or a value is not of its kind"
}

func (f routeForm) route(name string, environ []string) (ModelRoute, error) {
	if err := f.check(name); err != nil {
		return ModelRoute{}, err
	}
	r := ModelRoute{Name: name, Provider: f.Provider, BaseURL: strings.TrimRight(f.BaseURL, "/"), Model: cmp.Or(f.Model, Scripted),
		Window: f.Window, Slots: f.Slots, Plain: f.Plain,
		Params: model.Params{Temperature: f.Temperature, Seed: f.Seed, MaxTokens: f.MaxTokens}}
	if f.Price != nil {
		p := model.Price{Currency: f.Price.Currency, Input: int64(f.Price.Input), Cached: int64(f.Price.Input),
			Output: int64(f.Price.Output)}
		if f.Price.Cached != nil {
			p.Cached = int64(*f.Price.Cached)
		}
		r.Price = &p
	}
	var err error
	r.Key, err = f.key(environ)
	return r, err
}

func (f routeForm) check(name string) error {
	switch {
	case !routeName.MatchString(name):
		return errors.New("a route's name is up to 40 of a-z, 0-9, _ and -, a letter first")
	case !slices.Contains([]string{OpenAI, Anthropic, Scripted}, f.Provider):
		return errors.New("provider is openai, anthropic or scripted")
	case f.Model == "" && f.Provider != Scripted || len(f.Model) > 200 || hasSpace(f.Model):
		return errors.New("model is the vendor's name of the model")
	case f.BaseURL != "" && !validWebURL(f.BaseURL):
		return errors.New("base_url is an http(s) address, for example http://127.0.0.1:8000/v1")
	case f.BaseURL == "" && f.Provider == Scripted:
		return errors.New("a scripted route needs base_url, the address of its server with /v1")
	case f.Plain && f.Provider != OpenAI:
		return errors.New("plain is for openai only")
	case f.Window < 0 || f.MaxTokens < 0 || f.Window > 100_000_000 || f.MaxTokens > 100_000_000:
		return errors.New("window and max_tokens are numbers of tokens")
	case f.Slots < 0 || f.Slots > 100_000:
		return errors.New("slots are how many requests each process may have under way")
	case f.Temperature != nil && !(*f.Temperature >= 0 && *f.Temperature <= 2):
		return errors.New("temperature is between 0 and 2")
	case f.Seed != nil && (*f.Seed > 1<<53-1 || *f.Seed < -(1<<53-1)):
		return errors.New("seed is a whole number of at most 53 bits")
	case f.Price != nil && !currency.MatchString(f.Price.Currency):
		return errors.New("price needs a currency of three letters, such as INR")
	}
	return nil
}

// key fetches the secret from where the file says it is.
func (f routeForm) key(environ []string) (Secret, error) {
	switch {
	case f.KeyEnv != "" && f.KeyFile != "":
		return "", errors.New("key_env and key_file exclude each other")
	case f.KeyEnv != "":
		if !envName.MatchString(f.KeyEnv) || strings.HasPrefix(f.KeyEnv, "GAVEL_") {
			return "", errors.New("key_env is the name of an environment variable that holds the key, not one of Gavel's own")
		}
		return keyFrom(environ, f.KeyEnv)
	case f.KeyFile != "":
		text, err := readSmall(f.KeyFile, maxKey)
		if err != nil {
			return "", fmt.Errorf("key_file %s cannot be read: %w", f.KeyFile, reason(err))
		}
		return goodKey(string(text), "key_file "+f.KeyFile)
	case f.BaseURL == "":
		return "", errors.New("the vendor wants a key: set key_env or key_file")
	}
	return "", nil
}

func keyFrom(environ []string, name string) (Secret, error) {
	for _, entry := range environ {
		if n, text, ok := strings.Cut(entry, "="); ok && n == name {
			return goodKey(text, "the environment's "+name)
		}
	}
	return "", fmt.Errorf("the environment has no %s, which key_env names", name)
}

func goodKey(text, where string) (Secret, error) {
	text = strings.TrimSpace(text)
	if text == "" || hasSpace(text) {
		return "", fmt.Errorf("%s holds no key: one word is expected", where)
	}
	return Secret(text), nil
}

// readSmall reads a regular file of at most so many bytes.
func readSmall(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("not a file of at most %d bytes", most)
	}
	return os.ReadFile(path)
}

// modelsArePrivate: what is sent to a model is the case itself.
func modelsArePrivate(c *Config) (Name, string) {
	for _, r := range c.Models {
		if plainToOthers(r.BaseURL) {
			return NameModels, fmt.Sprintf("refused in production: route %s would send cases over plain http to another machine; use an "+
				"https:// base_url", r.Name)
		}
		if r.Provider == Scripted {
			return NameModels, fmt.Sprintf("refused in production: route %s is answered from a script; name a model", r.Name)
		}
	}
	return "", ""
}
