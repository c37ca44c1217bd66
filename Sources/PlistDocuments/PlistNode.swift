// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// One object of a property list, with its places in the file.
package struct PlistNode: Sendable {
    /// The type of an object.
    package enum Kind: String, Sendable, Hashable {
        case dictionary, array, string, integer, real, boolean, date, data
    }

    /// The key that leads to an object in its dictionary.
    package struct Key: Sendable {
        /// The key, with references resolved.
        package var text: String

        /// The `<key>` element with its tags.
        package var range: SourceRange

        /// What is between its tags.
        package var contentRange: SourceRange
    }

    /// The index of the node in its document.
    package var index: Int

    /// The dictionary or array that holds it; nil for the root.
    package var parent: Int?

    /// Its key, if it is in a dictionary.
    package var key: Key?

    /// Its type.
    ///
    /// This is `.boolean` for a `<boolean>` element too, which does not exist in property lists and is reported.
    package var kind: Kind

    /// The element with its tags.
    package var range: SourceRange

    /// What is between the tags; empty, at the end of the element, for `<string/>`.
    package var contentRange: SourceRange

    /// The text of a string, number or date, with references resolved.
    package var text = ""

    /// The value of an integer or a real; nil where it is malformed.
    package var number: Double?

    /// The exact value of an integer; nil where it is malformed or beyond `Int`.
    package var integer: Int?

    /// The value of a boolean; nil where it is malformed.
    package var boolean: Bool?

    /// The objects in a dictionary or an array, in the order of the file.
    package var children: [Int] = []

    /// The text, if it is a string.
    package var string: String? { kind == .string ? text : nil }

    /// The start tag of a dictionary or array, or the whole of any other element.
    package var openingRange: SourceRange {
        switch kind {
        case .dictionary, .array:
            SourceRange(start: range.start, end: Swift.max(range.start, Swift.min(contentRange.start, range.end)))
        default: range
        }
    }
}

/// A comment.
package struct PlistComment: Sendable {
    /// The comment with its delimiters.
    package var range: SourceRange

    /// The text between the delimiters.
    package var text: String
}
