// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// What the code of one target does with pushes: the keys that it reads, and the categories that it registers.
package struct TargetCode: Sendable {
    /// The reads of one key in the code of a target.
    package struct Read: Sendable {
        /// The key that is read.
        package var key: String

        /// The keys of the dictionaries that contain the key, from the top of the payload; `[]` means any element of an
        /// array, `KEY{json}` the text of a key that is parsed as JSON.
        package var path: [String]

        /// The type that the value must have so that the code can use it.
        package var type: ReadType

        /// The type of the value that a campaign has to send: ``type``, except for a date in another form than ISO
        /// 8601.
        package var sentType: ReadType

        /// What the code does if the key is missing.
        package var requirement: ReadRequirement

        /// The place in the code that determines ``requirement``.
        package var place: SourcePlace

        /// The other places in the code that read the key.
        package var otherPlaces: [SourcePlace] = []

        /// The literals of the key and of the keys around it, such as those of constants; literals on the line of
        /// ``place`` are left out.
        package var literals: [Name] = []

        /// Other keys of the same dictionary that the code accepts instead of this key.
        package var alternatives: [String] = []

        /// Whether the code casts the value to ``type``, so that a text of the same meaning does not work.
        package var isCast = false

        /// Whether the code casts the value to a text and to no other type, so that a value of another type does not
        /// work.
        package var isTextCast = false

        /// A type that no value in a push has, but to which the code casts the value wherever it uses it; nil if there
        /// is none.
        package var impossibleCast: String?

        /// The casts and conversions of the value that make the code crash, or leave its entry point, if they fail.
        package var crashes: [Crash] = []

        /// Whether a missing key skips only one feature, as when a function that the entry point calls returns early.
        package var isGate = false

        /// The pushes for which the code does what ``requirement`` says if the key is missing.
        package var condition = ReadCondition.always

        /// Describes the reads of a key.
        package init(
            key: String, path: [String] = [], type: ReadType, requirement: ReadRequirement, place: SourcePlace
        ) {
            self.key = key
            self.path = path
            self.type = type
            sentType = type
            self.requirement = requirement
            self.place = place
        }

        /// The notes of a finding about the read: its place, and those of its literals.
        ///
        /// - Parameters:
        ///   - message: what is at the place of the read.
        ///   - place: the place, if it is not ``place``.
        /// - Returns: the notes.
        package func notes(_ message: String, at place: SourcePlace? = nil) -> [Diagnostic.Related] {
            [Diagnostic.Related(message, at: place ?? self.place)]
                + literals.map { Diagnostic.Related("the text '\($0.text)' is here", at: $0.place) }
        }

        /// Whether the key is defined by Apple or Braze, so that a campaign does not have to send it as a pair.
        package var isSystem: Bool { TargetCode.isSystem(path, key) }

        /// The key of the key-value pair that is read, or that contains the value that is read.
        package var pair: String {
            let first = path.first ?? key
            let mark = TargetCode.textMark
            return !path.isEmpty && first.hasSuffix(mark) ? String(first.dropLast(mark.count)) : first
        }
    }

    /// A cast or conversion that makes the code crash, or leave its entry point, if it fails.
    package struct Crash: Sendable {
        package var conversion: Conversion

        /// The place of the read whose value is cast or converted.
        package var place: SourcePlace

        /// Whether a failure only leaves the function to which the system passes the push, instead of crashing.
        package var isExit: Bool

        /// The pushes for which the code certainly reaches the conversion, if the named pairs are texts; open if that
        /// is not known.
        package var condition: ReadCondition

        /// Describes a cast or conversion.
        package init(conversion: Conversion, at place: SourcePlace, isExit: Bool, condition: ReadCondition) {
            self.conversion = conversion
            self.place = place
            self.isExit = isExit
            self.condition = condition
        }
    }

    /// A part of the code that could not be analysed, so ``reads`` may lack keys.
    package struct UnknownRead: Sendable {
        package var place: SourcePlace
        package var why: String

        /// For a file that a project names and that does not exist, the declaration of the target.
        package var target: SourcePlace?

        /// Describes a part of the code that could not be analysed.
        package init(place: SourcePlace, why: String, target: SourcePlace? = nil) {
            self.place = place
            self.why = why
            self.target = target
        }
    }

    /// A button of a notification category.
    package struct Action: Sendable, Hashable {
        package var identifier: String
        package var isTextInput: Bool

        /// Describes a button.
        package init(identifier: String, isTextInput: Bool) {
            self.identifier = identifier
            self.isTextInput = isTextInput
        }
    }

    /// A notification category that the code registers.
    package struct Category: Sendable {
        package var identifier: String
        package var actions: [Action]

        /// Whether ``actions`` are all buttons of the category; if not, others are known only while the app runs.
        package var isWhole: Bool

        package var place: SourcePlace

        /// The literal with the identifier, if it is not on the line of ``place``.
        package var literal: SourcePlace?

        /// The notes of a finding about the category.
        package func notes(_ message: String) -> [Diagnostic.Related] {
            [Diagnostic.Related(message, at: place)] + .note("the text '\(identifier)' is here", at: literal)
        }

        /// Describes a category.
        package init(identifier: String, actions: [Action], isWhole: Bool = true, place: SourcePlace) {
            self.identifier = identifier
            self.actions = actions
            self.isWhole = isWhole
            self.place = place
        }
    }

    /// A text in the code, such as a key or an identifier, and its place.
    package struct Name: Sendable {
        package var text: String
        package var place: SourcePlace

        /// The literal with the text, if it is not on the line of ``place``.
        package var literal: SourcePlace?

        /// Describes a text in the code.
        package init(text: String, place: SourcePlace, literal: SourcePlace? = nil) {
            self.text = text
            self.place = place
            self.literal = literal
        }
    }

    /// The suffix of a key in ``Read/path`` that says that the text of this key is parsed as JSON.
    package static let textMark = "{json}"

    package var reads: [Read] = []
    package var unknownReads: [UnknownRead] = []
    /// Whether the code is too large to be analysed completely, so that it may read more key-value pairs.
    package var isTooLarge = false
    /// The first merge conflict of each file that has one.
    package var mergeConflicts: [SourcePlace] = []
    /// The casts of a push's dictionary to a dictionary type such as `[String: String]`, which fail for every push.
    ///
    /// Each push also has values of other types.
    package var failingCasts: [SourcePlace] = []
    /// The keys that the code writes into a push that it has received.
    package var writes: [Name] = []
    /// Whether the code also changes key-value pairs whose keys are not known.
    package var changesUnknownPairs = false
    package var categories: [Category] = []
    /// Whether the code also registers categories whose identifiers are known only while the app runs.
    package var registersUnknownCategories = false
    /// The identifiers of buttons that the code registers outside known categories, or compares with the chosen button.
    package var actions: [Name] = []
    /// The identifiers of buttons that the code registers without the option to open the app.
    package var backgroundActions: [Name] = []
    /// The categories with which the code compares the category of a push.
    package var comparedCategories: [Name] = []
    /// The categories that the code assigns to notifications that it makes or changes.
    package var writtenCategories: [Name] = []
    package var appGroups: [Name] = []
    /// The names of the events that the code logs.
    package var events: [Name] = []
    /// The Objective-C names of Swift classes, and the names of all Objective-C classes.
    package var objectiveCNames: Set<String> = []
    /// The names of the Swift classes, including the names that they have in Objective-C.
    package var swiftClassNames: Set<String> = []
    /// The names of the types that the code declares, without the names of types around them; nil if some of the code
    /// is not read.
    package var typeNames: Set<String>?
    /// The names in ``typeNames`` that the target's own files declare; nil if some of the code is not read.
    package var ownTypeNames: Set<String>?
    /// The classes and protocols from which types in an extension's code inherit, but which the code does not declare.
    package var inheritedNames: Set<String> = []
    /// The kind of extension that each class of an extension's code is for, by the name of the class.
    ///
    /// Classes with superclasses or protocols that are not read are left out, and so are classes that share a name.
    package var classKinds: [String: ClassKind] = [:]
    /// Whether ``classKinds`` has all classes of the code.
    package var hasAllClassKinds = false
    /// Whether the code of an extension imports modules whose code is not read, which may read pushes too.
    package var importsUnreadModules = false
    /// Whether a class of the code has the method that the system calls in an extension of its kind.
    package var declaresEntryPoint = false
    /// Whether the code uses the Push Stories of Braze's Objective-C SDK, whose app group is set in code.
    package var usesOldPushStories = false
    /// Whether the code of a content extension sets `preferredContentSize`.
    package var setsContentSize = false
    /// Whether the code registers the app for remote notifications.
    package var registersForPushes = false
    /// A control or gesture in the view of a content extension, which needs user interaction; nil if there is none.
    package var touched: Name?

    /// Creates the result for a target without code.
    package init() {}

    /// The kind of extension that a class is for, by the protocol or class from which it inherits.
    package enum ClassKind: Sendable {
        case content, service
        case neither
    }

    /// The keys that Apple defines in `aps`.
    private static let appleKeys: Set<String> = [
        "alert", "badge", "sound", "thread-id", "category", "content-available", "mutable-content", "target-content-id",
        "interruption-level", "relevance-score", "filter-criteria", "stale-date", "content-state", "timestamp", "event",
        "dismissal-date", "attributes-type", "attributes", "url-args",
    ]

    /// Whether a key is defined by Apple or Braze, and so is not that of a campaign's key-value pair.
    package static func isSystem(_ path: [String], _ key: String) -> Bool {
        guard let first = path.first else { return key == "aps" || key == "ab" || key.hasPrefix("ab_") }
        if first == "ab" { return true }
        guard first == "aps" else { return false }
        return path.count > 1 || appleKeys.contains(key)
    }
}
