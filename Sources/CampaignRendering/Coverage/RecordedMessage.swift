// SPDX-License-Identifier: MIT

public import DiagnosticSources
public import LiquidTemplates

/// A rendered message, with a record of what its templates did.
public struct RecordedMessage: Sendable {
    /// A range of a rendered text, and the part of the author's files that it comes from.
    public struct Span: Sendable {
        /// The range in the rendered text, as offsets in bytes.
        public let output: Range<Int>

        /// The place of the text or of the tag that printed it; nil for a content block without a file.
        public let place: SourcePlace?
    }

    /// A text of the campaign, rendered.
    public struct Text: Sendable {
        /// The field, such as `title` or `extras.level`.
        public let field: String

        /// The rendered text.
        public let output: String

        /// The origins of the output, in ascending order and without gaps.
        public let spans: [Span]
    }

    /// The outcome of the message.
    public let outcome: Outcome

    /// The texts with Liquid whose rendering was completed, in the order of rendering.
    public let texts: [Text]

    /// The indices in the coverage map of the branches that the message took.
    public let branches: [Int]
}

extension RenderSession {
    /// Renders the message for one user and records what the templates do.
    ///
    /// - Parameters:
    ///   - profile: the user.
    ///   - triggerProperties: `api_trigger_properties`; a property of the profile takes precedence.
    /// - Returns: the outcome of ``render(_:triggerProperties:)``, with the record; the record has no texts and
    ///   branches if the session does not record them.
    public mutating func record(
        _ profile: Profile,
        triggerProperties: LiquidObject = .empty
    ) -> RecordedMessage {
        engine.beginRecords()
        return takeRecord(of: render(profile, triggerProperties: triggerProperties))
    }

    /// Renders the message as ``draft(_:triggerProperties:)`` does, and records what the templates do.
    package mutating func recordDraft(
        _ profile: Profile,
        triggerProperties: LiquidObject = .empty
    ) -> (message: MessageDraft, record: RecordedMessage) {
        engine.beginRecords()
        let message = draft(profile, triggerProperties: triggerProperties)
        return (message, takeRecord(of: message.outcome))
    }

    private mutating func takeRecord(of outcome: Outcome) -> RecordedMessage {
        let records = engine.takeRecords()
        let recorder = coverageRecorder
        let texts = records.map { record in
            RecordedMessage.Text(
                field: record.field,
                output: record.output,
                spans: record.spans.map { span in
                    let text = recorder?.text(ofTemplate: span.templateIndex)
                    let source = text.flatMap { recorder?.coverage.map.texts[$0].source }
                    return RecordedMessage.Span(output: span.output, place: source?.place(of: span.source))
                }
            )
        }
        return RecordedMessage(outcome: outcome, texts: texts, branches: recorder?.lastBranches ?? [])
    }
}
