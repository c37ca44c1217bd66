// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The products, targets and dependencies that the manifest `Package.swift` of a Swift package declares.
///
/// The manifest is not run. Calls such as `.library(name: "Push", targets: ["PushCore"])` are found in its text; names
/// that are not string literals are not understood.
package struct PackageManifest {
    /// The name of the manifest's file.
    static let fileName = "Package.swift"

    /// A call in the manifest whose arguments are string literals.
    private struct Call {
        var texts: [String: String] = [:]
        var lists: [String: [String]] = [:]
    }

    private var libraries: [String: [String]] = [:]
    private var targets: [String: Call] = [:]

    /// The folders of the packages on disk that this one depends on, relative to this package.
    package private(set) var packages: [String] = []

    /// Reads the text of a `Package.swift`.
    package init(_ text: String) {
        let bytes = Array(text.utf8)
        packages = Self.starts(of: ".package(", in: bytes).compactMap { Self.call(bytes, from: $0).texts["path"] }
        for (kind, isLibrary) in [
            (".library", true), (".executable", true), (".target", false), (".executableTarget", false),
        ] {
            for start in Self.starts(of: kind + "(", in: bytes) {
                let call = Self.call(bytes, from: start)
                guard let name = call.texts["name"] else { continue }
                if isLibrary {
                    libraries[name] = call.lists["targets"] ?? []
                } else if targets[name] == nil || call.texts.count > 1 || !call.lists.isEmpty {
                    // `.target(name: "A")` without other arguments may be a dependency on a target, and must not
                    // replace the target's declaration.
                    targets[name] = call
                }
            }
        }
    }

    /// The targets of this package from which a product is built, directly or as dependencies.
    ///
    /// - Parameter product: the name of the product.
    /// - Returns: the targets, sorted by name, each with its folder relative to the package, or nil for the default
    ///   folder; nil if the package has no such product.
    package func targets(ofProduct product: String) -> [(name: String, path: String?)]? {
        guard var open = libraries[product] else { return nil }
        var found: Set<String> = []
        while let name = open.popLast() {
            guard found.insert(name).inserted else { continue }
            open += (targets[name]?.lists["dependencies"] ?? []).filter { targets[$0] != nil }
        }
        return found.sorted().map { ($0, targets[$0]?.texts["path"]) }
    }

    /// The names outside the package on which the targets of a product depend: products of other packages, and the
    /// names of these packages.
    package func names(outsideOfProduct product: String) -> [String] {
        let dependencies = (targets(ofProduct: product) ?? []).flatMap { targets[$0.name]?.lists["dependencies"] ?? [] }
        return Set(dependencies).filter { targets[$0] == nil }.sorted()
    }

    /// The position after each occurrence of a text that is not in a comment or string literal.
    private static func starts(of text: String, in bytes: [UInt8]) -> [Int] {
        let pattern = Array(text.utf8)
        var starts: [Int] = []
        var position = 0
        while position < bytes.count {
            if let next = skipped(bytes, position) {
                position = next
            } else if bytes[position...].starts(with: pattern) {
                position += pattern.count
                starts.append(position)
            } else {
                position += 1
            }
        }
        return starts
    }

    /// The position after the comment or string literal that begins at a position; nil if neither begins there.
    private static func skipped(_ bytes: [UInt8], _ position: Int) -> Int? {
        func sees(_ text: StaticString) -> Bool { bytes[position...].starts(with: text.bytes) }
        if sees("//") { return bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count }
        if sees("/*") {
            var end = position + 2
            while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != UInt8(ascii: "/") {
                end += 1
            }
            return min(end + 2, bytes.count)
        }
        return bytes[position] == UInt8(ascii: "\"") ? literal(bytes, position).end : nil
    }

    /// The string literal on one line that begins at a position, and the position after it.
    private static func literal(_ bytes: [UInt8], _ position: Int) -> (text: String, end: Int) {
        var end = position + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\""), bytes[end] != UInt8(ascii: "\n") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        end = min(end, bytes.count)
        return (
            String(decoding: bytes[(position + 1)..<max(end, position + 1)], as: UTF8.self), min(end + 1, bytes.count)
        )
    }

    /// The arguments of a call, from the position after its opening parenthesis.
    ///
    /// A literal belongs to the last label at the first level. Literals in brackets below that level form a list.
    private static func call(_ bytes: [UInt8], from start: Int) -> Call {
        var call = Call()
        var position = start
        var depth = 0
        var label = ""
        var word = ""
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let (text, end) = literal(bytes, position)
                if depth == 0 { call.texts[label] = text } else { call.lists[label, default: []].append(text) }
                position = end
                continue
            }
            if let next = skipped(bytes, position) {
                position = next
                continue
            }
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return call }
                depth -= 1
            case UInt8(ascii: ":") where depth == 0: label = word
            default: break
            }
            switch byte {
            case _ where byte.isLetter:
                word.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: " "), UInt8(ascii: ":"): break
            default: word = ""
            }
            if byte == UInt8(ascii: ":") { word = "" }
            position += 1
        }
        return call
    }
}

extension StaticString {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
