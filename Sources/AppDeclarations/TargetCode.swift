// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// The keys of pushes that the code of one target reads, and the categories that it registers.
package struct TargetCode: Sendable {
    /// A read of a key-value pair.
    package struct Read: Sendable {
        /// The key.
        package var key: String

        /// The keys on the path to it; `[]` means any element, `KEY{json}` the text of a key that is parsed as JSON.
        package var path: [String]

        /// The type that the value must have.
        package var type: ReadType

        /// The type of the value that a campaign sends: ``type``, except for a date in another form than ISO 8601.
        package var sentType: ReadType

        /// What the code does if the key is missing.
        package var requirement: ReadRequirement

        /// The place that determines ``requirement``.
        package var place: SourcePlace

        /// The other places that read the key.
        package var otherPlaces: [SourcePlace] = []

        /// Other keys in the same dictionary, one of which is enough instead of this key.
        package var alternatives: [String] = []

        /// Whether the value is cast to ``type``, so that a text does not work instead.
        package var isCast = false

        /// Whether the value is cast to a text and to no other type, so that a value of another type does not work.
        package var isTextCast = false

        /// A type that no value in a push has, but to which the code casts the value in each use; nil where there is
        /// none.
        package var impossibleCast: String?

        /// The casts and conversions of the value that make the code crash if they fail.
        package var crashes: [Crash] = []

        /// Whether a missing key skips only one feature, as when a function called by the entry point returns.
        package var isGate = false

        /// The pushes that ``requirement`` is about.
        package var condition = ReadCondition.always

        /// Describes a read.
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

        /// Whether Apple or Braze sends the key, so that a campaign need not.
        package var isSystem: Bool { TargetCode.isSystem(path, key) }

        /// The key of the pair that is read, or of the pair that contains the value that is read.
        package var pair: String {
            let first = path.first ?? key
            let mark = TargetCode.textMark
            return !path.isEmpty && first.hasSuffix(mark) ? String(first.dropLast(mark.count)) : first
        }
    }

    /// A cast or conversion that makes the code crash if it fails for a value.
    package struct Crash: Sendable, Hashable {
        package var conversion: Conversion

        /// Whether the code does not crash but only leaves the function to which the system passes the push.
        package var isExit: Bool

        /// The pushes, with pairs that are texts, for which the code certainly reaches the conversion; open where that
        /// is not known.
        package var condition: ReadCondition

        /// Describes a cast or conversion.
        package init(conversion: Conversion, isExit: Bool, condition: ReadCondition) {
            self.conversion = conversion
            self.isExit = isExit
            self.condition = condition
        }
    }

    /// A gap in the analysis: something that the source does not reveal.
    package struct Gap: Sendable {
        package var place: SourcePlace
        package var why: String

        /// Describes a gap.
        package init(place: SourcePlace, why: String) {
            self.place = place
            self.why = why
        }
    }

    /// An action of a category.
    package struct Action: Sendable, Hashable {
        package var identifier: String
        package var isTextInput: Bool

        /// Describes an action.
        package init(identifier: String, isTextInput: Bool) {
            self.identifier = identifier
            self.isTextInput = isTextInput
        }
    }

    /// A notification category that the code registers.
    package struct Category: Sendable {
        package var identifier: String
        package var actions: [Action]

        /// Whether ``actions`` are all actions of the category; others may be known only while the app runs.
        package var isWhole: Bool

        package var place: SourcePlace

        /// Describes a category.
        package init(identifier: String, actions: [Action], isWhole: Bool = true, place: SourcePlace) {
            self.identifier = identifier
            self.actions = actions
            self.isWhole = isWhole
            self.place = place
        }
    }

    /// A text and its place.
    package struct Name: Sendable {
        package var text: String
        package var place: SourcePlace

        /// Describes a text.
        package init(text: String, place: SourcePlace) {
            self.text = text
            self.place = place
        }
    }

    /// The suffix of a key in a path that marks the key's text as parsed as JSON.
    package static let textMark = "{json}"

    package var reads: [Read] = []
    package var unknownReads: [Gap] = []
    /// Whether the code is too large to be analysed completely, so that it may read more pairs.
    package var isTooLarge = false
    /// The merge conflicts that were left in the files, only the first one of each file.
    package var mergeConflicts: [SourcePlace] = []
    /// The casts of a push's dictionary to a dictionary whose values are all texts, or all of another type.
    ///
    /// They fail for every push.
    package var failingCasts: [SourcePlace] = []
    /// The keys that the code writes into a push that it has received.
    package var writes: [Name] = []
    /// Whether the code also changes pairs of a push whose keys are not known.
    package var changesUnknownPairs = false
    package var categories: [Category] = []
    /// Whether the code also registers categories whose identifiers are known only while the app runs.
    package var registersUnknownCategories = false
    /// Identifiers of actions that the code registers outside known categories, or compares with the chosen action.
    package var actions: [Name] = []
    /// The actions that the code registers without the option to open the app.
    package var backgroundActions: [Name] = []
    /// The categories that the code compares with the category of a push.
    package var comparedCategories: [Name] = []
    /// The categories that the code assigns to notifications.
    package var writtenCategories: [Name] = []
    package var appGroups: [Name] = []
    /// The events that the code logs.
    package var events: [Name] = []
    /// The Objective-C names of Swift classes, and the names of all Objective-C classes.
    package var objectiveCNames: Set<String> = []
    /// The names of the Swift classes, including their names in Objective-C.
    package var swiftClassNames: Set<String> = []
    /// The names of the types that the code declares, without their outer types; nil if some of the code is not read.
    package var typeNames: Set<String>?
    /// The names in ``typeNames`` of the types that the target's own files declare.
    package var ownTypeNames: Set<String>?
    /// The names of the classes and protocols that types in an extension's code inherit from but that the code does not
    /// declare.
    package var inheritedNames: Set<String> = []
    /// The kind of extension that each class in an extension's code is made for, by the name of the class.
    ///
    /// Classes with superclasses or protocols that are not read are left out.
    package var classKinds: [String: ClassKind] = [:]
    /// Whether ``classKinds`` has all classes.
    package var hasAllClassKinds = false
    /// Whether the code of an extension imports modules whose code is not read.
    package var importsUnreadModules = false
    /// Whether a class of the code has the method that the entry point of the extension must have.
    package var declaresEntryPoint = false
    /// Whether the code uses the Push Stories of Braze's Objective-C SDK, which get their app group from code.
    package var usesOldPushStories = false
    /// Whether the code sets `preferredContentSize`.
    package var setsContentSize = false
    /// Whether the code registers for remote notifications.
    package var registersForPushes = false
    /// A control or gesture in the view of a content extension; nil where there is none.
    package var touched: Name?

    /// Creates the result for a target without code.
    package init() {}

    /// The kind of extension that a class is made for.
    package enum ClassKind: Sendable {
        case content, service
        case neither
    }

    /// The keys that Apple defines in `aps` and in its `alert`.
    private static let appleKeys: Set<String> = [
        "alert", "badge", "sound", "thread-id", "category", "content-available", "mutable-content", "target-content-id",
        "interruption-level", "relevance-score", "filter-criteria", "stale-date", "content-state", "timestamp", "event",
        "dismissal-date", "attributes-type", "attributes", "url-args",
    ]

    /// Whether Apple or Braze puts a key into pushes.
    package static func isSystem(_ path: [String], _ key: String) -> Bool {
        guard let first = path.first else { return key == "aps" || key == "ab" || key.hasPrefix("ab_") }
        if first == "ab" { return true }
        guard first == "aps" else { return false }
        return path.count > 1 || appleKeys.contains(key)
    }
}
