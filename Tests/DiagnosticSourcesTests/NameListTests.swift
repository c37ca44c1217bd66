// SPDX-License-Identifier: MIT

import DiagnosticSources
import Testing

@Suite struct NameListTests {
    @Test func `a list that is cut says how many others there are`() {
        let names = ["a", "b", "c"]
        #expect(names.quoted() == "'a', 'b', 'c'")
        #expect(names.quoted(atMost: 3) == "'a', 'b', 'c'")
        #expect(names.quoted(atMost: 2) == "'a', 'b' and 1 more")
        #expect(names.listed(atMost: 1) == "a and 2 more")
        #expect(names.quoted(atMost: 3, of: 5) == "'a', 'b', 'c' and 2 more")
        #expect([String]().quoted(atMost: 3) == "")
    }
}
