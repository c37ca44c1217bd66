// SPDX-License-Identifier: MIT

import Testing

@testable import LiquidTemplates

/// Sizes that the speed of rendering rests on.
@Suite struct LayoutTests {
    @Test func `a value takes at most three words`() {
        #expect(MemoryLayout<Value>.stride <= 24)
    }

    @Test func `an instruction takes at most twelve bytes and holds integers alone`() {
        #expect(MemoryLayout<Instruction>.stride <= 12)
        #expect(_isPOD(Instruction.self))
    }
}
