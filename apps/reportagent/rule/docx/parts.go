package docx

import _ "embed" // the parts that are always the same

// The names of the vocabularies, as the standard (ECMA-376) has them: they are no addresses that anything fetches.
const (
	declaration  = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	packageSpace = "http://schemas.openxmlformats.org/package/2006/"
	officeSpaceR = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	officeSpace  = officeSpaceR + "/"
	wordSpace    = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	drawingSpace = "http://schemas.openxmlformats.org/drawingml/2006/main"
	chartSpace   = "http://schemas.openxmlformats.org/drawingml/2006/chart"
	placeSpace   = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
)

const spaces = `xmlns:w="` + wordSpace + `" xmlns:r="` + officeSpaceR + `" xmlns:wp="` + placeSpace + `" xmlns:a="` + drawingSpace +
	`" xmlns:c="` + chartSpace + `"`

const rootLinks = `<Relationships xmlns="` + packageSpace + `relationships"><Relationship Id="r1" Type="` + officeSpace +
	`officeDocument" Target="word/document.xml"/><Relationship Id="r2" Type="` + packageSpace +
	`relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`

const settings = `<w:settings ` + spaces + `><w:defaultTabStop w:val="709"/><w:compat><w:compatSetting w:name="compatibilityMode" ` +
	`w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat></w:settings>`

//go:embed styles.xml
var styles string

func (d Document) core() string {
	when := d.Made.UTC().Format("2006-01-02T15:04:05Z")
	return `<cp:coreProperties xmlns:cp="` + packageSpace + `metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" ` +
		`xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>` + escaped(d.Title) +
		`</dc:title><dcterms:created xsi:type="dcterms:W3CDTF">` + when + `</dcterms:created><dcterms:modified xsi:type="dcterms:W3CDTF">` +
		when + `</dcterms:modified></cp:coreProperties>`
}

func footer(text string) string {
	return `<w:ftr ` + spaces + `><w:p><w:pPr><w:pStyle w:val="Quiet"/><w:tabs><w:tab w:val="right" w:pos="9638"/></w:tabs></w:pPr>` +
		run(text) + `<w:r><w:tab/></w:r><w:fldSimple w:instr=" PAGE ">` + run("1") + `</w:fldSimple></w:p></w:ftr>`
}
