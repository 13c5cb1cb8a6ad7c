package ask

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fact"
)

func TestAQuestionIsReadByItsWords(t *testing.T) {
	for _, tt := range []struct {
		question string
		topics   []Topic
		facts    []fact.ID
		words    []string
	}{
		{"Why did this case fail?", []Topic{Why}, nil, nil},
		{"What is F17, and who decides next?", []Topic{Numbers, Waiting}, []fact.ID{"F17"}, []string{"decides"}},
		{"How many minutes of overlap for van-14?", []Topic{Numbers}, nil, []string{"overlap", "van-14"}},
		{"मामला क्यों खुला?", []Topic{Why}, nil, []string{"खुला"}},
		{"कितने मिनट?", []Topic{Numbers}, nil, []string{"मिनट"}},
		{"Is it approved, and when is it due?", []Topic{State, Decisions}, nil, nil},
		{"hello", Topics(), nil, []string{"hello"}},
		{"F0 F01 f3", []Topic{Numbers}, []fact.ID{"F3"}, []string{"f0", "f01"}},
		{"", Topics(), nil, nil},
	} {
		got := Read(tt.question)
		if !slices.Equal(got.Topics, tt.topics) || !slices.Equal(got.Facts, tt.facts) || !slices.Equal(got.Words, tt.words) {
			t.Errorf("%q: got %v, facts %v, words %v; want %v, %v, %v", tt.question, got.Topics, got.Facts, got.Words, tt.topics, tt.facts,
				tt.words)
		}
	}
}

func TestEveryQuestionIsAfterSomething(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if w := Read(rapid.String().Draw(t, "question")); len(w.Topics) == 0 {
			t.Fatal("a question has no topic")
		}
	})
}
