// SPDX-License-Identifier: MIT

import CampaignPreview
import Foundation
import POSIXFiles
import PayloadKit
import PayloadgenTestSupport

/// A temporary folder with a campaign and profiles, and the preview of the campaign.
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

    /// Writes an app with one content extension, which claims the category `lab`.
    ///
    /// - Parameter extras: the text of the file that declares the key-value pairs of the extension; nil for no such
    ///   file.
    /// - Throws: why a file cannot be written.
    func writeApp(extras: String?) throws {
        let list = { (rest: String) in "<plist version=\"1.0\"><dict>\(rest)</dict></plist>" }
        let package = { (type: String) in "<key>CFBundlePackageType</key><string>\(type)</string>" }
        try write("Lab/Info.plist", list(package("APPL") + "<key>CFBundleName</key><string>Lab</string>"))
        let attributes = """
            <key>UNNotificationExtensionCategory</key><string>lab</string>
            <key>UNNotificationExtensionInitialContentSizeRatio</key><real>0.5</real>
            """
        let point = """
            <key>NSExtensionPointIdentifier</key><string>com.apple.usernotifications.content-extension</string>
            <key>NSExtensionMainStoryboard</key><string>Main</string>
            """
        let own = "<key>NSExtensionAttributes</key><dict>\(attributes)</dict>" + point
        try write("Lab/Ext/Info.plist", list(package("XPC!") + "<key>NSExtension</key><dict>\(own)</dict>"))
        if let extras { try write("Lab/Ext/payloadgen.extras.yml", extras) }
    }

    func write(_ path: String, _ text: String) throws {
        let file = url.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    var file: URL { url.appending(path: "hello.campaign.yml") }

    var bytes: [UInt8] { [UInt8]((try? Data(contentsOf: file)) ?? Data()) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func project(_ change: (inout PreviewSettings) -> Void = { _ in }) throws -> PreviewProject {
        var settings = PreviewSettings(version: "test")
        change(&settings)
        let campaign = file.path
        let profile = url.appending(path: "ana.json").path
        let load: PreviewProject.Load = { () throws(PreviewProblem) in
            let start = FileStatus.clock
            guard let profiles = try? ProfileFile(contentsOf: profile) else { throw PreviewProblem("no profile") }
            var options = RenderOptions(now: Time(seconds: 1_795_165_200))
            options.overridesNow = true
            var inputs = PreviewInputs(campaigns: [campaign], options: options, testOptions: options, start: start)
            inputs.hasNow = true
            inputs.triggerProperties = .empty
            inputs.profiles = [profiles]
            inputs.hasProfiles = true
            inputs.files = [profile]
            return inputs
        }
        return PreviewProject(settings, try load(), load: load)
    }
}
