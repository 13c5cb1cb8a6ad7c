package lake

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// Read reads a file, ours or the first design's. A file with something in it that
// cannot be read is refused whole, because a report must not rest on half of one;
// values that no instrument in order gives are left out and counted.
func Read(file []byte) (*Object, error) {
	if len(file) > MaxBytes {
		return nil, fault.New(fault.TooLarge, "a lake object of %d bytes: at most %d", len(file), MaxBytes).
			WithNext("write fewer hours of wind, or fires of a smaller area, into one object")
	}
	r := reader{dec: json.NewDecoder(bytes.NewReader(file)), out: &Object{}, seen: map[string]bool{}, texts: map[string]string{}}
	if err := r.object(); err != nil {
		return nil, err
	}
	if r.out.Time.IsZero() {
		return nil, fault.New(fault.Invalid, "the lake object has no timestamp").
			WithNext(`add "timestamp", the moment it was put together, as 2025-11-14T08:30:00Z`)
	}
	if len(r.out.Air) == 0 {
		return nil, fault.New(fault.Invalid, "cpcb_data is missing or empty: without the air there is no surge and no report").
			WithNext("run the ingest again, or hand in a file with a row for each station and hour")
	}
	return r.out.Sorted(), nil
}

// A reader reads one file from its start to its end.
type reader struct {
	dec   *json.Decoder
	out   *Object
	seen  map[string]bool
	texts map[string]string // one copy of each short text that comes again and again
	drops []Drop
	raw   json.RawMessage // of one row; its memory is used again
}

// object reads the whole file.
func (r *reader) object() error {
	if t, err := r.dec.Token(); err != nil || t != json.Delim('{') {
		return fault.New(fault.Invalid, "the file is no JSON object").WithNext("hand in one lake object, as ingest writes it")
	}
	for r.dec.More() {
		t, err := r.dec.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return unreadable("lake object", err)
		}
		if r.seen[key] {
			return fault.New(fault.Invalid, "the lake object has %.40q twice", key)
		}
		r.seen[key] = true
		if err := r.part(key); err != nil {
			return err
		}
	}
	if _, err := r.dec.Token(); err != nil {
		return unreadable("lake object", err)
	}
	if _, err := r.dec.Token(); err != io.EOF {
		return fault.New(fault.Invalid, "something follows the lake object in its file")
	}
	r.out.count(r.drops)
	return nil
}

// part reads what stands behind one key. Keys of others are passed over.
func (r *reader) part(key string) error {
	switch key {
	case "format":
		return r.format()
	case "timestamp":
		return r.timestamp()
	case AirPart:
		_, err := r.each(AirPart, MaxAir, r.air)
		return err
	case FiresPart:
		there, err := r.each(FiresPart, MaxFires, r.fire)
		if there && r.out.Fires == nil {
			r.out.Fires = []Fire{}
		}
		return err
	case "nasa_window":
		return r.window()
	case StubblePart:
		return r.stubble()
	case WindPart:
		return r.wind()
	case CloudPart:
		_, err := r.each(CloudPart, MaxCloud, r.cloud)
		return err
	case SourcesPart:
		_, err := r.each(SourcesPart, MaxSources, r.source)
		return err
	case "dropped":
		_, err := r.each("dropped", MaxSources, r.drop)
		return err
	}
	var other json.RawMessage
	if err := r.dec.Decode(&other); err != nil {
		return unreadable("lake object", err)
	}
	return nil
}

func unreadable(what string, err error) error {
	return fault.From(fault.Invalid, err, "%s cannot be read: it is not the JSON it should be", what)
}

// each reads the rows of a list, one after the other. there is false for null.
func (r *reader) each(part string, most int, row func(number int) error) (there bool, err error) {
	t, err := r.dec.Token()
	if err != nil {
		return false, unreadable(part, err)
	}
	if t == nil {
		return false, nil
	}
	if t != json.Delim('[') {
		return false, fault.New(fault.Invalid, "%s is no list of rows", part)
	}
	for n := 1; r.dec.More(); n++ {
		if n > most {
			return false, fault.New(fault.TooLarge, "%s has more than %d rows", part, most).WithNext("cut the file by time or area")
		}
		if err := row(n); err != nil {
			return false, err
		}
	}
	if _, err := r.dec.Token(); err != nil {
		return false, unreadable(part, err)
	}
	return true, nil
}

// decode reads one row into a value, and refuses a row that says something twice.
func (r *reader) decode(part string, number int, into any) error {
	if err := r.dec.Decode(&r.raw); err != nil {
		return fault.From(fault.Invalid, err, "row %d of %s cannot be read: it is not the JSON it should be", number, part)
	}
	if err := once(r.raw); err != nil {
		return bad(part, number, err)
	}
	if err := json.Unmarshal(r.raw, into); err != nil {
		return fault.From(fault.Invalid, err, "row %d of %s cannot be read: a field is not of the kind it should be", number, part)
	}
	return nil
}

// whole reads a part that is one object.
func (r *reader) whole(part string, into any) error {
	if err := r.dec.Decode(&r.raw); err != nil {
		return unreadable(part, err)
	}
	if err := once(r.raw); err != nil {
		text, _ := fault.Words(err)
		return fault.New(fault.Invalid, "%s: %s", part, text)
	}
	if err := json.Unmarshal(r.raw, into); err != nil {
		return unreadable(part, err)
	}
	return nil
}

// bad says in which row something is wrong.
func bad(part string, number int, err error) error {
	text, next := fault.Words(err)
	return fault.New(fault.Invalid, "row %d of %s: %s", number, part, text).WithNext("%s", next)
}

func (r *reader) format() error {
	var s *string
	if err := r.dec.Decode(&s); err != nil {
		return unreadable("format", err)
	}
	if s != nil && *s != "" && *s != Format {
		return fault.New(fault.Invalid, "a lake object of format %.40q: this program reads %s and the first design's, which has none", *s,
			Format).
			WithNext("use the version of the program that wrote it, or a newer one")
	}
	return nil
}

func (r *reader) timestamp() error {
	var s loose
	if err := r.dec.Decode(&s); err != nil {
		return unreadable("timestamp", err)
	}
	if s == "" {
		return nil // Read says that it is missing
	}
	at, err := moment("timestamp", s)
	r.out.Time = at
	return err
}

func (r *reader) window() error {
	var s *struct{ From, To loose }
	if err := r.whole("nasa_window", &s); err != nil {
		return err
	}
	if s == nil {
		return nil
	}
	from, err := moment("nasa_window from", s.From)
	if err != nil {
		return err
	}
	to, err := moment("nasa_window to", s.To)
	if err != nil {
		return err
	}
	r.out.Looked = Span{from, to}
	return r.out.Looked.check()
}

// moment reads a time with its offset. One without is refused: India's feeds leave
// theirs out, and five and a half hours are a different wind.
func moment(name string, s loose) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, string(s))
	if err != nil || t.UTC().Year() < firstYear || t.UTC().Year() > lastYear {
		return time.Time{}, fault.New(fault.Invalid, "%s %.40q is no time with its offset", name, s).
			WithNext("write it as 2025-11-14T08:30:00Z, or with +05:30 for India's time")
	}
	return t.UTC(), nil
}

// count adds up what was left out.
func (o *Object) count(drops []Drop) {
	for _, d := range drops {
		found := false
		for i := range o.Dropped {
			if o.Dropped[i].Part == d.Part && o.Dropped[i].Reason == d.Reason {
				o.Dropped[i].Count += d.Count
				found = true
			}
		}
		if !found {
			o.Dropped = append(o.Dropped, d)
		}
	}
}
