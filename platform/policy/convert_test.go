package policy

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/cedar-policy/cedar-go"
	"pgregory.net/rapid"
)

// TestNumbersKeepTheirValue promises the form a JSON number takes.
func TestNumbersKeepTheirValue(t *testing.T) {
	decimal := func(s string) cedar.Value {
		n, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatal(s)
		}
		n.Mul(n, big.NewRat(10000, 1))
		d, err := cedar.NewDecimal(n.Num().Int64(), -4)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for text, want := range map[string]cedar.Value{
		"0": cedar.Long(0), "-0": cedar.Long(0), "0.000": cedar.Long(0), "0e9999999999": cedar.String("0e9999999999"),
		"7": cedar.Long(7), "7.0": cedar.Long(7), "70e-1": cedar.Long(7), "7E2": cedar.Long(700), "-1.5e1": cedar.Long(-15),
		"9223372036854775807": cedar.Long(9223372036854775807), "-9223372036854775808": cedar.Long(-9223372036854775808),
		"9223372036854775808": cedar.String("9223372036854775808"), "1e19": cedar.String("1e19"),
		"0.25": decimal("0.25"), "-0.0001": decimal("-0.0001"), "12.3456": decimal("12.3456"), "-12.5": decimal("-12.5"),
		"0.00001": cedar.String("0.00001"), "12.34567": cedar.String("12.34567"),
		"922337203685477.5807": decimal("922337203685477.5807"), "922337203685477.5808": cedar.String("922337203685477.5808"),
		"1e400": cedar.String("1e400"), "1e-400": cedar.String("1e-400"), "1e99999999999999999999": cedar.String("1e99999999999999999999"),
	} {
		if got := number(text); !got.Equal(want) {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// TestNoNumberIsRounded promises that a number becomes a long or a decimal only
// if that is exactly its value, and text only if neither holds it.
func TestNoNumberIsRounded(t *testing.T) {
	form := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,7})?([eE][+-]?[0-9]{1,2})?`)
	lowest, highest := big.NewRat(-9223372036854775808, 10000), big.NewRat(9223372036854775807, 10000)
	rapid.Check(t, func(t *rapid.T) {
		text := form.Draw(t, "number")
		want, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("the reference cannot read %s", text)
		}
		scaled := new(big.Rat).Mul(want, big.NewRat(10000, 1))
		fitsLong := want.IsInt() && want.Num().IsInt64()
		fitsDecimal := scaled.IsInt() && want.Cmp(lowest) >= 0 && want.Cmp(highest) <= 0
		switch v := number(text).(type) {
		case cedar.Long:
			if got := big.NewRat(int64(v), 1); got.Cmp(want) != 0 {
				t.Fatalf("%s became %v", text, v)
			}
		case cedar.Decimal:
			if got, _ := new(big.Rat).SetString(v.String()); got.Cmp(want) != 0 || want.IsInt() {
				t.Fatalf("%s became %v", text, v)
			}
		case cedar.String:
			if string(v) != text || fitsLong || fitsDecimal && !want.IsInt() {
				t.Fatalf("%s became the text %q", text, v)
			}
		default:
			t.Fatalf("%s became a %T", text, v)
		}
	})
}

// TestWhatPoliciesSeeIsBounded promises a refusal in place of a long wait.
func TestWhatPoliciesSeeIsBounded(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + `1` + strings.Repeat(`}`, n) }
	many := func(n int) string { return `{"a":[` + strings.Repeat(`1,`, n-1) + `1]}` }
	for _, tt := range []struct {
		name, text string
		ok         bool
	}{
		{"deep", deep(maxDepth), true},
		{"too deep", deep(maxDepth + 1), false},
		{"endless", strings.Repeat(`{"a":`, 100_000), false},
		{"many", many(maxNodes - 2), true},
		{"too many", many(maxNodes - 1), false},
		{"too long", `{"a":"` + strings.Repeat("x", maxJSON) + `"}`, false},
	} {
		if _, err := fromJSON([]byte(tt.text)); (err == nil) != tt.ok {
			t.Errorf("%s: got %v, want ok %v", tt.name, err, tt.ok)
		}
	}
}

// FuzzArgumentsBecomeARecordOrAreRefused promises that no text breaks the
// conversion, that what is not one JSON object is refused, and that no member is
// lost but the nulls.
func FuzzArgumentsBecomeARecordOrAreRefused(f *testing.F) {
	for _, s := range []string{``, `{}`, `{"a":1}`, `{"a":{"b":[1,2.5,"x",true,null]}}`, `{"a":1,"a":2}`, `[]`, `null`, `{"a":1e999}`,
		`{"a":-0.00}`, `{} x`, "{\"\xff\":1}", `{"\ud800":1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := fromJSON(text)
		if err != nil {
			return
		}
		var want map[string]any
		if len(strings.TrimSpace(string(text))) > 0 {
			if err := json.Unmarshal(text, &want); err != nil {
				// Numbers out of a double's range are JSON all the same.
				if !json.Valid(text) {
					t.Fatalf("took %q, which is not an object: %v", text, err)
				}
				return
			}
		}
		members := 0
		for name, v := range want {
			_, there := got.Get(cedar.String(name))
			if there != (v != nil) {
				t.Fatalf("%q: member %q is there %v, want %v", text, name, there, v != nil)
			}
			if v != nil {
				members++
			}
		}
		if got.Len() != members {
			t.Fatalf("%q: %d members, want %d", text, got.Len(), members)
		}
	})
}
