// SPDX-License-Identifier: MIT

import Documents

/// Whether a file is a scenario: the same rule for all commands.
extension ScenarioFile {
    /// Whether a file is searched as a scenario, by its path: `NAME.scenario.yml`, or a YAML file in a folder `scenarios`.
    package static func isScenario(_ path: String) -> Bool {
        if hasSuffix(path) { return true }
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).suffix(2)
        guard parts.count == 2, let folder = parts.first else { return false }
        return folder.elementsEqual("scenarios".utf8) && [".yml", ".yaml"].contains(where: path.hasSuffix)
    }

    /// Whether the name of a file ends like that of a scenario in any folder.
    private static func hasSuffix(_ path: String) -> Bool {
        [".scenario.yml", ".scenario.yaml", ".scenario.json"].contains(where: path.hasSuffix)
    }

    /// Whether a file in a folder `scenarios` is another program's: it can be read, and has no key of a scenario.
    ///
    /// A file that cannot be read counts as a scenario, so that its faults are reported.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - path: its path, for which ``isScenario(_:)`` is true.
    /// - Returns: whether it is.
    package static func isOfOtherProgram(_ file: SourceFile, at path: String) -> Bool {
        !hasSuffix(path) && hasKeys(file) == false
    }

    /// Whether a file has the keys of a scenario, whatever its name.
    package static func recognizes(_ file: SourceFile) -> Bool { hasKeys(file) == true }

    /// Whether a file has the keys of a scenario; nil where it cannot be read.
    private static func hasKeys(_ file: SourceFile) -> Bool? {
        do throws(InputError) {
            return try DocumentNode.read(firstDocument(of: file), rule: .scenarioSyntax)?.hasKeysOfScenario ?? false
        } catch {
            return nil
        }
    }

    /// The first YAML document of a file: the files of other programs may hold several.
    private static func firstDocument(of file: SourceFile) -> SourceFile {
        var hasContent = false
        for number in 1...file.lineCount {
            let line = file.line(number)
            let isMark = line.starts(with: "---".utf8) && line.dropFirst(3).first.map { $0 <= 0x20 } ?? true
            if isMark, hasContent {
                return SourceFile(path: file.path, bytes: Array(file.bytes[..<file.offset(ofLine: number)]))
            }
            let first = (isMark ? line.dropFirst(3) : line).first { $0 > 0x20 }
            hasContent = hasContent || first.map { !"#%".utf8.contains($0) } ?? false
        }
        return file
    }
}

extension DocumentNode {
    /// Whether the outermost mapping has keys that few other files have, or misspelt ones: a timeline, pushes, messages
    /// with triggers, or messages and a version.
    fileprivate var hasKeysOfScenario: Bool {
        if self["pushes"] != nil || self["messages"] != nil && self["version"] != nil { return true }
        return members?.contains { member in
            if member.isNearly("timeline") { return true }
            guard member.isNearly("messages") else { return false }
            let messages = member.value.elements ?? []
            return messages.contains { $0.members?.contains { $0.isNearly("triggers") } ?? false }
        } ?? false
    }
}

extension DocumentMember {
    /// Whether the name of the key is a known one, in another case, with hyphens or underscores, or with one other letter.
    fileprivate func isNearly(_ key: String) -> Bool {
        editDistance(name.lowercased().filter { !"-_".contains($0) }, key) <= 1
    }
}
