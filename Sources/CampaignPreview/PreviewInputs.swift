// SPDX-License-Identifier: MIT

package import DiagnosticSources
package import POSIXFiles
package import PayloadKit
package import PayloadLinting

/// All inputs of a preview, from the command line and the configuration.
package struct PreviewInputs: Sendable {
    /// The paths of the campaigns.
    package var campaigns: [String]

    /// For each campaign that was found in a folder and not named, the root of its project; the campaign reads nothing
    /// outside this root.
    package var roots: [String: ProjectRoot] = [:]

    /// The configuration of the project.
    package var configuration: ProjectConfiguration?

    /// The options for rendering campaigns.
    package var options: RenderOptions

    /// Whether an option sets `now`; if not, a test of the campaign may set it.
    package var hasNow = false

    /// The properties of the API trigger; nil to use those of the first test that has any.
    package var triggerProperties: LiquidObject?

    /// The files with the properties of the API trigger and of the event; nil if the options name none.
    package var propertyFiles: (trigger: SourceFile?, event: SourceFile?) = (nil, nil)

    /// The app that the options name; nil to use the app that `lint` finds for the campaign.
    package var app: App?

    /// The project of the app that the options name, for findings in its files; nil if there is none.
    package var appCheck: AppCheck?

    /// The options with which the tests of campaigns are run, as `payloadgen test` runs them, without the options of
    /// the preview.
    package var testOptions: RenderOptions

    /// The files with profiles.
    package var profiles: [ProfileFile] = []

    /// Whether the options name profiles.
    ///
    /// If not, the profiles of the campaign's tests are shown as well.
    package var hasProfiles = false

    /// The findings about files and folders that are not read.
    package var findings: [Diagnostic] = []

    /// The paths of the files and folders that were read, other than campaigns.
    package var files: [String] = []

    /// The time when reading the inputs began, from ``FileStatus/clock``; a file that changed after that may have been
    /// read before its change.
    package var start: Int

    /// Creates the inputs.
    package init(campaigns: [String], options: RenderOptions, testOptions: RenderOptions, start: Int) {
        self.campaigns = campaigns
        self.options = options
        self.testOptions = testOptions
        self.start = start
    }
}

extension PreviewInputs {
    /// The folder with the files to which a campaign can refer.
    func folder(around path: String) -> DiskFolder {
        DiskFolder(around: path, configuration)
    }
}

/// Settings for how a preview behaves, whatever its inputs are.
package struct PreviewSettings: Sendable {
    /// The version of the program.
    package var version: String

    /// Whether the page can neither edit nor save campaigns.
    package var isReadOnly = false

    /// Whether samples are shown instead of the values of profiles.
    package var redacts = false

    /// The numbers or names of the people who are shown; nil for all.
    package var people: [String]?

    /// Whether only a few people are shown, who together take every branch.
    package var isOnePerBranch = false

    /// Whether images may be fetched; each is fetched only when the user asks for it.
    package var fetchesImages = false

    /// The port at which the page is served; 0 for any free one.
    package var port: UInt16 = 0

    /// Creates the settings.
    package init(version: String) { self.version = version }
}

/// Why a preview, or a part of it, cannot be shown.
package struct PreviewProblem: Error {
    /// What is wrong: lower case, no full stop.
    package let message: String

    /// Creates a problem.
    package init(_ message: String) { self.message = message }
}
