// SPDX-License-Identifier: MIT

import Files
import PropertyLists
import SourceText

extension BuildSettings.Layer {
    /// Removes the condition from a name of a setting, if it holds for iOS devices, as in `NAME[sdk=iphoneos*]`.
    ///
    /// - Returns: the name without its condition, and whether it had one; nil where the condition does not hold.
    static func unconditional(_ name: String) -> (name: String, isConditional: Bool)? {
        guard let bracket = name.utf8.firstIndex(of: UInt8(ascii: "[")) else { return (name, false) }
        return name[bracket...] == "[sdk=iphoneos*]" ? (String(name[..<bracket]), true) : nil
    }
}

/// Reads the `.xcconfig` files of a project, which hold build settings, each file once.
struct ConfigurationFileReader {
    private enum Limit {
        static let depth = 16
        /// The most lines with settings and `#include`s in all configurations together; an included file counts each
        /// time.
        static let lines = 200_000
    }

    /// A line with a setting or an `#include`.
    private enum Line {
        case setting(name: String, value: String, isConditional: Bool)
        case include(path: String, isOptional: Bool, place: SourcePlace)
    }

    private let read: ProjectFileReader
    private let shown: (String) -> String
    private var files: [String: [Line]?] = [:]
    private var layers: [String: BuildSettings.Layer] = [:]
    private var lineCount = 0

    /// The findings about existing files that are not read, and about exceeded limits.
    private(set) var diagnostics: [Diagnostic] = []
    private var reported: Set<String> = []
    private var unreadable: Set<String> = []

    /// - Parameters:
    ///   - read: reads a file.
    ///   - shown: returns the path of a file for messages.
    init(read: @escaping ProjectFileReader, shown: @escaping (String) -> String) {
        self.read = read
        self.shown = shown
    }

    /// Reads a file with the files that it includes.
    ///
    /// - Parameters:
    ///   - path: the absolute path.
    ///   - place: the place that names the file.
    /// - Returns: the settings; unknown where a file is missing.
    mutating func layer(at path: String, namedAt place: SourcePlace) -> BuildSettings.Layer {
        if let known = layers[path] { return known }
        var table: [String: String] = [:]
        let layer = add(path, namedAt: place, to: &table, depth: 0) ? BuildSettings.Layer.table(table) : .unknown
        layers[path] = layer
        return layer
    }

    /// Adds the settings of a file; false where the file or a required `#include` is missing.
    private mutating func add(
        _ path: String,
        namedAt place: SourcePlace,
        to table: inout [String: String],
        isOptional: Bool = false,
        depth: Int
    ) -> Bool {
        guard depth < Limit.depth else {
            report(.includesTooDeep(limit: Limit.depth), at: place)
            return false
        }
        guard let lines = lines(of: path, place) else {
            // An unreadable file is reported when it is first read.
            if !isOptional, unreadable.contains(path) == false { report(.missingConfiguration(shown(path)), at: place) }
            return false
        }
        var isWhole = true
        var conditional: [(String, String)] = []
        for line in lines {
            lineCount += 1
            guard lineCount <= Limit.lines else {
                if lineCount == Limit.lines + 1 { report(.tooManySettings(limit: Limit.lines), at: place) }
                return false
            }
            switch line {
            case .setting(let name, let value, isConditional: false): table[name] = value
            case .setting(let name, let value, isConditional: true): conditional.append((name, value))
            case .include(let included, let isOptional, let place):
                let isThere = add(included, namedAt: place, to: &table, isOptional: isOptional, depth: depth + 1)
                isWhole = isWhole && (isThere || isOptional)
            }
        }
        for (name, value) in conditional { table[name] = value }
        return isWhole
    }

    private mutating func lines(of path: String, _ place: SourcePlace) -> [Line]? {
        if let known = files[path] { return known }
        let lines: [Line]?
        do throws(FileError) {
            lines = try read(path).map { Self.lines(in: $0, folder: path.folder) }
        } catch {
            report(.unread(path, error), at: place)
            unreadable.insert(path)
            lines = nil
        }
        files[path] = .some(lines)
        return lines
    }

    private mutating func report(_ message: ProjectMessage, at place: SourcePlace) {
        // A file that includes itself is reported once for each path.
        guard reported.insert("\(place.file.path):\(place.range.start):\(message.text)").inserted else { return }
        diagnostics.append(Diagnostic(message, at: place))
    }

    private static func lines(in file: SourceFile, folder: String) -> [Line] {
        (1...file.lineCount).compactMap { number in
            let bytes = file.line(number)
            let line = String(decoding: bytes, as: UTF8.self)
            if line.hasPrefix("#include") {
                let start = file.offset(ofLine: number)
                let place = SourcePlace(file, SourceRange(start, start + bytes.count))
                return include(line, folder: folder, place)
            }
            guard let (name, value) = setting(in: line), let found = BuildSettings.Layer.unconditional(name) else {
                return nil
            }
            return .setting(name: found.name, value: value, isConditional: found.isConditional)
        }
    }

    /// An included file; one that is marked with `?` may be missing.
    private static func include(_ line: String, folder: String, _ place: SourcePlace) -> Line? {
        let parts = line.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2 else { return nil }
        let path = parts[1].hasPrefix("/") ? String(parts[1]) : folder + "/" + parts[1]
        return .include(path: path.standardizedPath, isOptional: parts[0].hasPrefix("#include?"), place: place)
    }

    /// The setting in a line, `NAME = VALUE // comment`.
    private static func setting(in line: String) -> (name: String, value: String)? {
        let comment = line.utf8.indices.first { line.utf8[$0...].starts(with: "//".utf8) }
        let text = line[..<(comment ?? line.endIndex)]
        guard let sign = equalsSign(in: text) else { return nil }
        let name = String(text[..<sign]).trimmed
        let value = String(text[text.index(after: sign)...]).trimmed
        return name.isEmpty ? nil : (name, value)
    }

    /// The index of the equals sign after the name, ignoring those inside a condition.
    private static func equalsSign(in text: Substring) -> String.Index? {
        var isInCondition = false
        for index in text.utf8.indices {
            switch text.utf8[index] {
            case UInt8(ascii: "["): isInCondition = true
            case UInt8(ascii: "]"): isInCondition = false
            case UInt8(ascii: "=") where !isInCondition: return index
            default: break
            }
        }
        return nil
    }
}
