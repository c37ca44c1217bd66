// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// One object of a property list, with its places in the file.
package struct PlistNode: Sendable {
    /// The type of an object.
    package enum Kind: String, Sendable, Hashable {
        case dictionary, array, string, integer, real, boolean, date, data
    }

    /// The key of an object in its dictionary.
    package struct Key: Sendable {
        /// The key, with references resolved.
        package var text: String

        /// The range of the `<key>` element including its tags.
        package var range: SourceRange

        /// The range of the text between the tags of the `<key>` element.
        package var contentRange: SourceRange
    }

    /// The index of the node in the document's list of nodes.
    package var index: Int

    /// The index of the dictionary or array that holds the object; nil for the outermost object.
    package var parent: Int?

    /// The key of the object in its dictionary; nil if it is not in a dictionary.
    package var key: Key?

    /// The type of the object.
    ///
    /// It is `.boolean` for a `<boolean>` element too, which is not part of property lists and is reported.
    package var kind: Kind

    /// The range of the element including its tags.
    package var range: SourceRange

    /// The range between the tags; for `<string/>`, the empty range at the end of the element.
    package var contentRange: SourceRange

    /// The text of a string, number or date, with XML references resolved; empty for other types.
    package var text = ""

    /// The value of an integer or a real; nil if it is malformed or the object has another type.
    package var number: Double?

    /// The exact value of an integer; nil if it is malformed, does not fit into `Int`, or the object has another type.
    package var integer: Int?

    /// The value of a boolean; nil if it is malformed or the object has another type.
    package var boolean: Bool?

    /// The indices of the objects in a dictionary or an array, in the order of the file.
    package var children: [Int] = []

    /// The text of a string; nil for an object of another type.
    package var string: String? { kind == .string ? text : nil }

    /// The range of the start tag of a dictionary or array, or of the whole element for any other type.
    package var openingRange: SourceRange {
        switch kind {
        case .dictionary, .array:
            SourceRange(start: range.start, end: Swift.max(range.start, Swift.min(contentRange.start, range.end)))
        default: range
        }
    }
}

/// A comment in a property list.
package struct PlistComment: Sendable {
    /// The range of the comment including its delimiters.
    package var range: SourceRange

    /// The text between the delimiters.
    package var text: String
}
