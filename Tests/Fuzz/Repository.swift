// SPDX-License-Identifier: MIT

import Foundation
import PayloadLinting

/// The files from which inputs are made: those of the tests, examples and templates, the examples of lint rules, and
/// the cases of `PAYLOADGEN_CASES` if they exist.
struct Repository: Sendable {
    /// The folder of inputs that failed in earlier runs, with a folder for each reader.
    static let found = "Tests/Fuzz/Found"

    /// The most bytes of a file that is used; larger ones are not more useful.
    private static let sizeLimit = 1 << 15

    /// The path of the root of the package.
    let root: String

    private let files: [(path: String, bytes: [UInt8])]

    /// Reads the files of the package at a path.
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
            for file in (rule.failing + rule.passing).flatMap(\.files) {
                files.append((file.path, Array(file.text.utf8)))
            }
        }
        self.files = files
    }

    /// The contents of all files whose paths have one of some suffixes, without repetitions.
    func seeds(_ endings: String...) -> [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return files.filter { file in endings.contains { file.path.hasSuffix($0) } }.map(\.bytes)
            .filter { seen.insert($0).inserted }
    }

    /// The texts that are the value of a key anywhere in JSON files.
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

    /// The relative paths of the files in a folder and below.
    static func paths(in folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.sorted().map { folder + "/" + $0 }
    }

    /// The inputs of a reader that failed in earlier runs.
    func found(_ reader: String) -> [(path: String, bytes: [UInt8])] {
        Self.paths(in: root + "/" + Self.found + "/" + reader).compactMap { path in
            FileManager.default.contents(atPath: path).map { (path, Array($0)) }
        }
    }
}
