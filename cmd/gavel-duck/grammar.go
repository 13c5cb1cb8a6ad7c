package main

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
)

// What may be asked is a list: one SELECT over the views, with sums, counts and comparisons. DuckDB's own parser says what a text
// means; whatever it names that is not on the list is refused, and so is what is not known yet. What is run afterwards is written anew
// from what was understood, so that nothing can be hidden from one and shown to the other.

// maxSQL bounds a question, in bytes: what is short cannot be deep.
const maxSQL = 8 << 10

// An understood question is what is run.
type understood struct {
	query    string
	cells    []string // by column of the answer: which of the file's it is
	numbered bool     // whether the numbers of records are wanted
}

// understand reads a question, and refuses what may not be asked.
func understand(db *sql.DB, q Question) (u understood, err error) {
	if len(q.SQL) > maxSQL {
		return u, refused("the question has more than %d KB", maxSQL>>10)
	}
	var tree, back string
	if err := db.QueryRow("select json_serialize_sql(?::varchar)::varchar", q.SQL).Scan(&tree); err != nil {
		return u, err
	}
	var said struct {
		Error      bool   `json:"error"`
		Message    string `json:"error_message"`
		Statements []any  `json:"statements"`
	}
	if err := json.Unmarshal([]byte(tree), &said); err != nil {
		return u, err
	}
	switch {
	case said.Error:
		return u, refused("only SELECT can be asked: %s", said.Message)
	case len(said.Statements) != 1:
		return u, refused("one statement can be asked, not %d", len(said.Statements))
	}
	g := grammar{names: map[string]bool{record: true}}
	for _, v := range q.Views {
		g.views = append(g.views, strings.ToLower(v.Name))
		for _, c := range v.Columns {
			g.names[strings.ToLower(c.Name)] = true
		}
	}
	g.collect(said.Statements[0])
	if err := g.check(said.Statements[0]); err != nil {
		return u, err
	}
	if err := db.QueryRow("select json_deserialize_sql(?::json)", tree).Scan(&back); err != nil {
		return u, err
	}
	return understood{back, cellsOf(said.Statements[0], q.Views), numbers(said.Statements[0])}, nil
}

// A grammar is what may be named in a question.
type grammar struct {
	views []string
	names map[string]bool // columns of the views, and what the question itself calls things
}

// collect notes what a question calls things.
func (g grammar) collect(part any) {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			g.collect(p)
		}
	case map[string]any:
		if alias, _ := part["alias"].(string); alias != "" {
			g.names[strings.ToLower(alias)] = true
		}
		for _, p := range part {
			g.collect(p)
		}
	}
}

// words are the kinds of things that a question may be made of, as DuckDB's parser calls them.
var words = set("SELECT_NODE BASE_TABLE SUBQUERY EMPTY COLUMN_REF CONSTANT FUNCTION COMPARISON CONJUNCTION OPERATOR BETWEEN CASE CAST STAR " +
	"VALUE_CONSTANT CONJUNCTION_AND CONJUNCTION_OR OPERATOR_NOT OPERATOR_IS_NULL OPERATOR_IS_NOT_NULL OPERATOR_COALESCE OPERATOR_CAST " +
	"CASE_EXPR COMPARE_EQUAL COMPARE_NOTEQUAL COMPARE_LESSTHAN COMPARE_LESSTHANOREQUALTO COMPARE_GREATERTHAN COMPARE_GREATERTHANOREQUALTO " +
	"COMPARE_IN COMPARE_NOT_IN COMPARE_BETWEEN COMPARE_DISTINCT_FROM COMPARE_NOT_DISTINCT_FROM ORDER_MODIFIER LIMIT_MODIFIER DISTINCT_MODIFIER " +
	"ASCENDING DESCENDING ORDER_DEFAULT DECIMAL_TYPE_INFO")

// functions are those that can neither grow a value nor leave exact arithmetic: no division, no average, no text put together.
var functions = set("+ - * sum count count_star min max abs round lower upper trim length contains starts_with ~~ !~~ ~~* !~~*")

// kinds are the types of constants. A cast is to text only: from a float to a decimal it would hide where a number is from.
var kinds = set("VARCHAR BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT DECIMAL NULL INTEGER_LITERAL STRING_LITERAL")

func set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// check refuses whatever is not known. It goes by names of members, wherever they stand.
func (g grammar) check(part any) error {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			if err := g.check(p); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, value := range part {
			if err := g.member(name, value, part); err != nil {
				return err
			}
			if err := g.check(value); err != nil {
				return err
			}
		}
	}
	return nil
}

// member refuses one member of a thing.
func (g grammar) member(name string, value any, of map[string]any) error {
	text, isText := value.(string)
	switch name {
	case "column_names":
		list, _ := value.([]any)
		last := ""
		if len(list) > 0 {
			last, _ = list[len(list)-1].(string)
		}
		if !g.names[strings.ToLower(last)] { // current_date looks like a column too
			return refused("there is no column %.40q", last)
		}
	case "class", "type", "null_order":
		if isText && !words[text] || name == "class" && text == "SUBQUERY" {
			return refused("%s cannot be asked", strings.ToLower(strings.ReplaceAll(text, "_", " ")))
		}
	case "function_name":
		if !functions[text] || of["schema"] != "" || of["catalog"] != "" {
			return refused("the function %.40q cannot be asked", text)
		}
	case "table_name":
		if !slices.Contains(g.views, strings.ToLower(text)) || of["schema_name"] != "" || of["catalog_name"] != "" {
			return refused("there is no table %.40q", text)
		}
	case "id":
		if !kinds[text] {
			return refused("the type %.40s cannot be asked", text)
		}
	case "cast_type":
		if to, _ := value.(map[string]any); to["id"] != "VARCHAR" {
			return refused("a value can be cast to VARCHAR only")
		}
	case "columns", "sample", "qualify", "at_clause":
		if value != nil && value != false {
			return refused("%s cannot be asked", strings.TrimSuffix(name, "_clause"))
		}
	case "map", "named_param_map":
		if list, _ := value.([]any); len(list) > 0 {
			return refused("WITH and parameters cannot be asked: write what is meant in place")
		}
	case "group_sets":
		if list, _ := value.([]any); len(list) > 1 {
			return refused("one grouping can be asked")
		}
	}
	return nil
}

// numbers reports whether a question names the number of a record, or all columns.
func numbers(part any) bool {
	switch part := part.(type) {
	case []any:
		return slices.ContainsFunc(part, numbers)
	case map[string]any:
		if part["class"] == "STAR" {
			return true
		}
		if names, ok := part["column_names"].([]any); ok && slices.ContainsFunc(names, func(name any) bool {
			text, _ := name.(string)
			return strings.EqualFold(text, record)
		}) {
			return true
		}
		for _, p := range part {
			if numbers(p) {
				return true
			}
		}
	}
	return false
}

// cellsOf says of each column of an answer which column of the file it is, where rows of the answer are rows of a file as they stand.
func cellsOf(statement any, views []View) []string {
	node, _ := at(statement, "node").(map[string]any)
	table, _ := at(node, "from_table").(map[string]any)
	groups, _ := node["group_expressions"].([]any)
	modifiers, _ := node["modifiers"].([]any)
	if table["type"] != "BASE_TABLE" || len(groups) > 0 {
		return nil
	}
	for _, m := range modifiers {
		if at(m, "type") == "DISTINCT_MODIFIER" {
			return nil
		}
	}
	list, _ := node["select_list"].([]any)
	var out []string
	for _, one := range list {
		names, _ := at(one, "column_names").([]any)
		switch {
		case at(one, "class") == "COLUMN_REF" && len(names) > 0:
			name, _ := names[len(names)-1].(string)
			out = append(out, name)
		case at(one, "class") == "STAR" && len(list) == 1 && plainStar(one):
			i := slices.IndexFunc(views, func(v View) bool { return strings.EqualFold(v.Name, table["table_name"].(string)) })
			out = append(out, record)
			for _, c := range views[i].Columns {
				out = append(out, c.Name)
			}
		default:
			out = append(out, "")
		}
	}
	return out
}

// plainStar reports whether a star is all columns as they are.
func plainStar(star any) bool {
	for name, value := range star.(map[string]any) {
		list, isList := value.([]any)
		if strings.HasSuffix(name, "_list") && isList && len(list) > 0 {
			return false
		}
	}
	return true
}

func at(part any, name string) any {
	m, _ := part.(map[string]any)
	return m[name]
}
