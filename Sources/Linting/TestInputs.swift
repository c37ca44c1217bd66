// SPDX-License-Identifier: MIT

import Documents
import JSON
import Liquid
import PayloadKit
import SourceText

/// The profiles and contexts to which the tests of a campaign, or a scenario, refer.
struct TestInputs {
    /// The files, by the paths that refer to them.
    private(set) var files: [String: SourceFile] = [:]

    /// The reasons why files are not read, by the paths that refer to them.
    private(set) var missing: [String: String] = [:]

    /// The names of the plain variables in the contexts.
    private(set) var dataNames: Set<String> = []

    /// The kinds of fixtures that the contexts give, by their keys.
    private(set) var givenFixtures: Set<String> = []

    /// The content blocks that the files give.
    private(set) var blocks: [ContentBlock] = []

    /// Reads files that are not named by a path.
    init(files: [SourceFile]) {
        for file in files { addVariables(of: file) }
    }

    init(_ tests: [CampaignTest], in folder: some CampaignFolder) {
        self.init(paths: tests.flatMap { [$0.profile, $0.context] }.compactMap(\.?.value), in: folder)
    }

    init(paths: [String], in folder: some CampaignFolder) {
        for path in paths {
            guard files[path] == nil, missing[path] == nil else { continue }
            if let file = folder.file(at: path) {
                files[path] = file
                addVariables(of: file)
            } else {
                missing[path] = folder.refusal(of: path) ?? "no file '\(path)'"
            }
        }
    }

    private mutating func addVariables(of file: SourceFile) {
        let value = file.bytes.withUnsafeBufferPointer { try? Value(json: $0) }
        guard case .object(let root)? = value else { return }
        givenFixtures.formUnion(root.keys)
        if root.keys.contains("content_blocks") { addBlocks(of: file) }
        guard case .object(let variables)? = root["vars"] else { return }
        dataNames.formUnion(variables.keys)
    }

    private mutating func addBlocks(of file: SourceFile) {
        let root = try? DocumentNode.json(file, rule: .profileSyntax)
        blocks += (root?["content_blocks"]?.members ?? []).compactMap { member in
            member.value.scalar.map { ContentBlock(member.name, $0, at: member.value.range, in: file) }
        }
    }
}
