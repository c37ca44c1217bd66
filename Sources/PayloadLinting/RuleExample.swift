// SPDX-License-Identifier: MIT

import AppDeclarations
public import DiagnosticSources
import PayloadKit

/// Files that show what a rule reports or accepts.
public struct RuleExample: Sendable {
    /// A file of an example.
    public struct File: Sendable {
        /// The path of the file in the project of the example.
        public let path: String

        /// The text of the file, without the marks.
        public let text: String

        /// The ranges of bytes in the text where the rule has findings.
        public let ranges: [SourceRange]

        static func file(_ path: String, _ marked: String) -> File { File(path, marked) }

        /// Creates a file from a text in which `⟦` and `⟧` enclose the findings.
        public init(_ path: String, _ marked: String) {
            self.path = path
            var text = String.UnicodeScalarView()
            var ranges: [SourceRange] = []
            var open: [Int] = []
            var offset = 0
            for scalar in marked.unicodeScalars {
                switch scalar {
                case "⟦":
                    open.append(ranges.count)
                    ranges.append(SourceRange(offset, offset))
                case "⟧":
                    guard let index = open.popLast() else { continue }
                    ranges[index].end = UInt32(clamping: offset)
                default:
                    text.append(scalar)
                    offset += UTF8.width(scalar)
                }
            }
            self.text = String(text)
            self.ranges = ranges
        }

        /// The maximum number of characters of a line that pages show.
        private static let lineLimit = 120

        /// The lines as pages show them, the first one first, each with marks under its findings.
        package var shownLines: [(text: String, marks: [String])] {
            let source = SourceFile(path: path, text: text)
            return (1...source.lineCount).compactMap { number in
                let line = String(decoding: source.line(number), as: UTF8.self)
                if number == source.lineCount, line.isEmpty { return nil }
                let scalars = line.unicodeScalars
                let isCut = scalars.count > Self.lineLimit
                let shown = isCut ? String(scalars.prefix(Self.lineLimit)) + "…" : line
                let marks = ranges.compactMap { range -> String? in
                    let start = source.position(of: Int(range.start))
                    guard start.line == number else { return nil }
                    let end = source.position(of: Int(range.end))
                    let last = min(end.line == number ? end.column : scalars.count + 1, Self.lineLimit + 2)
                    let blanks = scalars.prefix(start.column - 1).map { $0 == "\t" ? "\t" : " " }.joined()
                    return blanks + "^" + String(repeating: "~", count: max(0, last - start.column - 1))
                }
                return (shown, marks)
            }
        }
    }

    /// The files, which together are one project.
    public let files: [File]

    /// The text of the first file after the fix; nil if the example shows no fix.
    public let fixed: String?

    /// Creates an example.
    public init(_ files: [File], fixed: String? = nil) {
        self.files = files
        self.fixed = fixed
    }
}

extension RuleExample: ExpressibleByArrayLiteral {
    /// Creates an example without a fix.
    public init(arrayLiteral files: File...) { self.init(files) }

    /// Creates an example with one file and the file after the fix.
    init(_ file: File, fixed: File) { self.init([file], fixed: fixed.text) }
}

extension RuleExample.File {
    /// The Info.plist of a content extension; parameters replace parts of it.
    package static func contentExtension(
        _ path: String = "Info.plist",
        root: String = "",
        category: String = "<key>UNNotificationExtensionCategory</key>\n\t\t\t<string>lab_progress</string>",
        ratio: String = "<key>UNNotificationExtensionInitialContentSizeRatio</key>\n\t\t\t<real>0.6</real>",
        attributes: String = "",
        entryPoint: String = "<key>NSExtensionMainStoryboard</key>\n\t\t<string>MainInterface</string>",
        identifier: String = """
        <key>NSExtensionPointIdentifier</key>
        \t\t<string>com.apple.usernotifications.content-extension</string>
        """,
        bundle: String = "<key>CFBundleIdentifier</key>\n\t<string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>",
        extensionKey: String = "<key>NSExtension</key>",
        attributesKey: String = "<key>NSExtensionAttributes</key>",
        start: String = "<dict>"
    ) -> RuleExample.File {
        let attributes = lines([category, ratio, attributes], indent: "\t\t\t")
        let declared = lines(
            ["\(attributesKey)\n\t\t<dict>\(attributes)\n\t\t</dict>", entryPoint, identifier],
            indent: "\t\t"
        )
        let members = lines([bundle, root, "\(extensionKey)\n\t<dict>\(declared)\n\t</dict>"], indent: "\t")
        return plist(members, path: path, start: start)
    }

    /// A property list whose root is a dictionary; each of its members has to begin with a line break and be indented.
    static func plist(_ members: String, path: String = "Info.plist", start: String = "<dict>") -> RuleExample.File {
        RuleExample.File(
            path,
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            \(start)\(members)
            </dict>
            </plist>

            """
        )
    }

    /// The Info.plist of an app.
    package static func app(_ path: String = "App/Info.plist", root: String = "") -> RuleExample.File {
        plist(lines(["<key>LSRequiresIPhoneOS</key>\n\t<true/>", root], indent: "\t"), path: path)
    }

    /// The entitlements with one app group.
    static func entitlements(_ path: String, group: String) -> RuleExample.File {
        let key = "<key>com.apple.security.application-groups</key>"
        return plist("\n\t\(key)\n\t<array>\n\t\t<string>\(group)</string>\n\t</array>", path: path)
    }

    private static func lines(_ parts: [String], indent: String) -> String {
        parts.filter { !$0.isEmpty }.map { "\n" + indent + $0 }.joined()
    }
}

extension [RuleExample.File] {
    /// An app with one content extension, for the category 'lab_progress'.
    static func lab(root: String = "") -> [RuleExample.File] {
        [.app(root: root), .contentExtension("Lab/Info.plist")]
    }
}

extension RuleExample {
    /// An example with a campaign and the files of an app.
    ///
    /// The line `version: 1` is added to the campaign's text.
    static func campaign(_ text: String, with files: [File] = [], fixed: String? = nil) -> RuleExample {
        RuleExample([File("push.campaign.yml", whole(text))] + files, fixed: fixed.map(whole))
    }

    /// An example of a push with a title and the given members, and with the files of an app.
    static func push(_ members: String, with files: [File] = [], fixed: String? = nil) -> RuleExample {
        campaign("push: {title: Hi, \(members)}", with: files, fixed: fixed.map { "push: {title: Hi, \($0)}" })
    }

    /// An example of a campaign that has only a title and, if given, the types of custom attributes.
    static func title(
        _ title: String,
        _ types: KeyValuePairs<String, AttributeType> = [:],
        fixed: String? = nil
    ) -> RuleExample {
        let members = types.map { "\($0): {type: \($1.rawValue)}" }.joined(separator: ", ")
        return campaign(titled(title) + (types.isEmpty ? "" : "\nattributes: {\(members)}"), fixed: fixed.map(titled))
    }

    /// An example of a campaign that has only a title and a fixtures file.
    static func fixtures(_ title: String, _ fixtures: String) -> RuleExample {
        campaign("fixtures: f.yml\n" + titled(title), with: [.file("f.yml", fixtures)])
    }

    /// An example of a campaign that has only a title and a folder of content blocks.
    static func blocks(_ title: String, _ blocks: KeyValuePairs<String, String>) -> RuleExample {
        campaign("content_blocks: blocks\n" + titled(title), with: blocks.map { .file("blocks/\($0).liquid", $1) })
    }

    /// An example of a key-value pair that is sent as JSON.
    static func json(_ json: String) -> RuleExample {
        campaign("push:\n  title: Hi\n  extras:\n    stats: '$json:\(json)'")
    }

    /// An example of a key-value pair for which the campaign requires a type.
    static func pair(_ value: String, _ type: ExtraType) -> RuleExample {
        campaign(
            "push: {title: Hi, extras: {n: \"\(value)\"}}\nrequires: {extras: {n: {type: \(type.rawValue)}}}")
    }

    /// An example of a push with the given members, and of a content extension that claims the push's category and runs
    /// the given code.
    static func lab(_ members: String, code: String) -> RuleExample {
        push("category: lab_progress, \(members)", with: .labWithCode(code))
    }

    private static func titled(_ title: String) -> String {
        let quote = title.contains("'") ? "\"" : "'"
        return "push: {title: \(quote)\(title)\(quote)}"
    }

    private static func whole(_ text: String) -> String {
        "version: 1\n\(text)\n"
    }
}
