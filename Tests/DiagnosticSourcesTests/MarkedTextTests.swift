// SPDX-License-Identifier: MIT

import DiagnosticSources
import PayloadgenTestSupport
import Testing

@Suite struct MarkedTextTests {
    @Test func `marks become ranges in bytes, numbered by where they open`() {
        let marked = MarkedText("é⟦a⟦b⟧⟧ ⟦⟧c⟧")
        #expect(marked.text == "éab c")
        #expect(marked.ranges == [SourceRange(2, 4), SourceRange(3, 4), SourceRange(5, 5)])
        #expect(MarkedText.marking(marked.ranges, in: marked.text) == "é⟦a⟦b⟧⟧ ⟦⟧c")
    }
}
