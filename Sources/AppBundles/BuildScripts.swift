// SPDX-License-Identifier: MIT

import DiagnosticSources

/// The scripts that run when a target is built, which may copy extensions into its bundle.
struct BuildScripts {
    /// The texts of the scripts, and the paths of their input and output files, in lower case.
    private var texts: [String] = []

    /// Whether one of the scripts calls another script of the project, which may copy anything.
    private var callsScript = false

    /// The suffixes of the file names of scripts.
    private static let scriptEnds = [".sh", ".bash", ".zsh", ".command", ".rb", ".py", ".pl", ".js", ".swift"]

    /// Folders and variables in the paths of package managers and frameworks, whose scripts do not copy extensions of
    /// the project.
    private static let packageFolders: Set = ["pods", "pods_root", "node_modules", "flutter_root", "sourcepackages"]

    /// Adds a script.
    ///
    /// - Parameters:
    ///   - script: the text of the script.
    ///   - paths: the paths of its input and output files.
    mutating func add(_ script: String, paths: [String]) {
        callsScript = callsScript || Self.callsScript(script)
        texts += ([script] + paths).map { $0.lowercased() }
    }

    /// Whether a script seems to copy an extension.
    ///
    /// - Parameter target: the name of the target that builds the extension.
    /// - Returns: true also if a script calls another script, which may copy anything.
    func mayCopy(_ target: String) -> Bool {
        let words = ["appex", "plugins", target.lowercased()]
        return callsScript || texts.contains { text in words.contains { text.holds($0) } }
    }

    /// Whether a script seems to run a file of the project: one with the suffix of a script, or a command at a relative
    /// path.
    private static func callsScript(_ script: String) -> Bool {
        let script = script.lowercased()
        let lines = script.split(whereSeparator: \.isNewline).filter { !String($0).trimmed.hasPrefix("#") }
        return lines.flatMap { $0.split { ";&|".contains($0) } }.contains { command in
            let words = command.split { $0.isWhitespace || "\"'=".contains($0) }
            return words.enumerated().contains { index, word in
                let parts = word.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
                guard packageFolders.isDisjoint(with: parts) else { return false }
                return scriptEnds.contains { word.hasSuffix($0) }
                    || index == 0 && word.contains("/") && !word.hasPrefix("/")
            }
        }
    }
}
