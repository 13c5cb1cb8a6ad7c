package scim

// attr is an attribute as a schema describes it.
type attr struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	MultiValued bool   `json:"multiValued"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	CaseExact   bool   `json:"caseExact"`
	Mutability  string `json:"mutability"`
	Returned    string `json:"returned"`
	Uniqueness  string `json:"uniqueness"`
	Sub         []attr `json:"subAttributes,omitempty"`
}

func attrOf(name, kind, words string) attr {
	return attr{Name: name, Type: kind, Description: words, Mutability: "readWrite", Returned: "default", Uniqueness: "none"}
}

// A Document is a resource that describes the service, with the id it has among
// those of its kind.
type Document struct {
	ID   string
	Body any
}

func meta(kind, at string) map[string]string {
	return map[string]string{"resourceType": kind, "location": at}
}

// Provider says what is spoken here and what is not.
func Provider(base string) any {
	no := map[string]any{"supported": false}
	return map[string]any{
		"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"},
		"patch":   map[string]any{"supported": true}, "etag": map[string]any{"supported": true},
		"bulk":   map[string]any{"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
		"filter": map[string]any{"supported": true, "maxResults": MaxList}, "changePassword": no, "sort": no,
		"authenticationSchemes": []any{map[string]any{"type": "oauthbearertoken", "name": "Bearer token", "primary": true,
			"description": "A machine's token of the installation, with the scopes ingest:poolpatrol and read:staff."}},
		"meta": meta("ServiceProviderConfig", base+"/ServiceProviderConfig"),
	}
}

// ResourceTypes are the kinds of resource: users.
func ResourceTypes(base string) []Document {
	return []Document{{"User", map[string]any{
		"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:ResourceType"}, "id": "User", "name": "User", "endpoint": "/Users",
		"schema": CoreUser, "description": "An employee. Deleting one makes them inactive: what was decided about them must stay " +
			"explicable.",
		"schemaExtensions": []any{map[string]any{"schema": Extension, "required": false}},
		"meta":             meta("ResourceType", base+"/ResourceTypes/User"),
	}}}
}

// Schemas are the attributes of users, as far as they are held.
func Schemas(base string) []Document {
	name := attrOf("userName", "string", "The employee's id, EMP- and four digits or more. It stays.")
	name.Required, name.Mutability, name.Uniqueness = true, "immutable", "server"
	external := attrOf("externalId", "string", "What the other system knows them by.")
	external.CaseExact, external.Uniqueness = true, "server"
	whole := attrOf("name", "complex", "How they are called. The whole is held.")
	whole.Sub = []attr{attrOf("formatted", "string", "The whole."), attrOf("givenName", "string", "Its first word."),
		attrOf("familyName", "string", "The rest.")}
	emails := attrOf("emails", "complex", "Where letters go. One is held: the primary, else that for work.")
	emails.MultiValued = true
	emails.Sub = []attr{attrOf("value", "string", "The address."), attrOf("type", "string", "Always work."),
		attrOf("primary", "boolean", "Always true.")}
	core := []attr{name, external, whole, attrOf("displayName", "string", "The whole name."), emails,
		attrOf("preferredLanguage", "string", "Of letters."), attrOf("active", "boolean", "Whether they are employed.")}
	ours := []attr{attrOf("shift_id", "string", "Their newest shift."),
		attrOf("effective_from", "string", "Its first day, as 2026-12-31; today where none is said."),
		attrOf("site_id", "string", "Where they work; the site is on record."),
		attrOf("home_zip", "string", "ZIP code of their home. Another one makes what was known of the home's place void."),
		attrOf("manager", "string", "The employee id of who they report to.")}
	return []Document{schemaOf(base, CoreUser, "User", core), schemaOf(base, Extension, "Employee", ours)}
}

func schemaOf(base, id, name string, all []attr) Document {
	return Document{id, map[string]any{"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:Schema"}, "id": id, "name": name,
		"attributes": all,
		"meta":       meta("Schema", base+"/Schemas/"+id)}}
}
