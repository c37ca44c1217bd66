// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import LiquidTemplates

/// The markup of an output or tag, with its grammar and the result of Liquid's lax reading.
struct TemplateMarkup {
    /// The result of the lax reading.
    enum Reading {
        case output(MarkupSyntax?)
        case condition(ClauseSyntax)
        case values([ExpressionSyntax])
        case loop(ExpressionSyntax?)
        case nothing
    }

    let context: StrictReading.Context

    /// The range between the delimiters, without the name of a tag.
    let range: Range<Int>

    /// The range of the whole tag or output.
    let node: SourceRange

    /// The name of the tag; empty for an output.
    let tag: String

    let reading: Reading

    /// The bytes of ``range`` with the dialect's own syntax covered.
    let bytes: ArraySlice<UInt8>

    /// The end of each covered range by its start.
    let covered: [Int: Int]

    /// The markup of all outputs and tags in a template that follow Liquid's grammar, outer ones first.
    static func all(in template: Template) -> [TemplateMarkup] {
        var collector = Collector(template)
        collector.add(template.root)
        return collector.markup
    }

    /// The tokens.
    var tokens: [MarkupToken] { MarkupLexer.tokens(bytes, covered: covered) }

    private struct Collector {
        let source: TemplateSource
        /// The bytes of the template with its insertions covered.
        let bytes: [UInt8]
        let covered: [Int: Int]
        var markup: [TemplateMarkup] = []

        init(_ template: Template) {
            source = template.source
            bytes = template.source.coveredBytes
            covered = Dictionary(
                template.source.insertions.filter { $0.kind != .comment }.map {
                    (Int($0.range.start), Int($0.range.end))
                },
                uniquingKeysWith: max
            )
        }

        mutating func add(_ block: BlockSyntax) {
            for node in block.nodes {
                switch node.kind {
                case .text: break
                case .output(let output):
                    // A bare attribute has no delimiters, and so no markup.
                    guard has("{{", at: node.range) else { continue }
                    add(.output, inside(node.range), node.range, "", .output(output))
                case .tag(let tag): add(tag)
                }
            }
        }

        private mutating func add(_ tag: TagSyntax) {
            let name = tag.name.text
            let arguments = self.arguments(of: tag.range)
            switch name {
            case "assign": add(.assign, arguments, tag.range, name, .output(tag.markup))
            case "capture": add(.capture, arguments, tag.range, name, .nothing)
            case "echo": add(.output, arguments, tag.range, name, .output(tag.markup))
            case "for", "tablerow":
                let options = name == "for" ? ["limit", "offset"] : ["limit", "offset", "cols", "range"]
                let collection = tag.expressions.first
                add(.loop(options: options), arguments, tag.range, name, .loop(collection))
            case "cycle":
                add(.cycle, arguments, tag.range, name, .values(tag.expressions))
            case "case":
                let values = Array(tag.expressions.prefix(1))
                add(.subject, arguments, tag.range, name, .values(values))
                for clause in tag.clauses where !clause.isOtherwise {
                    let values = Array(clause.values)
                    add(.when, self.arguments(of: clause.range), clause.range, "when", .values(values))
                }
            case "if", "unless":
                for (index, clause) in tag.clauses.enumerated() {
                    let arguments = self.arguments(of: clause.range)
                    if clause.isOtherwise {
                        add(.nothing, arguments, clause.range, "else", .nothing)
                    } else {
                        let name = index == 0 ? name : "elsif"
                        add(.condition, arguments, clause.range, name, .condition(clause))
                    }
                }
            default: addOutputs(in: arguments, of: tag.range, name)
            }
            for block in tag.blocks { add(block) }
        }

        private mutating func add(
            _ context: StrictReading.Context,
            _ range: Range<Int>,
            _ node: SourceRange,
            _ tag: String,
            _ reading: Reading
        ) {
            markup.append(
                TemplateMarkup(
                    context: context,
                    range: range,
                    node: node,
                    tag: tag,
                    reading: reading,
                    bytes: bytes[range],
                    covered: covered
                )
            )
            addOutputs(in: range, of: node, tag)
        }

        /// Adds the outputs inside a tag or another output.
        private mutating func addOutputs(in range: Range<Int>, of node: SourceRange, _ tag: String) {
            for outer in source.insertions.starting(in: range) where outer.kind == .output {
                let inner = outer.content
                var bytes = source.bytes[inner.offsets]
                source.insertions.cover(&bytes)
                markup.append(
                    TemplateMarkup(
                        context: .output,
                        range: inner.offsets,
                        node: outer.range,
                        tag: "",
                        reading: .output(nil),
                        bytes: bytes,
                        covered: covered
                    )
                )
            }
        }

        private func has(_ text: String, at range: SourceRange) -> Bool {
            source.bytes[range.offsets].starts(with: text.utf8)
        }

        /// The range between the delimiters.
        private func inside(_ range: SourceRange) -> Range<Int> {
            let bytes = bytes
            var (start, end) = (Int(range.start) + 2, Int(range.end))
            for _ in 0..<2 where end > start && [UInt8(ascii: "}"), UInt8(ascii: "%")].contains(bytes[end - 1]) {
                end -= 1
            }
            if start < end, bytes[start] == UInt8(ascii: "-") { start += 1 }
            if end > start, bytes[end - 1] == UInt8(ascii: "-") { end -= 1 }
            return start..<end
        }

        /// The range after the name of a tag, which may be a line of a `liquid` tag.
        private func arguments(of range: SourceRange) -> Range<Int> {
            let inside = has("{%", at: range) ? inside(range) : range.offsets
            let bytes = bytes
            var start = inside.lowerBound
            while start < inside.upperBound, bytes[start] <= 0x20 { start += 1 }
            // An insertion directly after the name, as in `{% if{{ x }} == 1 %}`, is covered by a word.
            while start < inside.upperBound, covered[start] == nil, bytes[start].isWordByte { start += 1 }
            return start..<inside.upperBound
        }
    }
}

extension TemplateSource {
    /// The bytes, with each attribute and inner output covered by a word, and each comment by spaces.
    var coveredBytes: [UInt8] {
        var covered = bytes[...]
        insertions.cover(&covered)
        return Array(covered)
    }
}

extension [Insertion] {
    /// The insertions that start in a range.
    fileprivate func starting(in range: Range<Int>) -> ArraySlice<Insertion> {
        let start = partitioningIndex { Int($0.range.start) >= range.lowerBound }
        return self[start..<partitioningIndex { Int($0.range.start) >= range.upperBound }]
    }

    /// Covers the insertions in a part of a template: attributes and outputs with a word, comments with spaces.
    fileprivate func cover(_ bytes: inout ArraySlice<UInt8>) {
        var end = bytes.startIndex
        for insertion in starting(in: bytes.startIndex..<bytes.endIndex) where Int(insertion.range.start) >= end {
            end = Swift.min(Int(insertion.range.end), bytes.endIndex)
            let cover = UInt8(ascii: insertion.kind == .comment ? " " : "_")
            for position in Int(insertion.range.start)..<end
            where bytes[position] != UInt8(ascii: "\n") || cover != 0x20 {
                bytes[position] = cover
            }
        }
    }
}
