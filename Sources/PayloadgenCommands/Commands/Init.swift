// SPDX-License-Identifier: MIT

import AppBundles
import ArgumentParser
import Files
import SourceText

/// `payloadgen init`.
struct Init: Command {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a first campaign, a profile and a .payloadgen.yml.",
        discussion: "Existing files are not changed."
    )

    @Argument(help: "The folder of the project.")
    var folder: String = "."

    @OptionGroup var color: ColorOption

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        for file in FirstFile.all {
            let path = FolderWalk.path(file.path, in: folder)
            if FolderWalk.item(at: path) != nil {
                console.log("kept '\(path)'")
                continue
            }
            do throws(FileError) {
                let root = ProjectRoot(around: folder)
                try FileReplacement.write(Array(file.text.utf8), to: path, in: root, makesFolders: true)
            } catch {
                throw CommandFailure(error)
            }
            console.log("wrote '\(path)'")
        }
        let campaign = FolderWalk.path(FirstFile.campaign.path, in: folder)
        let profile = FolderWalk.path(FirstFile.profile.path, in: folder)
        console.log("next: payloadgen render \(campaign) --profile \(profile)")
        return .success
    }
}

/// A file of a new project.
private struct FirstFile {
    let path: String
    let text: String

    static let all = [campaign, profile, configuration]

    static let campaign = FirstFile(
        path: "templates/welcome.campaign.yml",
        text: """
            # A first push: the title and the body are Liquid, and the pairs under 'extras' go to the app.
            version: 1
            campaign: {name: Welcome}

            push:
              title: "Welcome, {{ ${first_name} | default: 'there' }}"
              body: "You have {{ custom_attribute.${points} | default: 0 }} points."
              extras:
                points: "{{ custom_attribute.${points} | default: 0 }}"

            tests:
              - name: a user with points
                profile: ../profiles/ana.json
                expect:
                  aps: {alert: {title: "Welcome, Ana", body: You have 42 points.}}
                  extras: {points: "42"}

            """
    )

    static let profile = FirstFile(
        path: "profiles/ana.json",
        text: """
            {
              "external_id": "user-1",
              "first_name": "Ana",
              "custom_attributes": {
                "points": 42
              }
            }

            """
    )

    static let configuration = FirstFile(
        path: ".payloadgen.yml",
        text: """
            # What payloadgen knows of this project. Paths are relative to this file.
            version: 1

            # The folders that hold the campaigns.
            campaigns: [templates]

            # The apps that campaigns are sent to, each a folder, or the JSON that 'payloadgen app' writes; a campaign
            # names its own with 'app: NAME'.
            # apps:
            #   MyApp: ios/MyApp

            # Categories that need no extension of the app.
            # external_categories: [news_digest]

            # Severities of rules: error, warning, info or off. 'payloadgen rules' lists all.
            # rules: {empty-key: off}

            # What is left out of folders, as in .gitignore.
            # exclude: [Vendor]

            """
    )
}
