// SPDX-License-Identifier: MIT

import DiagnosticSources
import JSONTexts
import LiquidTemplates
import PayloadKit

extension SourceFile {
    /// Reads the file as one JSON object with values for Liquid.
    ///
    /// - Throws: ``ExitStatus/unreadableInput``, with the place of the fault.
    func jsonObject() throws(CommandFailure) -> LiquidObject {
        let value: Value
        do throws(JSONError) {
            value = try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in try Value(json: bytes) }
        } catch {
            throw CommandFailure(.unreadableInput, .findings([error.diagnostic(rule: .jsonSyntax, in: self)]))
        }
        guard case .object(let object) = value else {
            let fault = Diagnostic(
                .jsonSyntax,
                "expected an object of names and values",
                at: SourcePlace(wholeFile: self)
            )
            throw CommandFailure(.unreadableInput, .findings([fault]))
        }
        return object
    }
}

extension LiquidError {
    /// The error as a finding in the file of the template.
    ///
    /// An error in a partial is reported at the tag that includes the partial.
    func diagnostic(in file: SourceFile) -> Diagnostic {
        let range = frames.last?.range ?? range ?? .wholeFile
        let inPartial = isInPartial ? template : nil
        return Diagnostic(
            rule,
            inPartial.map { "in '\($0)': \(message)" } ?? message,
            at: SourcePlace(file, range),
            severity: .error
        )
    }
}
