// SPDX-License-Identifier: MIT

import DocumentFormats
import InAppScenarios
import PayloadKit
import PayloadLinting
import PayloadgenCommands
import PayloadgenTestSupport
import Testing

/// The JSON Schemas for editors are written from the formats that the readers follow; `make schemas` writes them anew.
@Suite struct SchemaFileTests {
    private func expect(_ schema: String, in name: String) {
        expectSnapshot(schema, named: name + ".schema.json", in: "../../templates")
    }

    @Test func `every schema is that of its format`() {
        expect(Format.campaign().schema(title: "payloadgen campaign"), in: "campaign")
        expect(Format.configuration.schema(title: "payloadgen configuration"), in: "payloadgen")
        expect(Format.app.schema(title: "payloadgen app"), in: "app")
        expect(Format.scenario.schema(title: "payloadgen scenario"), in: "scenario")
        expect(
            Format.requiredExtras.schema(
                title: "payloadgen extras",
                summary: "The key-value pairs that an extension reads: payloadgen.extras.yml beside its Info.plist."
            ),
            in: "extras"
        )
    }

    @Test func `a field that the table has alone is in the schema`() {
        let schema = Format.campaign().schema(title: "")
        for field in PushTable.standard.fields { #expect(schema.contains("\"\(field.name)\": {"), "\(field.name)") }
    }
}
