// SPDX-License-Identifier: MIT

/// Patterns, some elements of which match any run of elements.
package enum Wildcards {
    /// Whether a sequence matches a pattern; takes at most quadratic time.
    package static func matches<Element>(
        _ elements: ArraySlice<Element>,
        _ pattern: ArraySlice<Element>,
        _ isMatch: (Element, Element) -> Bool,
        isAny: (Element) -> Bool
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

    /// Whether a text matches a pattern, in which `*` matches any bytes and `?` matches one.
    package static func matches(_ text: String, pattern: String) -> Bool {
        matches(Array(text.utf8)[...], Array(pattern.utf8)[...]) {
            $0 == $1 || $1 == UInt8(ascii: "?")
        } isAny: {
            $0 == UInt8(ascii: "*")
        }
    }
}
