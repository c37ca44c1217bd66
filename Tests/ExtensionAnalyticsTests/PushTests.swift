// SPDX-License-Identifier: MIT

import ExtensionAnalytics
import Foundation
import Testing

/// The kind of a push is recognized, and every button of a notification gets an answer.
@Suite struct PushTests {
    @Test(
        arguments: [
            (#"{"aps":{"alert":"a"}}"#, []),
            (#"{"aps":{},"ab":{}}"#, []),
            (#"{"aps":{},"ab":"yes","ab_uri":"a:b"}"#, []),
            (#"{"aps":{},"ab":{"c":null}}"#, [.braze]),
            (#"{"aps":{"content-available":1},"ab":{"c":"x"}}"#, [.braze, .silent]),
            (#"{"aps":{"content-available":1}}"#, []),
            (#"{"aps":{"content-available":"1"},"ab":{"c":"x"}}"#, [.braze]),
            (#"{"aps":{"content-available":true},"ab":{"c":"x"},"appboy_uninstall_tracking":true}"#, uninstall),
            (#"{"aps":{},"ab":{"c":"x","att":{"url":"https://a","type":"png"}}}"#, [.braze, .rich]),
            (#"{"aps":{"category":"ab_cat_push_story_v2"},"ab":{"ab_carousel":true}}"#, [.braze, .story]),
            (#"{"aps":{"category":"lab"},"ab":{"ab_carousel":true}}"#, [.braze]),
            (#"{"aps":[],"ab":{"att":1,"ab_carousel":[]}}"#, [.braze]),
        ] as [(String, PushKind)]
    ) func `tells what a push is`(_ payload: String, _ kind: PushKind) throws {
        let object = try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [AnyHashable: Any]
        #expect(PushKind(try #require(object)) == kind)
    }

    private static let uninstall: PushKind = [.braze, .silent, .uninstallTracking]

    @Test func `answers every button`() {
        let save = NotificationAction(saving: [.event(name: "a")], then: .dismiss)
        let actions = ["SAVE": save]
        #expect(NotificationAction.answer(to: "SAVE", in: actions) == save)
        #expect(NotificationAction.answer(to: "save", in: actions).dismissal == .dismissAndForwardAction)
        #expect(NotificationAction.answer(to: "", in: [:], otherwise: save) == save)
        let tap = NotificationAction.answer(to: NotificationAction.defaultIdentifier, in: actions)
        #expect(tap == NotificationAction(then: .dismissAndForwardAction))
        let dismiss = NotificationAction.answer(to: NotificationAction.dismissIdentifier, in: actions, otherwise: save)
        #expect(dismiss == NotificationAction(then: .dismiss))
    }
}
