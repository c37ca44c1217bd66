// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// The description of an object in a document: its keys, and what they hold.
///
/// The checks of a document and its JSON Schema follow from this one value: ``DocumentReader/checked(_:_:path:)``
/// reports what does not match it, and ``schema(title:)`` gives the schema for editors.
package struct Format: Sendable {
    /// The words for the object in messages, such as `the campaign`; nil to use its path.
    package let name: String?

    /// A description of the object, in one sentence.
    package let summary: String

    /// The keys that the object may have, in the order of the schema.
    package let keys: [Key]

    /// Options for how the object as a whole is checked.
    package let traits: Traits

    /// A key that an object may have, with the kind of its value.
    package struct Key: Sendable {
        package let name: String
        package let kind: Kind
        package let isRequired: Bool

        /// The rule for a value of the wrong kind; nil for the rule of the document's syntax.
        package let rule: RuleID?

        /// What the value means, in one sentence; empty if the name is enough.
        package let summary: String

        /// Creates a key.
        package init(
            _ name: String,
            _ kind: Kind,
            isRequired: Bool = false,
            rule: RuleID? = nil,
            _ summary: String = ""
        ) {
            self.name = name
            self.kind = kind
            self.isRequired = isRequired
            self.rule = rule
            self.summary = summary
        }
    }

    /// The kind of a value: its type and form.
    package indirect enum Kind: Sendable {
        /// Text, taken as it is written.
        case text
        /// Text that is the path of a file.
        case path
        /// Text, or `null` for no text.
        case textOrNull
        /// Text that may contain Liquid, taken as it is written.
        case template
        case boolean
        /// `true` or `false`, which may also be written as 1 or 0.
        case booleanOrBit
        /// `true`; no other value is accepted.
        case yes
        /// `true`, `false` or `null`.
        case booleanOrNull
        case integer(ClosedRange<Int>?)
        /// A number. The range is only for the schema: a separate rule reports numbers outside it.
        case number(ClosedRange<Double>?)
        /// A whole number from 0 on, or Liquid that prints one. Other numbers are reported by a separate rule.
        case count
        /// One of several whole numbers; `expected` describes them in messages.
        case level([Int], expected: String)
        case choice([String])
        /// A time in ISO 8601.
        case time
        /// A number of seconds, or a time in ISO 8601.
        case secondsOrTime
        /// One of a few words, or a number; `expected` describes them in messages.
        case choiceOrNumber([String], expected: String)
        /// The version of the format, and the oldest version that can be read.
        case version(Int, oldest: Int? = nil)
        case any
        /// A mapping or list with any content.
        case collection
        case list(Kind)
        /// A mapping with any keys, whose values are of one kind. The refused keys are only for the schema.
        case mapping(Kind, refused: [String] = [])
        case object(Format)
        /// An object of one of several formats: the first one whose required keys are all there, or else the last one.
        case oneOf([Format])
        /// A value of one of several kinds: the first one that fits the value's type (scalar, list or mapping), or else
        /// the first one.
        case either([Kind])

        /// The objects that a value may be.
        fileprivate var objects: [Format] {
            switch self {
            case .object(let format): [format]
            case .oneOf(let formats): formats
            case .either(let kinds): kinds.flatMap(\.objects)
            default: []
            }
        }
    }

    /// The first key whose value may be an object with a key of this name, so that a misplaced key may belong there;
    /// nil if there is none.
    func outerKey(of name: String) -> String? {
        keys.first { key in key.kind.objects.contains { format in format.keys.contains { $0.name == name } } }?.name
    }

    /// Options for how an object as a whole is checked.
    package struct Traits: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Keys that the format does not list are allowed.
        package static let isOpen = Traits(rawValue: 1)
        /// Keys that the format does not list are mistakes, which the code that reads the object reports itself.
        package static let reportsOtherKeys = Traits(rawValue: 2)
        /// Messages about keys of this object do not contain the path of the object.
        package static let isFlat = Traits(rawValue: 4)
        /// The document may be empty.
        package static let mayBeEmpty = Traits(rawValue: 16)
        /// The object must have exactly one key.
        package static let hasOneKey = Traits(rawValue: 8)
    }

    /// Which of several keys the object must have, for the schema; the code that reads the object reports missing keys
    /// itself.
    package let needs: Needs

    /// Which of several keys an object must have.
    package enum Needs: Sendable {
        case nothing
        case anyOf([String])
        case exactlyOneOf([String])
    }

    /// Creates a format.
    package init(
        name: String? = nil,
        summary: String = "",
        traits: Traits = [],
        needs: Needs = .nothing,
        _ keys: [Key]
    ) {
        self.name = name
        self.summary = summary
        self.traits = traits
        self.needs = needs
        self.keys = keys
    }

    /// The kind for the raw values of an enumeration.
    package static func choice<Choice: RawRepresentable & CaseIterable>(
        of type: Choice.Type
    ) -> Kind where Choice.RawValue == String {
        .choice(Choice.allCases.map(\.rawValue))
    }
}
