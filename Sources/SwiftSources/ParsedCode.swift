// SPDX-License-Identifier: MIT

package import DiagnosticSources
import POSIXFiles

/// A source file in Swift or Objective-C, parsed when it is first needed.
package struct ParsedCode: Sendable {
    /// The file name extensions of the files that are read.
    package static let extensions: Set<String> = ["swift", "m", "mm", "h"]

    /// Whether this build can read Swift, which needs the package trait `SwiftSources`.
    package static var readsSwift: Bool {
        #if SwiftSources
            true
        #else
            false
        #endif
    }

    /// The maximum number of bytes that a file may have.
    package static let byteLimit = 4 << 20

    package let file: SourceFile

    private let parsed = Locked<CodeUnit?>(nil)
    private let outlined = Locked<CodeUnit?>(nil)

    /// The declarations and statements of the file, parsed when they are first needed.
    var unit: CodeUnit {
        parsed.withLock { parsed in
            let unit = parsed ?? Self.parse(file)
            parsed = unit
            return unit
        }
    }

    /// The types that the file declares; the rest of the file is kept only if ``unit`` is needed.
    var outline: CodeUnit {
        outlined.withLock { outlined in
            let outline = outlined ?? (parsed.withLock { $0 } ?? Self.parse(file)).outline
            outlined = outline
            return outline
        }
    }

    /// Whether words in the file suggest that it is about pushes.
    ///
    /// All other files are parsed only if such a file needs them.
    package let mayConcernPushes: Bool

    /// Parts of names; code that gives access to a push, a category, an app group or an event contains one of them.
    private static let marks = [
        "userInfo", "UNNotification", "emoteNotification", "uiteName", "ecurityApplicationGroup", "ppGroup",
        "ogCustomEvent",
    ]

    /// Reads a file.
    package init(_ file: SourceFile) {
        self.file = file
        mayConcernPushes = Self.marks.contains { file.utf8[...].firstRange(ofBytes: $0.utf8) != nil }
    }

    private static func parse(_ file: SourceFile) -> CodeUnit {
        guard file.utf8.count <= byteLimit else {
            return CodeUnit(unread: UnreadRegion(offset: 0, why: "the file has more than \(byteLimit) bytes"))
        }
        // Code in UTF-16 without a byte order mark is valid UTF-8 with zeros.
        let invalid = file.firstInvalidOffset ?? file.utf8.firstIndex(of: 0)
        guard file.path.hasSuffix(".swift") else {
            return LargeStack.run { ObjectiveCUnitReader.unit(of: file.utf8, isValid: invalid == nil) }
        }
        #if SwiftSources
            return LargeStack.run { SwiftUnitReader.unit(of: file.utf8, firstInvalid: invalid) }
        #else
            return CodeUnit(unread: UnreadRegion(offset: 0, why: "this build of payloadgen does not read Swift"))
        #endif
    }
}

extension ParsedCode {
    /// The names of the types that some files declare, without their outer types; in Objective-C the names of classes.
    ///
    /// - Parameter files: the files.
    /// - Returns: the names; nil if a part of a file is not read, or a macro may declare types.
    package static func typeNames(in files: [ParsedCode]) -> Set<String>? {
        let units = outlines(of: files)
        guard units.allSatisfy({ $0.unread == nil && !$0.mayDeclareMore }) else { return nil }
        var names: Set<String> = []
        func add(_ type: CodeType) {
            for name in [type.name, type.objectiveCName ?? ""] {
                if let last = name.split(separator: ".").last { names.insert(String(last)) }
            }
            names.formUnion(type.aliases.keys)
            for inner in type.nested { add(inner) }
        }
        for unit in units {
            names.formUnion(unit.aliases.keys)
            for type in unit.types { add(type) }
        }
        return names
    }

    /// The types that files declare.
    static func outlines(of files: [ParsedCode]) -> [CodeUnit] {
        LargeStack.concurrently(files.count) { _ = files[$0].outline }
        return files.map(\.outline)
    }
}
