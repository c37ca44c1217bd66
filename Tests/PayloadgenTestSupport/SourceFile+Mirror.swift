// SPDX-License-Identifier: MIT

public import DiagnosticSources

extension SourceFile: CustomReflectable {
    /// Shows only the path: Swift Testing describes each error that `#expect(throws:)` finds, with everything in it, and
    /// takes a microsecond for each byte of a file.
    public var customMirror: Mirror { Mirror(self, children: ["path": path]) }
}
