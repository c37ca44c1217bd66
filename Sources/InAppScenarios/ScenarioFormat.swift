// SPDX-License-Identifier: MIT

package import DocumentFormats

extension Format {
    /// The format of a scenario file.
    package static let scenario = Format(
        name: "the scenario",
        summary: "In-app messages, and the events in an app that shows them.",
        [
            Key("version", .version(1), "The version of the format."),
            Key("now", .time, "When the timeline starts; by default the clock, or --now."),
            Key("profile", .path, "The path of the user's profile, relative to this file; --profile takes precedence."),
            Key("config", .object(settings)),
            Key(
                "app", .object(app), "What the app declares and does about pushes, and about what its extensions save."),
            Key("pushes", .list(.object(push)), "The pushes that steps of the timeline deliver."),
            Key("messages", .list(.object(message)), isRequired: true),
            Key("timeline", .list(.object(step)), isRequired: true, "What happens, in the order of time."),
            Key(
                "expect",
                .list(.object(expectation)),
                "What the simulation has to report, without the actions 'fetched' and 'refused'."
            ),
        ]
    )

    private static let settings = Format(
        summary: "The configuration of the SDK, and choices that Braze's documents leave open.",
        [
            Key("minimum_interval", .number(nil), "Seconds between messages that events trigger; 30 by default."),
            Key(
                "shows_at_interval",
                .boolean,
                "Whether a message is shown when exactly 'minimum_interval' has passed; true by default."
            ),
            Key(
                "interval_from",
                choice(of: InAppSettings.IntervalStart.self),
                "When 'minimum_interval' starts: when a message is handed to the presenter (the default), or at the last impression."
            ),
            Key(
                "stack_moments",
                choice(of: InAppSettings.StackMoments.self),
                "When a message leaves the stack without a call by the app: never (the default), or as Braze's guide says."
            ),
            Key(
                "background",
                choice(of: InAppSettings.BackgroundRule.self),
                "What happens to a message that is triggered in the background; stack by default."
            ),
            Key(
                "next_on_dismissal",
                .boolean,
                "Whether the app calls presentNext() when a message was dismissed; false by default."
            ),
            Key("stack_timeout", .boolean, "Whether a timeout also applies on the stack; true by default."),
            Key(
                "abort_falls_back",
                .boolean,
                "Whether the message with the next lower priority is shown if a message is aborted when it is rendered; true by default."
            ),
            Key(
                "missing_property",
                choice(of: PropertyFilter.MissingRule.self),
                "What a negated filter does if the property is missing or has another type: it fails (the default), or passes."
            ),
            Key(
                "session_timeout",
                .number(nil),
                "The seconds in the background after which a return to the foreground starts a session; then a start of the ended app does so too. By default, only the timeline starts sessions."
            ),
            Key(
                "device", choice(of: InAppSettings.Device.self),
                "The kind of the device: a phone (the default), or a tablet, which fits both orientations."),
        ]
    )

    // MARK: - Messages

    private static let message = Format([
        Key("id", .text, isRequired: true),
        Key(
            "triggers",
            .list(.either([.choice(["session_start", "push_click", "any_purchase"]), .object(condition)])),
            isRequired: true,
            "One of them is enough; a message without triggers is created by the app."
        ),
        Key(
            "filters",
            filters,
            "Filters for every trigger that accepts them. All have to pass; of a nested list, one has to."
        ),
        Key(
            "priority",
            .choiceOrNumber(["high", "medium", "low"], expected: "high, medium, low, or a number"),
            "The highest is shown first; high is 2, medium 1, and low, the default, 0."
        ),
        Key("start", .secondsOrTime, "After this time: seconds since the start, or ISO 8601."),
        Key("end", .secondsOrTime, "Before this time: seconds since the start, or ISO 8601."),
        Key(
            "re_eligibility",
            .choiceOrNumber(["always", "once"], expected: "always, once, or a number of seconds"),
            "How often the message may be shown: always, once (the default), or again once more than this number of "
                + "seconds has passed since its last impression."
        ),
        Key("control", .boolean, "Logged for the control group, and not shown."),
        Key(
            "templated",
            .boolean,
            "Whether Braze evaluates the message again when it is triggered; some Liquid implies this."
        ),
        Key("delay", .number(nil), "Seconds between the event and the display."),
        Key("timeout", .number(nil), "Seconds after the event within which it has to be displayed."),
        Key("minimum_interval", .number(nil), "Seconds between triggered messages, in place of those of the config."),
        Key("close_after", .number(nil), "Seconds after which it closes by itself."),
        Key("orientation", choice(of: InAppMessage.Orientation.self)),
        Key("asset", .boolean, "Whether it has an asset that is fetched at session start."),
        Key("extras", .mapping(.text), "The key-value pairs; values are Liquid."),
    ])

    private static let filters = Kind.list(.either([.object(filter), .list(.object(filter))]))

    /// The keys for events that also have a name, such as `purchase`.
    private static let namedEvents = [
        Key("purchase", .text, "The product's id."), Key("custom_event", .text, "The event's name."),
        Key("push_click", .text, "The push's campaign."),
    ]

    /// The format of a message's trigger: an event such as `purchase: ID`, with filters for its properties.
    private static let condition = Format(
        needs: .exactlyOneOf(namedEvents.map(\.name)),
        namedEvents + [Key("filters", filters, "All have to pass; of a nested list, one has to.")]
    )

    private static let event = Format(traits: .hasOneKey, namedEvents)

    private static let filter = Format([
        Key("property", .text, isRequired: true),
        Key(
            "type",
            choice(of: PropertyFilter.PropertyType.self),
            "The property's type; by default that of the value."
        ),
        Key("comparator", choice(of: PropertyFilter.Comparator.self), isRequired: true),
        Key("value", .text),
    ])

    // MARK: - Pushes

    private static let app = Format([
        Key(
            "declared_in",
            .text,
            "The folder or app.json of the app, relative to this file: its extensions are used where this file names none."
        ),
        Key(
            "automation",
            .boolean,
            "Whether Braze's SDK receives all callbacks itself (push.automation); by default only those in 'forwards' reach it."
        ),
        Key(
            "forwards",
            .list(choice(of: AppSetup.Callback.self)),
            "The callbacks that the app hands to Braze's SDK."
        ),
        Key(
            "foreground_presentation",
            .boolean,
            "Whether 'willPresent' answers with options; by default only with automation."
        ),
        Key("background_modes", .list(.text), "UIBackgroundModes of its Info.plist."),
        Key("service_extension", .boolean, "Whether it has a notification service extension."),
        Key("content_categories", .list(.text), "The categories that its content extensions claim."),
        Key(
            "pending",
            choice(of: AppSetup.PendingStorage.self),
            "How extensions store what they save: in the files of the library ExtensionAnalytics (the default), or as Braze's guides do."
        ),
        Key(
            "sends_by",
            choice(of: AppSetup.Sending.self),
            "How the app sends what extensions save: by Braze's SDK with the time of now (the default), or by /users/track with the time of saving."
        ),
        Key("sdk_at_launch", .boolean, "Whether the SDK exists when what was saved is sent; true by default."),
    ])

    private static let push = Format([
        Key("id", .text, isRequired: true),
        Key("campaign", .text, "The campaign of the push, which the trigger 'push_click' can name."),
        Key("category", .text),
        Key("alert", .boolean, "Whether there is something to show; true by default."),
        Key("content_available", .boolean, "Whether it wakes the app."),
        Key("image", .boolean, "Whether a service extension has an image to attach."),
        Key("braze", .boolean, "Whether Braze has sent it; true by default."),
    ])

    // MARK: - The timeline

    private static let step = Format([
        Key("at", .secondsOrTime, isRequired: true, "When: seconds since the start, or ISO 8601."),
        Key("event", .either([.choice(["session_start", "push_click"]), .object(event)])),
        Key("properties", .mapping(.any), "The properties of the event."),
        Key("app_state", .choice(["foreground", "background", "launch", "terminated"])),
        Key("dismiss", .yes, "The visible message is closed."),
        Key(
            "click", .yes, "The user clicks on the visible message; it closes after all steps that have the same 'at'."),
        Key("present", .text, "The id of the message that the app presents by itself."),
        Key("present_next", .yes, "The app shows what is on the stack."),
        Key(
            "delegate",
            choice(of: Presenter.DisplayChoice.self),
            "The answer of the delegate from now on, for one message or for all."
        ),
        Key("orientation", choice(of: InAppMessage.Orientation.self), "The orientation of the device from now on."),
        Key("asset", .choice(["loaded", "failed"]), "The result of fetching a message's asset."),
        Key("change_user", .text, "The id of the new user."),
        Key("wipe", .yes, "The app wipes the SDK's data."),
        Key("push", .text, "The id of the push that arrives."),
        Key("tap", .text, "The id of the push that the user taps."),
        Key("action", .text, "The id of the button that the user taps; 'of' names the push."),
        Key("swipe_away", .text, "The id of the push that the user dismisses."),
        Key("save", .text, "The name of the record that an extension saves; 'properties' are those of an event."),
        Key("reset_storage", .yes, "The app removes what its extensions keep in UserDefaults."),
        Key("message", .text, "The id of the message that 'delegate' or 'asset' is about."),
        Key("of", .text, "The id of the push that 'action' is about."),
        Key(
            "answer",
            choice(of: PushDelivery.ResponseOption.self),
            "What the content extension answers to 'action'; by default it is forwarded, as without a content extension."
        ),
        Key("foreground", .boolean, "Whether 'action' is registered with the option foreground; false by default."),
    ])

    /// The keys with details of a step, which only some actions have.
    static let stepDetails = ["properties", "message", "of", "answer", "foreground"]

    /// The keys that say what happens in a step; each step has exactly one of them.
    static let stepActions = step.keys.map(\.name).filter { !(["at"] + stepDetails).contains($0) }

    // MARK: - What is expected

    private static let expectation = Format([
        Key("at", .secondsOrTime, isRequired: true, "When: seconds since the start, or ISO 8601."),
        Key(
            "message", .textOrNull,
            "The id of the message or push, or the name of the record; null for 'blocked' and 'not_matched'."),
        Key(
            "action",
            .choice(Simulation.Action.allCases.filter(\.isCompared).map(\.rawValue)),
            isRequired: true,
            "The action."
        ),
    ])
}
