// SPDX-License-Identifier: MIT

import DiagnosticSources
import Foundation
import JSONTexts
import POSIXFiles

/// The identity of a finished batch, stored in an extended attribute of its output, so that `--resume` does not render
/// the batch again.
///
/// A copy may lose the attribute, and after editing the file it no longer matches; the file is then not recognized.
enum FinishedBatch {
    private static let attribute = "user.payloadgen.batch"

    /// Foundation's key for the extended attributes of a file.
    private static let attributes = FileAttributeKey(rawValue: "NSFileExtendedAttributes")

    /// Stores the identity in an output before it is renamed.
    ///
    /// Nothing is reported if the file system does not support extended attributes.
    static func note(_ identity: BatchIdentity, _ records: EarlierRecords, in target: OutputTarget) {
        guard let path = target.unfinishedPath, let status = FileStatus(descriptor: target.descriptor) else { return }
        var json = JSONWriter()
        json.beginObject()
        identity.write(to: &json)
        json.member("size", status.size)
        json.member("modified", status.modified)
        json.member("records", records.count)
        json.member("aborted", records.aborted)
        json.member("failed", records.failed)
        json.key("input_errors")
        json.bool(records.hasInputErrors)
        json.endObject()
        let value = json.buffer.withUnsafeBytes { Data($0) }
        try? FileManager.default.setAttributes([attributes: [attribute: value]], ofItemAtPath: path)
    }

    /// The records of a finished output of the same batch, which then adopts the output's time; nil for any other file.
    static func records(of identity: inout BatchIdentity, in path: String) -> EarlierRecords? {
        guard let path = path.realPath, let status = FileStatus(path: path), status.kind == .regular,
            let all = try? FileManager.default.attributesOfItem(atPath: path)[attributes] as? [String: Data],
            let value = all[attribute],
            let root = (try? JSONDocument(SourceFile(path: path, bytes: Array(value))))?.root,
            root["size"]?.integer == status.size, root["modified"]?.integer == status.modified,
            identity.changes(from: root).isEmpty, let count = root["records"]?.integer,
            let aborted = root["aborted"]?.integer, let failed = root["failed"]?.integer,
            let hasInputErrors = root["input_errors"]?.bool, identity.useTime(of: root)
        else { return nil }
        return EarlierRecords(count: count, aborted: aborted, failed: failed, hasInputErrors: hasInputErrors)
    }
}
