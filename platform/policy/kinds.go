package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cedar-policy/cedar-go/types"
)

// A kind is a type of Cedar's, as far as it can be known before a question, in
// the words of a message.
type kind string

const (
	unknown  kind = "a value of unknown type"
	boolean  kind = "a boolean"
	long     kind = "a whole number"
	text     kind = "a text"
	set      kind = "a set"
	record   kind = "a record"
	thing    kind = "an entity"
	decimal  kind = "a decimal"
	address  kind = "an IP address"
	datetime kind = "a date and time"
	duration kind = "a duration"
)

// toolKinds are the attributes of the context of a tool's policy; Question says
// what they mean. actKinds are those of an act's; Rules says what they mean.
var (
	toolKinds = map[string]kind{
		"tool": text, "app": text, "effect": text, "org": text, "on_behalf_of": text,
		"taint": boolean, "roles": set, "scopes": set, "args": record,
	}
	actKinds = map[string]kind{"act": text, "org": text, "roles": set, "scopes": set}
)

// functions are Cedar's extension functions: what they take and give.
var functions = map[string]struct {
	takes []kind
	gives kind
}{
	"decimal": {[]kind{text}, decimal}, "ip": {[]kind{text}, address},
	"datetime": {[]kind{text}, datetime}, "duration": {[]kind{text}, duration},
	"lessThan": {[]kind{decimal, decimal}, boolean}, "lessThanOrEqual": {[]kind{decimal, decimal}, boolean},
	"greaterThan": {[]kind{decimal, decimal}, boolean}, "greaterThanOrEqual": {[]kind{decimal, decimal}, boolean},
	"isIpv4": {[]kind{address}, boolean}, "isIpv6": {[]kind{address}, boolean},
	"isLoopback": {[]kind{address}, boolean}, "isMulticast": {[]kind{address}, boolean},
	"isInRange": {[]kind{address, address}, boolean},
	"offset":    {[]kind{datetime, duration}, datetime}, "durationSince": {[]kind{datetime, datetime}, duration},
	"toDate": {[]kind{datetime}, datetime}, "toTime": {[]kind{datetime}, duration},
	"toDays": {[]kind{duration}, long}, "toHours": {[]kind{duration}, long}, "toMinutes": {[]kind{duration}, long},
	"toSeconds": {[]kind{duration}, long}, "toMilliseconds": {[]kind{duration}, long},
}

// typeOf is the type of an expression, after everything in it was checked.
func (c *checker) typeOf(n node) (kind, error) {
	switch n.op {
	case "Value":
		return c.value(n)
	case "Var":
		if n.variable("context") {
			return record, nil
		}
		return thing, nil
	case "Set":
		return set, c.each(n.nodes())
	case "Record":
		members, _ := n.body.(map[string]any)
		all := make([]node, 0, len(members))
		for _, name := range slices.Sorted(maps.Keys(members)) {
			all = append(all, nodeOf(members[name]))
		}
		return record, c.each(all)
	case "hasTag", "getTag":
		return "", errors.New("nothing here has tags")
	}
	if f, ok := functions[n.op]; ok {
		return f.gives, c.function(n, f.takes)
	}
	return c.operator(n)
}

// each checks the members of a set or a record.
func (c *checker) each(all []node) error {
	for _, n := range all {
		if _, err := c.typeOf(n); err != nil {
			return err
		}
	}
	return nil
}

// value is the type of something spelt out.
func (c *checker) value(n node) (kind, error) {
	switch n.body.(type) {
	case bool:
		return boolean, nil
	case float64:
		return long, nil
	case string:
		return text, nil
	}
	if e, ok := n.entity(); ok {
		return thing, c.known(e)
	}
	return unknown, nil
}

// function checks what a function is given; where that is spelt out, also that
// it can be read.
func (c *checker) function(n node, takes []kind) error {
	args := n.nodes()
	if len(args) != len(takes) {
		return fmt.Errorf("%s takes %d values, not %d", n.op, len(takes), len(args))
	}
	for i, k := range takes {
		if err := c.want(args[i], k); err != nil {
			return fmt.Errorf("%s: %w", n.op, err)
		}
	}
	for _, s := range args[0].literals() {
		if err := readable(n.op, s); err != nil {
			return fmt.Errorf("%s(%.60q) cannot be read", n.op, s)
		}
	}
	return nil
}

// readable tries a literal with the constructor it is given to.
func readable(function, s string) (err error) {
	switch function {
	case "decimal":
		_, err = types.ParseDecimal(s)
	case "ip":
		_, err = types.ParseIPAddr(s)
	case "datetime":
		_, err = types.ParseDatetime(s)
	case "duration":
		_, err = types.ParseDuration(s)
	}
	return err
}

// operator is the type of an expression with an operator, after its operands
// were checked.
func (c *checker) operator(n node) (kind, error) {
	switch n.op {
	case "!":
		return boolean, c.want(n.part("arg"), boolean)
	case "neg":
		return long, c.want(n.part("arg"), long)
	case "isEmpty":
		return boolean, c.want(n.part("arg"), set)
	case "&&", "||":
		return boolean, c.both(n, boolean)
	case "+", "-", "*":
		return long, c.both(n, long)
	case "<", "<=", ">", ">=":
		return boolean, c.ordered(n)
	case "==", "!=":
		return boolean, c.equality(n)
	case "in":
		return boolean, c.membership(n)
	case "contains", "containsAll", "containsAny":
		return boolean, c.contains(n)
	case "like":
		return boolean, c.like(n)
	case "is":
		return boolean, c.is(n)
	case ".", "has":
		return c.access(n)
	case "if-then-else":
		return c.choice(n)
	}
	return "", fmt.Errorf("there is no operator %.60q", n.op)
}

func (c *checker) both(n node, of kind) error {
	if err := c.want(n.part("left"), of); err != nil {
		return err
	}
	return c.want(n.part("right"), of)
}

// ordered checks < and its like, which compare a kind with itself only.
func (c *checker) ordered(n node) error {
	left, right, err := c.two(n)
	if err != nil {
		return err
	}
	for _, k := range []kind{left, right} {
		if k == decimal {
			return errors.New("decimals are compared with .lessThan(…) and its like")
		}
		if err := fits(k, long, datetime, duration); err != nil {
			return err
		}
	}
	return alike(left, right)
}

func (c *checker) choice(n node) (kind, error) {
	if err := c.want(n.part("if"), boolean); err != nil {
		return "", err
	}
	then, err := c.typeOf(n.part("then"))
	if err != nil {
		return "", err
	}
	other, err := c.typeOf(n.part("else"))
	if err != nil || then != other {
		return unknown, err
	}
	return then, nil
}

// access checks that an attribute, read or asked about, is one that can be there.
func (c *checker) access(n node) (kind, error) {
	gives, left, attr := unknown, n.part("left"), n.word("attr")
	switch {
	case left.variable("context"):
		k, ok := c.context[attr]
		if !ok {
			return "", fmt.Errorf("the context has no attribute %.60q; it has %s", attr, strings.Join(slices.Sorted(maps.Keys(c.context)),
				", "))
		}
		gives = k
	case left.variable("principal"):
		if attr != "id" {
			return "", fmt.Errorf("a principal has no attribute %.60q; it has id", attr)
		}
		gives = text
	case left.variable("action"):
		return "", errors.New("an action has no attributes")
	default:
		if err := c.want(left, record, thing); err != nil {
			return "", err
		}
	}
	if n.op == "has" {
		gives = boolean
	}
	return gives, nil
}
