// SPDX-License-Identifier: MIT

package import Documents
import InAppMessages

extension Format {
    /// A scenario of in-app messages.
    package static let scenario = Format(
        name: "the scenario",
        summary: "In-app messages, and what happens to an app that may show them.",
        [
            Key("version", .version(1), "The version of the format."),
            Key("config", .object(settings)),
            Key("messages", .list(.object(message)), isRequired: true),
            Key("timeline", .list(.object(step)), isRequired: true, "What happens, in the order of time."),
        ]
    )

    private static let settings = Format(
        summary: "What the SDK is configured with.",
        [
            Key("minimum_interval", .number(nil), "Seconds between messages that events trigger; 30 by default."),
            Key(
                "shows_at_interval",
                .boolean,
                "Whether a message is shown when exactly that time has passed; true by default."
            ),
        ]
    )

    // MARK: - Messages

    private static let message = Format([
        Key("id", .text, isRequired: true),
        Key(
            "triggers",
            .list(.either([.choice(["session_start", "push_click", "any_purchase"]), .object(namedEvent)])),
            isRequired: true,
            "Any of them is enough."
        ),
        Key(
            "filters",
            .list(.either([.object(filter), .list(.object(filter))])),
            "All have to pass; of a list in the list, one."
        ),
        Key("priority", .number(nil), "The highest goes first; 0 by default."),
        Key("start", .secondsOrTime, "After this time: seconds since the start, or ISO 8601."),
        Key("end", .secondsOrTime, "Before this time: seconds since the start, or ISO 8601."),
        Key(
            "re_eligibility",
            .choiceOrNumber(["always", "once"], expected: "always, once, or a number of seconds"),
            "How often the message may come: always, once (the default), or after more than so many seconds."
        ),
        Key("control", .boolean, "Logged for the control group, and not shown."),
        Key("timeout", .number(nil), "Seconds in which the asset has to be there."),
        Key("orientation", choice(of: InAppMessage.Orientation.self)),
        Key("asset", .boolean, "Whether it has an asset that is fetched at session start."),
        Key("extras", .mapping(.text), "The key-value pairs; values are Liquid."),
    ])

    /// An event that is named by its key.
    private static let namedEvent = Format(
        traits: .hasOneKey,
        [Key("purchase", .text, "The product's id."), Key("custom_event", .text, "The event's name.")]
    )

    private static let filter = Format([
        Key("property", .text, isRequired: true),
        Key(
            "type",
            choice(of: PropertyFilter.PropertyType.self),
            "The property's type; that of the value where it is left out."
        ),
        Key("comparator", choice(of: PropertyFilter.Comparator.self), isRequired: true),
        Key("value", .text),
    ])

    // MARK: - The timeline

    private static let step = Format([
        Key("at", .secondsOrTime, isRequired: true, "When: seconds since the start, or ISO 8601."),
        Key("event", .either([.choice(["session_start", "push_click"]), .object(namedEvent)])),
        Key("properties", .mapping(.any), "The properties of the event."),
        Key("app_state", .choice(["foreground", "background", "launch"])),
        Key("dismiss", .yes, "The visible message is closed."),
        Key("present", .text, "The message that the app presents by itself."),
        Key("present_next", .yes, "The app shows what is on the stack."),
        Key(
            "delegate",
            choice(of: Presenter.DisplayChoice.self),
            "What the delegate answers from now on, for one message or for all."
        ),
        Key("orientation", choice(of: InAppMessage.Orientation.self), "How the device is held from now on."),
        Key("asset", .choice(["loaded", "failed"]), "What becomes of a message's asset."),
        Key("message", .text, "The message that delegate or asset is about."),
    ])
}
