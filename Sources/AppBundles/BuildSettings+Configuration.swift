// SPDX-License-Identifier: MIT

import Files
import PropertyLists
import SourceText

extension BuildSettings.Layer {
    /// Reads a file of build settings, `.xcconfig`, with the files that it includes.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - read: gives a file; nil where there is none.
    init(configurationFile path: String, read: @escaping (String) -> SourceFile?) {
        var table: [String: String] = [:]
        var reader = ConfigurationFileReader(read: read)
        self = reader.add(path, to: &table, depth: 0) ? .table(table) : .unknown
    }

    /// Whether a layer sets a name under a condition, such as `NAME[sdk=iphoneos*]`, that holds for devices with iOS.
    ///
    /// - Returns: the name without its condition, and whether there was one; nil where it does not hold.
    static func unconditional(_ name: String) -> (name: String, isConditional: Bool)? {
        guard let bracket = name.utf8.firstIndex(of: UInt8(ascii: "[")) else { return (name, false) }
        return name[bracket...] == "[sdk=iphoneos*]" ? (String(name[..<bracket]), true) : nil
    }
}

/// Reads `.xcconfig` files.
private struct ConfigurationFileReader {
    private static let depthLimit = 16
    private static let fileLimit = 256

    let read: (String) -> SourceFile?
    private var fileCount = 0

    init(read: @escaping (String) -> SourceFile?) { self.read = read }

    /// Adds the settings of a file; false where it or a file that it needs is missing.
    mutating func add(_ path: String, to table: inout [String: String], depth: Int) -> Bool {
        fileCount += 1
        guard depth < Self.depthLimit, fileCount <= Self.fileLimit, let file = read(path) else { return false }
        var isWhole = true
        var conditional: [(String, String)] = []
        for number in 1...file.lineCount {
            let line = String(decoding: file.line(number), as: UTF8.self)
            if line.hasPrefix("#include") {
                isWhole = include(line, from: path, to: &table, depth: depth) && isWhole
                continue
            }
            guard let (name, value) = Self.setting(in: line) else { continue }
            guard let found = BuildSettings.Layer.unconditional(name) else { continue }
            if found.isConditional { conditional.append((found.name, value)) } else { table[found.name] = value }
        }
        for (name, value) in conditional { table[name] = value }
        return isWhole
    }

    /// Adds an included file; one that is marked with `?` may be missing.
    private mutating func include(
        _ line: String,
        from path: String,
        to table: inout [String: String],
        depth: Int
    ) -> Bool {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count >= 2 else { return true }
        let included = parts[1].hasPrefix("/") ? String(parts[1]) : path.folder + "/" + parts[1]
        return add(included, to: &table, depth: depth + 1) || parts[0].hasPrefix("#include?")
    }

    /// The setting in a line, `NAME = VALUE // comment`.
    private static func setting(in line: String) -> (name: String, value: String)? {
        let text = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line[...]
        guard let sign = equalsSign(in: text) else { return nil }
        let name = String(text[..<sign]).trimmed
        let value = String(text[text.index(after: sign)...]).trimmed
        return name.isEmpty ? nil : (name, value)
    }

    /// The sign behind the name; the one inside of a condition is none.
    private static func equalsSign(in text: Substring) -> String.Index? {
        var isInCondition = false
        for index in text.indices {
            switch text[index] {
            case "[": isInCondition = true
            case "]": isInCondition = false
            case "=" where !isInCondition: return index
            default: break
            }
        }
        return nil
    }
}
