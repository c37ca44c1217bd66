// SPDX-License-Identifier: MIT

import AppDeclarations
import DiagnosticSources
import POSIXFiles

/// Responses of Braze's API that were saved in a folder, in files such as `campaigns_list.json` and
/// `campaign_details-ID.json`.
///
/// The pages of a list after the first are in `campaigns_list-1.json`, `campaigns_list-2.json` and so on.
package struct SavedResponses: ExportSource {
    private let folder: String
    private let names: [String]

    /// - Throws: an error if there is no such folder.
    package init(in folder: String) throws(PullFailure) {
        guard let names = FolderWalk.names(in: folder) else {
            throw PullFailure(.missing, "no folder '\(folder)', expected one with saved responses of Braze")
        }
        self.folder = folder
        self.names = names
    }

    package func savedIDs(_ kind: ExportRequest.Details) -> [String]? {
        let (prefix, suffix) = (kind.rawValue + "-", ".json")
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) && !$0.hasSuffix("-draft.json") }
            .map { String($0.dropFirst(prefix.count).dropLast(suffix.count)) }.sorted()
    }

    package func response(to request: ExportRequest) throws(PullFailure) -> ExportResponse? {
        let name = request.fileName + ".json"
        guard names.contains(name) else { return nil }
        let path = folder + "/" + name
        let file: SourceFile
        do throws(FileError) {
            file = try SourceFile(contentsOf: path, in: nil)
        } catch {
            throw PullFailure(.unreadable, error.description)
        }
        guard let response = ExportResponse(file) else {
            throw PullFailure(.unreadable, "'\(path)' is not a response of Braze: expected a JSON object")
        }
        if let fault = response.fault {
            throw PullFailure(.unreadable, "the message of '\(path)' is '\(fault)', expected 'success'")
        }
        return response
    }
}
