package telemetry

import (
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// Bounds of a value that is taken apart. What lies deeper or beyond is left out
// and said to be; they also end a walk around a cycle.
const (
	maxDepth = 8
	maxItems = 100
)

// maskAttr is an attribute without its secrets.
func maskAttr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	is := isText
	switch v.Kind() {
	case slog.KindBool, slog.KindInt64, slog.KindUint64, slog.KindFloat64, slog.KindDuration, slog.KindTime:
		is = isNumber
	case slog.KindAny:
		is = shapeOf(v.Any())
	}
	if a.Key != "" && secretKey(a.Key, is) {
		return slog.String(maskText(a.Key), hidden)
	}
	a.Key = maskText(a.Key)
	switch v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(maskText(v.String()))
	case slog.KindGroup:
		a.Value = slog.GroupValue(maskAttrs(v.Group())...)
	case slog.KindAny:
		a.Value = slog.AnyValue(reveal(v.Any(), 0))
	default:
		a.Value = v
	}
	return a
}

func maskAttrs(attrs []slog.Attr) []slog.Attr {
	masked := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		masked[i] = maskAttr(a)
	}
	return masked
}

func shapeOf(v any) shape {
	switch reflect.ValueOf(v).Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return isNumber
	}
	return isText
}

// reveal turns any value into strings, numbers, maps and lists without secrets.
// A value that can speak for itself (an error, a Stringer) is asked to; others
// are taken apart, because their parts have names that tell what is secret.
func reveal(v any, depth int) (shown any) {
	// A method that panics, on a nil pointer say, must not take the caller with it.
	defer func() {
		if recover() != nil {
			shown = notShown(v)
		}
	}()
	if depth > maxDepth {
		return notShown(v)
	}
	switch v := v.(type) {
	case nil:
		return nil
	case *url.Userinfo:
		return hidden // its String is the password
	case slog.LogValuer:
		return revealLogValue(slog.AnyValue(v).Resolve(), depth)
	case slog.Value:
		return revealLogValue(v.Resolve(), depth)
	case time.Time, time.Duration:
		return v
	case error:
		return maskText(v.Error())
	case encoding.TextMarshaler:
		text, err := v.MarshalText()
		if err != nil {
			return notShown(v)
		}
		return maskText(string(text))
	case json.Marshaler:
		return revealJSON(v, depth)
	case fmt.Stringer:
		return maskText(v.String())
	case []byte:
		return fmt.Sprintf("[%d bytes]", len(v))
	}
	return revealParts(reflect.ValueOf(v), depth)
}

func notShown(v any) string { return fmt.Sprintf("[%T not shown]", v) }

func revealLogValue(v slog.Value, depth int) any {
	if v.Kind() != slog.KindGroup {
		return reveal(v.Any(), depth+1)
	}
	parts := map[string]any{}
	for _, a := range v.Group() {
		a = maskAttr(a)
		parts[a.Key] = reveal(a.Value.Any(), depth+1)
	}
	return parts
}

func revealJSON(v json.Marshaler, depth int) any {
	data, err := v.MarshalJSON()
	var decoded any
	if err != nil || len(data) > maxLookedAt || json.Unmarshal(data, &decoded) != nil {
		return notShown(v)
	}
	return reveal(decoded, depth+1)
}

func revealParts(v reflect.Value, depth int) any {
	switch v.Kind() {
	case reflect.String:
		return maskText(v.String())
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return v.Interface()
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Sprint(f) // JSON has neither
		}
		return v.Float()
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return reveal(v.Elem().Interface(), depth+1)
	case reflect.Struct:
		return revealStruct(v, depth)
	case reflect.Map:
		return revealMap(v, depth)
	case reflect.Slice, reflect.Array:
		return revealList(v, depth)
	}
	return notShown(v.Interface())
}

func revealStruct(v reflect.Value, depth int) any {
	// A url.URL held by value speaks through its pointer only.
	pointer := reflect.New(v.Type())
	pointer.Elem().Set(v)
	switch speaker := pointer.Interface().(type) {
	case slog.LogValuer, error, encoding.TextMarshaler, json.Marshaler, fmt.Stringer: // *url.Userinfo is one
		return reveal(speaker, depth+1)
	}
	parts := map[string]any{}
	for field, value := range v.Fields() {
		if !field.IsExported() {
			continue
		}
		name := field.Name
		if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag == "-" {
			continue
		} else if tag != "" {
			name = tag
		}
		// Both names count: a tag must not hide what the field is.
		parts[name] = revealNamed(field.Name+"."+name, value.Interface(), depth)
	}
	return parts
}

func revealMap(v reflect.Value, depth int) any {
	parts := map[string]any{}
	for key, value := range v.Seq2() {
		if len(parts) == maxItems {
			parts["…"] = fmt.Sprintf("[%d more]", v.Len()-maxItems)
			break
		}
		name := fmt.Sprint(reveal(key.Interface(), depth+1))
		parts[name] = revealNamed(fmt.Sprint(key.Interface()), value.Interface(), depth)
	}
	return parts
}

func revealNamed(name string, value any, depth int) any {
	if secretKey(name, shapeOf(value)) {
		return hidden
	}
	return reveal(value, depth+1)
}

func revealList(v reflect.Value, depth int) any {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return fmt.Sprintf("[%d bytes]", v.Len())
	}
	items := []any{}
	for i := range v.Len() {
		if i == maxItems {
			items = append(items, fmt.Sprintf("[%d more]", v.Len()-maxItems))
			break
		}
		items = append(items, reveal(v.Index(i).Interface(), depth+1))
	}
	return items
}
