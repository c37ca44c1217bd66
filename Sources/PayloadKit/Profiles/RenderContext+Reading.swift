// SPDX-License-Identifier: MIT

public import BrazeLiquid
public import DiagnosticSources

extension RenderContext {
    /// Reads a context from JSON in the short form; a user as Braze exports it is a profile.
    ///
    /// - Parameter file: the file.
    /// - Throws: why the file is not a context, with its place.
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
