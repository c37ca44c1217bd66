// SPDX-License-Identifier: MIT

import PayloadKit
import PayloadgenCommands
import PayloadgenTestSupport
import Testing

/// The JSON Schemas for editors are those of the formats by which files are read; `make pages` writes them.
@Suite struct SchemaFileTests {
    @Test(arguments: FileSchema.allCases)
    func `every schema is that of its format`(schema: FileSchema) {
        let name = schema == .configuration ? "payloadgen" : schema.rawValue
        expectSnapshot(schema.text, named: name + ".schema.json", in: "../../templates")
    }

    @Test func `the command writes the schema of a file`() throws {
        for schema in FileSchema.allCases {
            let run = try CommandRun(["schema", schema.rawValue])
            #expect(run.status == 0 && run.errors.isEmpty && run.output == schema.text)
        }
        #expect(try CommandRun(["schema", "campaigns"]).status == 64)
    }

    @Test func `a field that the table has alone is in the schema`() {
        let schema = FileSchema.campaign.text
        for field in PushTable.standard.fields { #expect(schema.contains("\"\(field.name)\": {"), "\(field.name)") }
    }
}
