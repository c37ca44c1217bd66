// SPDX-License-Identifier: MIT

public import DiagnosticSources
import JSONTexts
public import LiquidTemplates

extension LiquidObject {
    /// Reads a file of properties, such as the file of `--trigger-properties`, which has to contain one JSON object.
    ///
    /// - Throws: an error with its place if the file does not contain a valid object.
    public init(propertiesIn file: SourceFile) throws(InputError) {
        var members: LiquidObject?
        do throws(JSONError) {
            members = try file.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
                var json = JSONReader(bytes)
                json.requiresFiniteNumbers = true
                let members = try json.readObject()
                try json.finish()
                return members
            }
        } catch {
            throw InputError(.invalid, [error.diagnostic(rule: .profileSyntax, in: file)])
        }
        guard let members else {
            let error = ProfileError("expected an object of names and values", at: .wholeFile)
            throw InputError(.invalid, [error.diagnostic(in: file)])
        }
        self.init(Builder(members))
    }
}
