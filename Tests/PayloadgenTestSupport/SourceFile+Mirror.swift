// SPDX-License-Identifier: MIT

public import DiagnosticSources

extension SourceFile: CustomReflectable {
    /// Shows only the path of the file.
    ///
    /// Swift Testing describes each error that `#expect(throws:)` finds, with all values in it, which takes a
    /// microsecond for each byte of a file.
    public var customMirror: Mirror { Mirror(self, children: ["path": path]) }
}
