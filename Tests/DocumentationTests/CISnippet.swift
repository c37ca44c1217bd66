// SPDX-License-Identifier: MIT

import Yams

/// A part of the configuration of a CI service or tool that runs payloadgen, as a page shows it.
enum CISnippet: Sendable {
    /// A `.pre-commit-config.yaml`, with the ids of its hooks.
    case preCommit(hooks: [String])
    /// A GitHub workflow, or steps of one, with the inputs that they give to the action of this repository.
    case gitHub(inputs: [String])
    /// The jobs of GitLab, with the lines of their scripts and the reports that these write.
    case gitLab(script: [String], reports: [String])

    /// Recognizes a configuration by its keys; nil for another document.
    ///
    /// - Throws: an error for invalid YAML.
    init?(_ yaml: String) throws {
        let document = try Yams.load(yaml: yaml)
        let workflow = ((document as? [String: Any])?["jobs"] as? [String: [String: Any]])?.values
        let steps = workflow?.flatMap { $0["steps"] as? [[String: Any]] ?? [] } ?? document as? [[String: Any]]
        if let steps, steps.contains(where: { $0["uses"] != nil }) {
            let own = steps.filter { ($0["uses"] as? String)?.contains("/payloadgen@") == true }
            self = .gitHub(inputs: own.flatMap { ($0["with"] as? [String: Any] ?? [:]).keys.sorted() })
        } else if let repositories = (document as? [String: Any])?["repos"] as? [[String: Any]] {
            let hooks = repositories.flatMap { $0["hooks"] as? [[String: Any]] ?? [] }
            self = .preCommit(hooks: hooks.map { $0["id"] as? String ?? "no id" })
        } else if let jobs = document as? [String: [String: Any]], jobs.values.allSatisfy({ $0["script"] != nil }) {
            let scripts = jobs.values.map { $0["script"] as? [String] ?? [$0["script"] as? String ?? "false"] }
            let reports = jobs.values.compactMap { ($0["artifacts"] as? [String: Any])?["reports"] as? [String: Any] }
            self = .gitLab(script: scripts.flatMap { $0 }, reports: reports.flatMap { $0.values.map { "\($0)" } })
        } else {
            return nil
        }
    }

    /// The hooks and inputs that the configuration names but this repository does not offer.
    ///
    /// - Throws: an error if the files of the repository that offer them cannot be read.
    func faults(_ repository: Repository) throws -> [String] {
        switch self {
        case .preCommit(let hooks):
            let offered = try Yams.load(yaml: repository.text(".pre-commit-hooks.yaml")) as? [[String: Any]] ?? []
            let ids = offered.compactMap { $0["id"] as? String }
            return hooks.filter { !ids.contains($0) }.map { ".pre-commit-hooks.yaml has no hook '\($0)'" }
        case .gitHub(let inputs):
            let action = try Yams.load(yaml: repository.text("action.yml")) as? [String: Any] ?? [:]
            let offered = action["inputs"] as? [String: Any] ?? [:]
            return inputs.filter { offered[$0] == nil }.map { "action.yml has no input '\($0)'" }
        case .gitLab: return []
        }
    }

    /// The commands that the configuration runs; nil if it contains none.
    var script: String? {
        guard case .gitLab(let script, let reports) = self else { return nil }
        return (script + reports.map { "test -s '\($0)'" }).joined(separator: " &&\n")
    }
}

/// Whether a YAML document is a campaign file.
///
/// - Throws: an error for invalid YAML.
func isCampaign(_ yaml: String) throws -> Bool {
    let keys = try (Yams.load(yaml: yaml) as? [String: Any])?.keys
    return keys?.contains("version") == true && keys?.contains("push") == true
}
