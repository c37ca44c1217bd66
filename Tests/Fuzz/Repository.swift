// SPDX-License-Identifier: MIT

import Foundation
import PayloadLinting

/// The files that inputs start from: those of the tests, the examples and the templates, the examples of the lint
/// rules, and the cases of `PAYLOADGEN_CASES` where they are there.
struct Repository: Sendable {
    /// The folder of inputs that once failed, one folder a reader.
    static let found = "Tests/Fuzz/Found"

    /// Larger files say no more than smaller ones.
    private static let sizeLimit = 1 << 15

    /// The root of the package.
    let root: String

    private let files: [(path: String, bytes: [UInt8])]

    /// Reads the files around the root of the package.
    init(root: String) {
        self.root = root
        let cases = ProcessInfo.processInfo.environment["PAYLOADGEN_CASES"] ?? root + "/../shared/cases"
        let folders = ["/Tests", "/examples", "/templates"].map { root + $0 } + [cases]
        var files: [(String, [UInt8])] = []
        for folder in folders {
            for path in Self.paths(in: folder) where !path.contains("/Fuzz/Found/") {
                guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= Self.sizeLimit else {
                    continue
                }
                files.append((path, Array(bytes)))
            }
        }
        for rule in Rule.all {
            for file in (rule.description.failing + rule.description.passing).flatMap(\.files) {
                files.append((file.path, Array(file.text.utf8)))
            }
        }
        self.files = files
    }

    /// The contents of all files whose path ends in one of some ways, each once.
    func seeds(_ endings: String...) -> [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return files.filter { file in endings.contains { file.path.hasSuffix($0) } }.map(\.bytes)
            .filter { seen.insert($0).inserted }
    }

    /// The texts under a key anywhere in JSON files.
    func texts(under key: String, in endings: String...) -> [[UInt8]] {
        Self.paths(in: ProcessInfo.processInfo.environment["PAYLOADGEN_CASES"] ?? root + "/../shared/cases")
            .filter { path in endings.contains { path.hasSuffix($0) } }
            .compactMap { FileManager.default.contents(atPath: $0) }
            .flatMap { Self.texts(under: key, in: try? JSONSerialization.jsonObject(with: $0)) }
            .map { Array($0.utf8) }
    }

    private static func texts(under key: String, in value: Any?) -> [String] {
        switch value {
        case let members as [String: Any]:
            members.sorted { $0.key < $1.key }.flatMap { name, value -> [String] in
                if name == key, let text = value as? String { return [text] }
                return texts(under: key, in: value)
            }
        case let elements as [Any]: elements.flatMap { texts(under: key, in: $0) }
        default: []
        }
    }

    /// The files in a folder and below, by their paths.
    static func paths(in folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.sorted().map { folder + "/" + $0 }
    }

    /// The inputs that once failed, of a reader.
    func found(_ reader: String) -> [(path: String, bytes: [UInt8])] {
        Self.paths(in: root + "/" + Self.found + "/" + reader).compactMap { path in
            FileManager.default.contents(atPath: path).map { (path, Array($0)) }
        }
    }
}
