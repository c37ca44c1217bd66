// SPDX-License-Identifier: MIT

import Testing

@testable import PayloadgenCommands

/// The hash that a linker stores in a program is found.
@Suite struct BuildIdentityTests {
    /// The bytes of a program with one segment of notes, in which another note comes before the one with the hash.
    private static func program(id: [UInt8]) -> [UInt8] {
        func integer(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        func note(_ type: Int, _ contents: [UInt8]) -> [UInt8] {
            let filled = contents + [UInt8](repeating: 0, count: -contents.count & 3)
            return integer(4, 4) + integer(contents.count, 4) + integer(type, 4) + Array("GNU\0".utf8) + filled
        }
        let notes = note(1, [7, 7, 7]) + note(3, id)
        let header: [UInt8] = [0x7F] + Array("ELF".utf8) + [2, 1] + [UInt8](repeating: 0, count: 26)
        let places = integer(64, 8) + integer(0, 14) + integer(56, 2) + integer(1, 2) + integer(0, 6)
        let segment = integer(4, 4) + integer(4, 4) + integer(120, 8) + integer(0, 16) + integer(notes.count, 8)
        return header + places + segment + integer(0, 16) + notes
    }

    @Test(arguments: [[1, 2, 3, 4], [UInt8](1...20), [9, 8, 7]] as [[UInt8]])
    func `the hash is that of the note of its kind`(id: [UInt8]) {
        #expect(ELFNotes.buildID(in: Self.program(id: id)[...]) == id)
    }

    @Test func `a file that is cut or of another format has no hash`() {
        let program = Self.program(id: [UInt8](1...20))
        for count in program.indices { #expect(ELFNotes.buildID(in: program[..<count]) == nil) }
        for (index, byte) in [(0, 0x7E), (4, 1), (5, 2)] as [(Int, UInt8)] {
            var other = program
            other[index] = byte
            #expect(ELFNotes.buildID(in: other[...]) == nil)
        }
        #expect(ELFNotes.buildID(in: [UInt8](repeating: 0xFF, count: 4096)[...]) == nil)
    }
}
