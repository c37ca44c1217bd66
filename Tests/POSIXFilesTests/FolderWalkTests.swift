// SPDX-License-Identifier: MIT

import POSIXFiles
import PayloadgenTestSupport
import Testing

/// A walk finds every wanted file, or says that it does not.
@Suite struct FolderWalkTests {
    @Test(arguments: [(3, 3, false), (4, 3, false), (2, 2, true)])
    func `a folder that is as large as the limit is searched as a whole, a larger one is a gap`(
        _ limit: Int,
        _ count: Int,
        _ isUnread: Bool
    ) throws {
        try withTemporaryFolder(["a.swift": "", "b.swift": "", "c.swift": ""]) { folder in
            var walk = FolderWalk(isWanted: { _ in true }, entryLimit: limit)
            #expect(walk.files(under: folder)?.count == count)
            #expect(walk.isOverLimit == isUnread)
            #expect(walk.unreadItems.map(\.path) == (isUnread ? [folder] : []))
        }
    }
}
