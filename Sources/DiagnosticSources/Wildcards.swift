// SPDX-License-Identifier: MIT

/// Matches a sequence with a pattern, some of whose parts match any number of elements, such as `*`.
package enum Wildcards {
    /// Whether a sequence matches a pattern; takes at most quadratic time.
    @inlinable
    package static func matches<Element, Part>(
        _ elements: ArraySlice<Element>,
        _ pattern: ArraySlice<Part>,
        _ isMatch: (Element, Part) -> Bool,
        isAny: (Part) -> Bool
    ) -> Bool {
        var element = elements.startIndex
        var part = pattern.startIndex
        var retry: (element: Int, part: Int)?
        while element < elements.endIndex {
            if part < pattern.endIndex, isAny(pattern[part]) {
                retry = (element, part)
                part += 1
            } else if part < pattern.endIndex, isMatch(elements[element], pattern[part]) {
                element += 1
                part += 1
            } else if let last = retry {
                retry = (last.element + 1, last.part)
                element = last.element + 1
                part = last.part + 1
            } else {
                return false
            }
        }
        return pattern[part...].allSatisfy(isAny)
    }
}

/// A pattern for one name, with the wildcards of `.gitignore` and of a shell.
///
/// `*` matches any number of characters, `?` exactly one, `[a-z]` one in the range, and `[!a-z]` one outside of it. A
/// character after `\` matches itself.
package struct NamePattern: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case scalar(Unicode.Scalar)
        case one
        case any
        case oneOf([ClosedRange<Unicode.Scalar>], isNegated: Bool)

        func matches(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .scalar(let expected): expected == scalar
            case .one: true
            case .any: false
            case .oneOf(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
            }
        }
    }

    private let parts: [Part]

    /// Reads a pattern from its text.
    package init(_ text: String) { self.init(text.unicodeScalars) }

    /// Reads a pattern from the scalars of its text.
    package init(_ text: some Sequence<Unicode.Scalar>) {
        var rest = Array(text)[...]
        var parts: [Part] = []
        // After a bracket that is never closed, no later one is closed either.
        var mayEnd = true
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*": parts.append(.any)
            case "?": parts.append(.one)
            case "[":
                let choice = mayEnd ? Self.choice(&rest) : nil
                mayEnd = choice != nil
                parts.append(choice ?? .scalar(scalar))
            case "\\": parts.append(.scalar(rest.popFirst() ?? scalar))
            default: parts.append(.scalar(scalar))
            }
        }
        self.parts = parts
    }

    /// The only name that the pattern matches; nil if the pattern has wildcards.
    package var literal: String? {
        var name = String.UnicodeScalarView()
        for part in parts {
            guard case .scalar(let scalar) = part else { return nil }
            name.append(scalar)
        }
        return String(name)
    }

    package func matches(_ name: String) -> Bool { matches(Array(name.unicodeScalars)) }

    package func matches(_ name: [Unicode.Scalar]) -> Bool {
        Wildcards.matches(name[...], parts[...]) {
            $1.matches($0)
        } isAny: {
            $0 == .any
        }
    }

    /// Reads the characters after an opening bracket; returns nil and reads nothing if there is no closing bracket.
    private static func choice(_ text: inout ArraySlice<Unicode.Scalar>) -> Part? {
        var rest = text
        let isNegated = rest.first == "!" || rest.first == "^"
        if isNegated { rest.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var isFirst = true
        while var lower = rest.popFirst() {
            // A closing bracket directly after the opening one is a character to match, not the end.
            if lower == "]", !isFirst {
                text = rest
                return .oneOf(ranges, isNegated: isNegated)
            }
            isFirst = false
            if lower == "\\", let next = rest.popFirst() { lower = next }
            var upper = lower
            if rest.first == "-", let end = rest.dropFirst().first, end != "]" {
                rest.removeFirst(2)
                upper = end == "\\" ? rest.popFirst() ?? end : end
            }
            if lower <= upper { ranges.append(lower...upper) }
        }
        return nil
    }
}
