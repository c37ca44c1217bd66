// SPDX-License-Identifier: MIT

/// What `for` and `tablerow` have after their collection: the last of each option, and what the loop runs.
struct LoopSyntax {
    /// The options, by the `detail` of their parts.
    enum Option: Int {
        case limit
        case offset
        /// `offset: continue`
        case resume
        case columns
        case reversed
    }

    /// The most elements.
    private(set) var limit: ExpressionSyntax?
    /// The elements to skip.
    private(set) var offset: ExpressionSyntax?
    /// Whether the loop starts where the last one of the same name ended.
    private(set) var resumes = false
    /// The cells in a row.
    private(set) var columns: ExpressionSyntax?
    private(set) var isReversed = false
    /// What runs for each element.
    let body: BlockSyntax
    /// What runs where there is no element.
    private(set) var otherwise: BlockSyntax?

    init(after collection: ExpressionSyntax, in tag: TagSyntax) {
        var part = collection.cursor.next
        while part.kind == .option {
            let value = part.isEmpty ? nil : ExpressionSyntax(part.first)
            switch Option(rawValue: Int(part.part.detail)) {
            case .limit: limit = value
            case .offset: (offset, resumes) = (value, false)
            case .resume: (offset, resumes) = (nil, true)
            case .columns: columns = value
            case .reversed: isReversed = true
            case nil: break
            }
            part = part.next
        }
        body = BlockSyntax(part)
        let next = part.next
        if next.id != tag.cursor.end { otherwise = BlockSyntax(next) }
    }
}
