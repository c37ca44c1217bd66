// SPDX-License-Identifier: MIT

import AppBundles
import Files
import Foundation
import Liquid
import PayloadKit
import SourceText

/// What the records of a batch depend on, recorded beside a partial output, so that only the same batch goes on with it.
struct BatchIdentity: Equatable {
    /// Hashes of what each part of it holds.
    private var campaign: String
    private var options: String
    private var input: String

    /// The clock, in seconds since 1970.
    private(set) var now: Int

    /// Whether the clock was read, so that going on takes the one that is recorded.
    private let readsClock: Bool

    init(
        _ campaign: Campaign,
        _ options: RenderOptions,
        _ settings: BatchSettings,
        _ sources: [ProfileSource],
        readsClock: Bool
    ) {
        now = options.now.seconds
        self.readsClock = readsClock
        var hash = ContentHash()
        hash.add(campaign.file.bytes)
        hash.add(campaign.resources)
        self.campaign = hash.text
        hash = ContentHash()
        hash.add(options.context)
        hash.add([options.eventProperties, settings.triggerProperties].map { .object($0) })
        hash.add(
            "\(Payloadgen.version) \(options.seed) \(options.errorMode) \(options.missingPolicy) \(options.budget)"
        )
        hash.add("\(options.overridesNow) \(readsClock ? "" : "\(now)")")
        hash.add("\(settings.idField ?? "") \(settings.shard.map { "\($0.index)/\($0.count)" } ?? "")")
        hash.add(settings.app?.declared ?? "")
        self.options = hash.text
        hash = ContentHash()
        for source in sources { hash.add("\(source.name) \(source.count ?? -1) \(source.modified)") }
        input = hash.text
    }

    // MARK: - Beside the partial output

    private static func path(for output: String) -> String { output + ".partial.json" }

    /// Records what a new partial output depends on.
    func write(for output: String) throws(CommandFailure) {
        var json = JSONWriter()
        json.beginObject()
        json.member("version", 1)
        json.member("campaign", campaign)
        json.member("options", options)
        json.member("input", input)
        json.member("now", now)
        json.endObject()
        json.buffer.append("\n")
        let bytes = json.buffer.withUnsafeBytes { Array($0) }
        do throws(FileError) {
            try FileReplacement.write(bytes, to: Self.path(for: output))
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Forgets what was recorded, once the output is whole.
    static func remove(for output: String) { unlink(path(for: output)) }

    /// Takes the clock from what is recorded beside a partial output.
    ///
    /// - Throws: what is not as it was when the output was begun.
    mutating func resume(_ output: String) throws(CommandFailure) {
        let path = Self.path(for: output)
        let file = try Inputs.file(path)
        guard let recorded = (try? JSONDocument(file))?.root, recorded["version"]?.integer == 1,
            let now = recorded["now"]?.integer
        else {
            throw CommandFailure(.unreadableInput, "'\(path)' is no record of a batch: start without --resume")
        }
        let parts = [("campaign", campaign, "another campaign"), ("options", options, "other options")]
        let changed = (parts + [("input", input, "another input")]).filter { recorded[$0.0]?.string != $0.1 }
        guard changed.isEmpty else {
            throw CommandFailure(
                .unreadableInput,
                """
                '\(output).partial' was begun with \(changed.map(\.2).joined(separator: " and ")): \
                start without --resume
                """
            )
        }
        if readsClock { self.now = now }
    }
}

/// FNV-1a of 64 bits over parts, each ended by its length, so that none runs into the next.
private struct ContentHash {
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    var text: String { String(hash, radix: 16) }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        var count: UInt64 = 0
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            count += 1
        }
        hash = (hash ^ count) &* 0x100_0000_01B3
    }

    mutating func add(_ text: String) { add(text.utf8) }

    mutating func add(_ values: [Value]) {
        for value in values {
            var json = JSONWriter()
            value.write(json: &json)
            json.buffer.withUnsafeBytes { add($0) }
        }
    }

    mutating func add(_ context: RenderContext) { add([.object(context.root), .object(context.fixtures)]) }
}

extension App {
    /// What the checks of payloads ask for.
    fileprivate var declared: String {
        let extensions = contentExtensions.map { candidate in
            let interaction =
                switch candidate.interaction {
                case .absent: "absent"
                case .declared(let placed): "\(placed.value)"
                case .malformed(let placed): placed.value
                }
            return candidate.categories.map(\.value).joined(separator: "\n") + "\n\(interaction)"
        }
        return "\(name)\n\(hasServiceExtension)\n" + extensions.joined(separator: "\n")
    }
}

extension ProfileSource {
    /// When the file was written last, in nanoseconds.
    fileprivate var modified: Int {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}
