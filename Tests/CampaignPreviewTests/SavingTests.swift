// SPDX-License-Identifier: MIT

import Foundation
import POSIXFiles
import Testing

@testable import CampaignPreview

/// What several people save at the same time is all in the file afterwards.
@Suite struct SavingTests {
    private let folder: PreviewFolder
    private let answers: PreviewAnswers
    private let title = PreviewFolder.campaign.replacing("Hi {{", with: "Hello {{")
    private let level = PreviewFolder.campaign.replacing("default: 1", with: "default: 2")

    init() throws {
        folder = try PreviewFolder()
        answers = PreviewAnswers(try folder.project())
    }

    private var both: String { title.replacing("default: 1", with: "default: 2") }

    private func save(_ text: String, base: String?) throws -> Bool {
        var request = DraftRequest()
        request.base = base
        request.text = text
        return try answers.save(PageView(query: ""), request)
    }

    @Test func `two edits of different lines are both kept`() throws {
        for round in 0..<50 {
            try Data(PreviewFolder.campaign.utf8).write(to: folder.file)
            let base = CampaignDraft.revision(of: Array(PreviewFolder.campaign.utf8))
            let results = Locked<[Bool?]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                let isSaved = try? save(number == 0 ? title : level, base: base)
                results.withLock { $0.append(isSaved) }
            }
            let all = results.withLock { $0 }
            #expect(all == [true, true], "round \(round)")
            #expect(folder.text == both, "round \(round)")
        }
    }

    /// Two previews of one file share no memory, only the lock of the folder.
    @Test func `edits in two previews are both kept`() throws {
        let other = PreviewAnswers(try folder.project())
        // Both previews know the text on which the edits are based.
        for preview in [answers, other] { _ = try preview.state(PageView(query: "")) }
        for round in 0..<25 {
            try Data(PreviewFolder.campaign.utf8).write(to: folder.file)
            let base = CampaignDraft.revision(of: Array(PreviewFolder.campaign.utf8))
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                var request = DraftRequest()
                request.base = base
                request.text = number == 0 ? title : level
                let isSaved = try? (number == 0 ? answers : other).save(PageView(query: ""), request)
                #expect(isSaved == true)
            }
            #expect(folder.text == both, "round \(round)")
        }
    }

    @Test(arguments: [true, false])
    func `a file that another program renames to the campaign during a save is merged`(hasBase: Bool) throws {
        let base = hasBase ? CampaignDraft.revision(of: folder.bytes) : nil
        let isSaved = Locked<Bool?>(nil)
        let end = DispatchSemaphore(value: 0)
        do {
            // Holds the lock of the folder: the save has then read the file, and waits.
            let lock = open(folder.url.path, O_RDONLY)
            defer { close(lock) }
            #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
            Thread.detachNewThread {
                let result = try? save(title, base: base)
                isSaved.withLock { $0 = result }
                end.signal()
            }
            Thread.sleep(forTimeInterval: 0.3)
            try folder.write("other", level)
            #expect(rename(folder.url.appending(path: "other").path, folder.file.path) == 0)
        }
        end.wait()
        let result = isSaved.withLock { $0 }
        #expect(result == true)
        #expect(folder.text == both)
    }

    @Test func `a campaign that another process keeps locked is not written`() throws {
        let lock = try FileLock(folder.file.path + ".partial")
        let problem = #expect(throws: PreviewProblem.self) { _ = try save(title, base: nil) }
        #expect(problem?.message.contains("in use by another process") == true)
        #expect(folder.text == PreviewFolder.campaign)
        withExtendedLifetime(lock.descriptor) {}
    }
}
