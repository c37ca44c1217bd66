// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import DocumentFormats
import JSONTexts
import LiquidTemplates
import PayloadKit

/// The profiles and contexts to which the tests of a campaign, or a scenario, refer.
struct TestInputs {
    /// The files, by the names of the inputs.
    private(set) var files: [String: SourceFile] = [:]

    /// The reasons why files are not read, by the paths that refer to them.
    private(set) var missing: [String: Fault] = [:]

    /// Why a file is not read.
    struct Fault {
        /// The reason.
        var reason: String

        /// A question after the reason that suggests another path; empty if there is none.
        var hint = ""

        /// The reason and the hint.
        var message: String { reason + hint }
    }

    /// The names of the plain variables in the contexts.
    private(set) var dataNames: Set<String> = []

    /// The keys at the root of the files, including the kinds of fixtures that the files contain.
    private(set) var givenFixtures: Set<String> = []

    /// The names for which the files have a value, even if it is null, by namespace.
    private(set) var givenNames: [String: Set<String>] = [:]

    /// The content blocks in the files.
    ///
    /// If a profile replaces a block of its context, only the profile's block is included.
    private(set) var blocks: [ContentBlock] = []

    /// The places of ``blocks``.
    private var placesOfBlocks: Set<BlockPlace> = []

    /// The combinations of context and profile whose blocks were added.
    private var added: Set<[ObjectIdentifier?]> = []

    /// The content blocks of files that were read.
    private var blocksOfFiles: [ObjectIdentifier: [ContentBlock]] = [:]

    private struct BlockPlace: Hashable {
        let file: ObjectIdentifier
        let start: UInt32

        init(_ block: ContentBlock) { (file, start) = (ObjectIdentifier(block.text.file), block.text.range.start) }
    }

    /// Reads a context and a profile that have already been loaded.
    init(context: SourceFile?, profile: SourceFile?) {
        if let context { read(context) }
        if let profile { read(profile, isProfile: true) }
        addBlocks(context: context, profile: profile)
    }

    /// Reads the files of tests.
    init(_ tests: [CampaignTest], in folder: some CampaignFolder) {
        for test in tests {
            add(context: test.context, profile: test.profile, in: folder)
        }
    }

    /// Reads a profile.
    init(profile: String?, in folder: some CampaignFolder) {
        add(context: nil, profile: profile.map { .file(Placed($0, at: nil)) }, in: folder)
    }

    private mutating func add(
        context: CampaignTest.Input?,
        profile: CampaignTest.Input?,
        in folder: some CampaignFolder
    ) {
        let profile = profile.flatMap { file(of: $0, isProfile: true, in: folder) }
        let context = context.flatMap { file(of: $0, isProfile: false, in: folder) }
        addBlocks(context: context, profile: profile)
    }

    private mutating func file(
        of input: CampaignTest.Input,
        isProfile: Bool,
        in folder: some CampaignFolder
    ) -> SourceFile? {
        let path = input.name
        if let known = files[path] { return known }
        guard missing[path] == nil else { return nil }
        guard let file = input.file(in: folder) else {
            let refusal = folder.refusal(of: path)
            missing[path] =
                refusal.map { Fault(reason: $0) } ?? Fault(reason: "no file '\(path)'", hint: folder.hint(at: path))
            return nil
        }
        files[path] = file
        read(file, isProfile: isProfile)
        return file
    }

    private mutating func read(_ file: SourceFile, isProfile: Bool = false) {
        let value = file.bytes.withUnsafeBufferPointer { try? Value(json: $0) }
        guard case .object(let root)? = value else { return }
        givenFixtures.formUnion(root.keys)
        addNames(in: root)
        // A profile as Braze exports it has no content blocks.
        if root.keys.contains("content_blocks"), !isProfile || root.keys.contains("user") {
            blocksOfFiles[ObjectIdentifier(file)] = Self.blocks(of: file)
        }
        guard case .object(let variables)? = root["vars"] else { return }
        dataNames.formUnion(variables.keys)
    }

    /// Adds the names in an export, or in the short form of a profile or a context.
    private mutating func addNames(in root: LiquidObject) {
        var root = root
        if case .array(let users)? = root["users"], case .object(let user)? = users.first { root = user }
        for namespace in BrazeNamespace.all {
            guard case .object(let members)? = root[namespace.contextKey] else { continue }
            givenNames[namespace.name, default: []].formUnion(members.keys)
        }
    }

    /// The content blocks of a file.
    ///
    /// Values that are not texts are left out.
    private static func blocks(of file: SourceFile) -> [ContentBlock] {
        let root = try? DocumentNode.json(file, rule: .profileSyntax)
        return (root?["content_blocks"]?.members ?? []).compactMap { member in
            guard let scalar = member.value.scalar, scalar.style == .quoted else { return nil }
            return ContentBlock(member.name, scalar, at: member.value.range, in: file)
        }
    }

    private mutating func addBlocks(context: SourceFile?, profile: SourceFile?) {
        func blocks(of file: SourceFile?) -> [ContentBlock] {
            file.flatMap { blocksOfFiles[ObjectIdentifier($0)] } ?? []
        }
        let profileBlocks = blocks(of: profile)
        let both = [context, profileBlocks.isEmpty ? nil : profile].map { $0.map { ObjectIdentifier($0) } }
        guard added.insert(both).inserted else { return }
        let replaced = Set(profileBlocks.map { Array($0.name.utf8) })
        let contextBlocks = blocks(of: context).filter { !replaced.contains(Array($0.name.utf8)) }
        for block in contextBlocks + profileBlocks where placesOfBlocks.insert(BlockPlace(block)).inserted {
            self.blocks.append(block)
        }
    }
}
