// SPDX-License-Identifier: MIT

package import DiagnosticSources

/// The definition of a dialect: its tags, its filters, and whether it extends the syntax.
///
/// An environment is built once and never changes; templates of one dialect share it.
public final class Environment: Sendable {
    /// The name of a dialect that extends the syntax; nil for standard syntax.
    ///
    /// Templates of such a dialect may hold ``EmbeddedSyntax``: attributes such as `${name}`, outputs in the place of
    /// values, and HTML comments. A third opening brace (`{{{`) is an error.
    public let dialect: String?

    /// The filters; programs refer to them by their index.
    public let filters: [FilterDefinition]

    /// The tags; trees refer to them by their index.
    public let tags: [TagDefinition]

    /// The member of the data that `${name}` of a dialect reads from.
    public let attributesMember: String

    /// The member of the data whose attributes are the sources of partials; nil if there is no such member.
    ///
    /// Such a partial is rendered where the attribute is read.
    public let partialsMember: String?

    /// How deep such partials may nest; a partial that is nested deeper renders nothing.
    public let partialsDepth: Int

    /// Whether a filter that the dialect does not know is an error; otherwise it returns its input.
    public let requiresKnownFilters: Bool

    /// Whether outputs are escaped for HTML, unless their last filter makes HTML; see <doc:EscapingForHTML>.
    public let escapesHTML: Bool

    /// The functions of ``filters`` in a table of their own, so that the render loop does not copy whole definitions.
    let functions: FixedTable<FilterCode>
    /// The names of ``filters``, numbered by their indices.
    private let filterTable: NameTable
    /// The names of ``tags``, numbered by their indices.
    private let tagTable: NameTable

    /// Standard Liquid.
    public static let standard = Environment()

    /// Creates a dialect.
    ///
    /// - Parameters:
    ///   - dialect: the name of a dialect whose templates hold ``EmbeddedSyntax``.
    ///   - filters: the filters; of two with the same name, the last is used.
    ///   - tags: the tags; of two with the same name, the last is used.
    ///   - attributesMember: the member of the data that `${name}` reads from.
    ///   - partialsMember: the member of the data whose attributes are sources of partials.
    ///   - partialsDepth: how deep such partials may nest.
    ///   - requiresKnownFilters: whether a filter that the dialect does not know is an error.
    ///   - escapesHTML: whether outputs are escaped for HTML; adds the filters `raw` and `script_json`.
    public init(
        dialect: String? = nil,
        filters: [FilterDefinition] = FilterDefinition.standard,
        tags: [TagDefinition] = TagDefinition.standard,
        attributesMember: String = "$",
        partialsMember: String? = nil,
        partialsDepth: Int = .max,
        requiresKnownFilters: Bool = false,
        escapesHTML: Bool = false
    ) {
        self.dialect = dialect
        (self.filters, filterTable) = Self.table(escapesHTML ? filters + HTMLFilters.ofPages : filters, \.name)
        (self.tags, tagTable) = Self.table(tags, \.name)
        functions = FixedTable(self.filters.map(FilterCode.init))
        self.attributesMember = attributesMember
        self.partialsMember = partialsMember
        self.partialsDepth = partialsDepth
        self.requiresKnownFilters = requiresKnownFilters
        self.escapesHTML = escapesHTML
    }

    /// Definitions and their names; of two with the same name, the last is used.
    private static func table<Definition>(
        _ all: [Definition],
        _ name: (Definition) -> String
    ) -> ([Definition], NameTable) {
        var (used, names): ([Definition], NameTable) = ([], NameTable())
        for definition in all {
            let number = names.number(of: name(definition))
            if number < used.count { used[number] = definition } else { used.append(definition) }
        }
        return (used, names)
    }

    deinit {
        functions.deallocate()
    }

    /// The text that is printed in place of what failed.
    func inlineText(of error: LiquidError) -> String {
        escapesHTML ? HTMLFilters.escaped(error.inlineText) : error.inlineText
    }

    /// The names of all tags, in alphabetical order.
    public var tagNames: [String] { tags.map(\.name).sorted() }

    /// The tag with a name; nil for an unknown name.
    func tag(_ name: String) -> TagDefinition? { name.withBytes { tag($0) } }

    /// The tag whose name has these bytes; nil for an unknown name.
    @inline(__always)
    func tag(_ name: Bytes) -> TagDefinition? { tagTable.find(name).map { tags[$0] } }

    /// The index of a filter in ``filters``; nil for an unknown name.
    public func filterIndex(_ name: String) -> Int? { filterTable.find(name) }

    /// What is known about the results of a filter; empty for an unknown name.
    public func filterTraits(_ name: String) -> FilterTraits { filterIndex(name).map { filters[$0].traits } ?? [] }

    package func messageForUnknownFilter(_ name: String, _ suggestions: inout Suggestions) -> String {
        let message = "unknown filter '\(name)'"
        return message + didYouMean(suggestions.nearest(to: name, in: filters.map(\.name)))
    }

    /// Tags of other template languages, and the tags that Liquid has instead.
    private static let foreignTags = [
        "set": "assign", "let": "assign", "var": "assign", "foreach": "for", "endforeach": "endfor", "switch": "case",
        "endswitch": "endcase", "default": "else", "elseif": "elsif", "elif": "elsif", "print": "echo",
        "cancel": "abort_message",
        "cancel_message": "abort_message", "abort": "abort_message", "next": "continue",
        "promo": "promotion", "promo_code": "promotion", "promotion_code": "promotion", "coupon": "promotion",
        "catalog": "catalog_items", "catalog_item": "catalog_items", "fetch": "connected_content",
        "connected": "connected_content", "trans": "translation", "endtrans": "endtranslation", "t": "translation",
        "rand": "random", "const": "assign", "while": "for", "each": "for", "endeach": "endfor", "endwhile": "endfor",
        "exit": "abort_message", "stop": "abort_message", "return": "abort_message", "skip": "abort_message",
        "otherwise": "else", "end_if": "endif", "end_for": "endfor", "fi": "endif", "def": "assign", "unset": "assign",
    ]

    func messageForUnknownTag(_ name: String, setsValue: Bool = false) -> String {
        let message = "unknown tag '\(name)'"
        if setsValue { return "\(message), expected 'assign \(name) = …' to set a variable" }
        let meant = Self.foreignTags[name].flatMap { tag in
            tagNames.contains(tag) || ["else", "elsif", "when"].contains(tag) || tag.hasPrefix("end") ? tag : nil
        }
        let near = meant ?? nearestName(to: name, in: tagNames + ["else", "elsif", "when"])
        return message + didYouMean(near)
    }
}

/// Finds the sources of the partials that `include` and `render` name.
public protocol PartialProvider: Sendable {
    /// The source of a partial.
    ///
    /// - Throws: `fileSystem`, or an error of the dialect, when the partial does not exist.
    func source(ofPartial name: String) throws(LiquidError) -> [UInt8]
}

/// A provider without any partial.
public struct NoPartials: PartialProvider {
    /// Creates the provider.
    public init() {}

    /// Always fails.
    ///
    /// - Throws: `fileSystem`.
    public func source(ofPartial name: String) throws(LiquidError) -> [UInt8] {
        throw LiquidError(
            .fileSystem,
            "there is no partial '\(name)': partials are not available here",
            referenceText: "This liquid context does not allow includes."
        )
    }
}

/// Partials that are held in memory.
public struct MemoryPartials: PartialProvider {
    private let sources: [String: String]

    /// Creates a provider from the sources of partials, by the names of the partials.
    public init(_ sources: [String: String]) { self.sources = sources }

    /// The source of the partial with the given name.
    ///
    /// - Throws: `fileSystem` if there is none.
    public func source(ofPartial name: String) throws(LiquidError) -> [UInt8] {
        guard let source = sources[name] else {
            throw LiquidError(
                .fileSystem,
                "there is no partial '\(name)'",
                referenceText: "No such template '\(name)'"
            )
        }
        return Array(source.utf8)
    }
}
