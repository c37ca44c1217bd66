// SPDX-License-Identifier: MIT

public import BrazeLiquid
public import DiagnosticSources

extension RenderContext {
    /// Reads a context from JSON in the short form.
    ///
    /// A user in Braze's export format is a profile instead.
    ///
    /// - Parameter file: the file.
    /// - Throws: an error with its place if the file is not a context.
    public init(file: SourceFile) throws(InputError) {
        do throws(ProfileError) {
            self = try file.bytes.withUnsafeBufferPointer { bytes throws(ProfileError) in
                try ContextReader.read(bytes, what: "a context")
            }
        } catch {
            throw InputError(.invalid, [error.diagnostic(in: file)])
        }
    }
}
