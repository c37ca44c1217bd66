// SPDX-License-Identifier: MIT

import PayloadKit
import SourceText

extension RenderError {
    /// The error that findings of a check make of a message.
    init(_ findings: [Diagnostic]) {
        let first = findings.first
        self.init(first?.message ?? "", rule: first?.rule, at: first?.place)
        related = first?.related ?? []
        others = findings.dropFirst().map { RenderError([$0]) }
    }
}

extension Record {
    /// The record of a line that is longer than any profile may be.
    static func oversized(line: Int) -> Record {
        let megabytes = LineBlocks.lineLimit >> 20
        let error = RenderError("the line has more than \(megabytes) MiB, expected one profile", rule: "profile-syntax")
        return Record(id: nil, line: line, outcome: .failed(error))
    }
}
