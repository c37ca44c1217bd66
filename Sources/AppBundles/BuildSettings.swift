// SPDX-License-Identifier: MIT

import Files

/// The build settings of a target in one configuration.
///
/// They come in layers: the target's own go before those of its `.xcconfig`, these before the project's, and what Xcode
/// itself sets comes last. `$(inherited)` is what the layers below say.
package struct BuildSettings: Sendable {
    /// One layer of settings.
    package enum Layer: Sendable {
        /// The settings by their names.
        case table([String: String])
        /// A file that cannot be read: whatever it and the layers below say is unknown.
        case unknown
    }

    /// References may lead to references, and hostile ones to many of them.
    private enum Limit {
        static let depth = 16
        static let references = 1_000
        static let bytes = 1 << 14
    }

    private let layers: [Layer]

    /// Creates settings from layers, the strongest first.
    package init(_ layers: [Layer]) {
        self.layers = layers
    }

    /// The value of a setting with its references replaced; nil where nothing sets it, or where that is unknown.
    package func value(of name: String) -> String? {
        guard let found = setting(name, from: 0) else { return nil }
        var expansion = Expansion()
        return expand(found.value, in: name, found.layer, depth: 0, &expansion)
    }

    /// A text with its references to settings replaced.
    ///
    /// What cannot be replaced stays as it is written, so that ``App/holdsBuildSetting(_:)`` tells it.
    package func expand(_ text: String) -> String {
        guard App.holdsBuildSetting(text) else { return text }
        var expansion = Expansion()
        return expand(text, in: nil, 0, depth: 0, &expansion)
    }

    private struct Expansion {
        var references = 0
        var bytes = 0
    }

    private func setting(_ name: String, from start: Int) -> (value: String, layer: Int)? {
        for (index, layer) in layers.enumerated().dropFirst(start) {
            guard case .table(let table) = layer else { return nil }
            if let value = table[name] { return (value, index) }
        }
        return nil
    }

    private func expand(
        _ text: String,
        in name: String?,
        _ layer: Int,
        depth: Int,
        _ expansion: inout Expansion
    ) -> String {
        var result = ""
        var rest = Substring(text)
        while let reference = Reference(firstIn: rest) {
            result += rest[..<reference.range.lowerBound]
            let written = rest[reference.range]
            rest = rest[reference.range.upperBound...]
            expansion.references += 1
            guard depth < Limit.depth, expansion.references < Limit.references, expansion.bytes < Limit.bytes else {
                result += written
                continue
            }
            let inner = expand(String(reference.inner), in: name, layer, depth: depth + 1, &expansion)
            let parts = inner.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            let value = replacement(of: parts[0], in: name, layer, depth: depth, &expansion)
            if let value = Self.applying(parts.dropFirst(), to: value) {
                expansion.bytes += value.utf8.count
                result += value
            } else {
                result += written
            }
        }
        return result + rest
    }

    private func replacement(
        of wanted: String,
        in name: String?,
        _ layer: Int,
        depth: Int,
        _ expansion: inout Expansion
    ) -> String? {
        let inherits = wanted == "inherited" || wanted == name
        guard let found = inherits ? name.flatMap({ setting($0, from: layer + 1) }) : setting(wanted, from: 0) else {
            let isKnown = !layers.contains { if case .unknown = $0 { true } else { false } }
            return inherits && name != nil && isKnown ? "" : nil
        }
        return expand(found.value, in: inherits ? name : wanted, found.layer, depth: depth + 1, &expansion)
    }

    /// The value after the operators behind the name, such as `rfc1034identifier`; nil for one that is not known.
    private static func applying(_ operators: some Sequence<String>, to value: String?) -> String? {
        var value = value
        for name in operators {
            if name.hasPrefix("default=") {
                if value?.isEmpty ?? true { value = String(name.dropFirst("default=".count)) }
                continue
            }
            guard let text = value else { continue }
            switch name {
            case "rfc1034identifier":
                value = text.replacingScalars("-") { isAlphanumeric($0) || $0 == "-" || $0 == "." }
            case "c99extidentifier", "identifier", "c99identifier":
                value = text.replacingScalars("_") { isAlphanumeric($0) || $0 == "_" }
            case "lower": value = text.lowercased()
            case "upper": value = text.uppercased()
            case "file": value = text.fileName
            case "dir": value = text.folder.isEmpty ? "./" : text.folder + "/"
            case "base":
                let file = text.fileName
                value = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
            case "standardizepath", "quote": break
            default: return nil
            }
        }
        return value
    }

    private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
    }
}

/// A reference to a setting, `$(NAME)` or `${NAME}`.
private struct Reference {
    var range: Range<String.Index>
    var inner: Substring

    init?(firstIn text: Substring) {
        var position = text.startIndex
        while let dollar = text[position...].unicodeScalars.firstIndex(of: "$") {
            position = text.unicodeScalars.index(after: dollar)
            guard position < text.endIndex, let end = Self.end(in: text, openedAt: position) else { continue }
            inner = text[text.unicodeScalars.index(after: position)..<end]
            range = dollar..<text.unicodeScalars.index(after: end)
            return
        }
        return nil
    }

    /// The bracket that closes the one at a position.
    private static func end(in text: Substring, openedAt position: String.Index) -> String.Index? {
        let open = text.unicodeScalars[position]
        guard open == "(" || open == "{" else { return nil }
        let close: Unicode.Scalar = open == "(" ? ")" : "}"
        var depth = 0
        for index in text.unicodeScalars.indices[position...] {
            let scalar = text.unicodeScalars[index]
            if scalar == open { depth += 1 }
            if scalar == close { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }
}

extension String {
    /// The text with another scalar in the place of those that are not kept.
    fileprivate func replacingScalars(
        _ replacement: Unicode.Scalar,
        unless isKept: (Unicode.Scalar) -> Bool
    ) -> String {
        String(String.UnicodeScalarView(unicodeScalars.map { isKept($0) ? $0 : replacement }))
    }
}
