// SPDX-License-Identifier: MIT

import AppDeclarations
import ArgumentParser
import DiagnosticSources
import POSIXFiles
import PayloadKit

/// `payloadgen init`: writes the first files of a project.
struct Init: Command {
    static let configuration = CommandConfiguration(
        commandName: "init",
        _superCommandName: Payloadgen.name,
        abstract: "Write a first campaign, a profile and a .payloadgen.yml.",
        discussion: """
            Where the folder holds an app, each category that its content extensions claim gets a campaign with the \
            key-value pairs that the extension reads, by its payloadgen.extras.yml or else by its code. Existing files are \
            not changed.

            Example: payloadgen init demo && cd demo && payloadgen test
            """
    )

    @Argument(help: "The folder of the project.")
    var folder: String = "."

    @OptionGroup var color: ColorOption

    func validate() throws { try Inputs.refuseEmpty([("argument", folder)]) }

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let campaigns = campaigns(on: console)
        let first = campaigns.isEmpty ? [FirstFile.welcome] : campaigns.map { FirstFile(path: $0.path, text: $0.text) }
        for file in first + [.profile, .configuration] {
            let path = FolderWalk.path(file.path, in: folder)
            if FolderWalk.item(at: path) != nil {
                console.log("kept '\(path)'")
                continue
            }
            let (bytes, root) = (Array(file.text.utf8), ProjectRoot(around: folder))
            try orFail(file: FileReplacement.write(bytes, to: path, over: .nothing, in: root, makesFolders: true))
            console.log("wrote '\(path)'")
        }
        let campaign = campaigns.first?.path ?? FirstFile.welcome.path
        let start = folder == "." ? "" : "cd \(folder) && "
        console.log("next: \(start)payloadgen render \(campaign) --profile \(FirstFile.profile.path)")
        return .success
    }

    /// First campaigns for the apps in the folder; empty if no app claims a category, or the project cannot be read.
    private func campaigns(on console: Console) -> [FirstCampaign] {
        guard FolderWalk.item(at: folder) != nil else { return [] }
        let campaigns: [FirstCampaign]
        do throws(InputError) {
            campaigns = FirstCampaign.all(for: try Project([folder], options: ProjectOptions()).apps.map(\.app))
        } catch {
            console.log("no campaign for an app: the project cannot be read; 'payloadgen lint' reports why")
            return []
        }
        if campaigns.count > FirstCampaign.limit {
            console.log("\(campaigns.count - FirstCampaign.limit) more categories get no campaign")
        }
        return Array(campaigns.prefix(FirstCampaign.limit))
    }
}

/// A file that the command writes.
private struct FirstFile {
    let path: String
    let text: String

    static let welcome = FirstFile(
        path: "templates/welcome.campaign.yml",
        text: """
            # A first push: the title and the body are Liquid, and the key-value pairs under 'extras' go to the app.
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
            # The configuration of payloadgen for this project. Paths are relative to this file.
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
