// SPDX-License-Identifier: MIT

extension TagDefinition {
    /// The tags of standard Liquid.
    public static let standard: [TagDefinition] = [
        .assign, .break, .capture, .case, .comment, .continue, .cycle, .decrement, .doc, .echo, .for, .if, .ifchanged,
        .include, .increment, .inlineComment, .raw, .render, .tablerow, .unless,
    ]
}
