// SPDX-License-Identifier: MIT

import Foundation
import PayloadKit
import Preview
import TestSupport

/// A folder with a campaign and profiles, and the preview of it.
final class PreviewFolder: Sendable {
    private let temporary: TemporaryFolder

    static let campaign = """
        version: 1
        # A comment that stays.
        push:
          title: "Hi {{ ${first_name} | default: 'you' }}"
          body: 'It''s time'
          extras:
            level: "{{ custom_attribute.${level} | default: 1 }}"
        """

    static let ana =
        #"{"external_id": "ana-1", "first_name": "Ana", "last_name": "Silva", "custom_attributes": {"level": 3}}"#

    init(_ campaign: String = PreviewFolder.campaign, _ profile: String = PreviewFolder.ana) throws {
        temporary = try TemporaryFolder()
        try Data(campaign.utf8).write(to: file)
        try Data(profile.utf8).write(to: url.appending(path: "ana.json"))
    }

    var url: URL { temporary.url }

    var file: URL { url.appending(path: "hello.campaign.yml") }

    var bytes: [UInt8] { [UInt8]((try? Data(contentsOf: file)) ?? Data()) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func project(_ change: (inout PreviewSettings) -> Void = { _ in }) throws -> PreviewProject {
        var settings = PreviewSettings(version: "test")
        change(&settings)
        let campaign = file.path
        let profile = url.appending(path: "ana.json").path
        let load: PreviewProject.Load = { () throws(PreviewProblem) in
            guard let profiles = try? ProfileFile(contentsOf: profile) else { throw PreviewProblem("no profile") }
            var options = RenderOptions(now: Time(seconds: 1_795_165_200))
            options.overridesNow = true
            return PreviewInputs(
                campaigns: [campaign], configuration: nil, options: options, hasNow: true, triggerProperties: .empty,
                app: nil, profiles: [profiles], hasProfiles: true, files: [profile]
            )
        }
        return PreviewProject(settings, try load(), load: load)
    }
}
