// SPDX-License-Identifier: MIT

package import DiagnosticSources
package import POSIXFiles
package import PayloadKit
package import PayloadLinting

/// Everything that a preview shows, as the command line and the configuration name it.
package struct PreviewInputs: Sendable {
    /// The paths of the campaigns.
    package var campaigns: [String]

    /// The folders that campaigns must not lead out of, by the paths of those that are not named but found.
    package var roots: [String: ProjectRoot]

    /// The configuration of the project.
    package var configuration: ProjectConfiguration?

    /// How campaigns are rendered.
    package var options: RenderOptions

    /// Whether an option gives `now`; else a test of the campaign may give it.
    package var hasNow: Bool

    /// The properties of the API trigger; nil for those of the campaign's first test that has any.
    package var triggerProperties: LiquidObject?

    /// The file of ``triggerProperties``, and that of the properties of the event; nil where options name none.
    package var propertyFiles: (trigger: SourceFile?, event: SourceFile?)

    /// The app of the options; nil for the one that `lint` finds for the campaign.
    package var app: App?

    /// The project of the app of the options, for findings in its files; nil where there is none.
    package var project: ProjectApps?

    /// How the tests of campaigns are run: as `payloadgen test` does, without the options of the preview.
    package var testOptions: RenderOptions

    /// The files with profiles.
    package var profiles: [ProfileFile]

    /// Whether options name the profiles; else those of the campaign's tests are shown too.
    package var hasProfiles: Bool

    /// The findings about files and folders that are not read.
    package var findings: [Diagnostic]

    /// The paths of the files that were read, other than campaigns.
    package var files: [String]

    /// When reading them began, as ``FileStatus/clock`` has it: a file that changed since may have been read before.
    package var start: Int

    /// Creates the inputs.
    package init(
        campaigns: [String],
        roots: [String: ProjectRoot] = [:],
        configuration: ProjectConfiguration?,
        options: RenderOptions,
        hasNow: Bool,
        triggerProperties: LiquidObject?,
        propertyFiles: (trigger: SourceFile?, event: SourceFile?) = (nil, nil),
        app: App?,
        project: ProjectApps? = nil,
        testOptions: RenderOptions,
        profiles: [ProfileFile],
        hasProfiles: Bool,
        findings: [Diagnostic] = [],
        files: [String],
        start: Int
    ) {
        self.campaigns = campaigns
        self.roots = roots
        self.configuration = configuration
        self.options = options
        self.hasNow = hasNow
        self.triggerProperties = triggerProperties
        self.propertyFiles = propertyFiles
        self.app = app
        self.project = project
        self.testOptions = testOptions
        self.profiles = profiles
        self.hasProfiles = hasProfiles
        self.findings = findings
        self.files = files
        self.start = start
    }
}

extension PreviewInputs {
    /// The files that a campaign may refer to.
    func folder(around path: String) -> DiskFolder {
        var folder = DiskFolder(around: path)
        folder.keepsNewlineOfBlocks = configuration?.keepsNewlineOfBlocks ?? false
        folder.workspace = configuration?.workspace
        return folder
    }
}

/// How a preview behaves, whatever it shows.
package struct PreviewSettings: Sendable {
    /// The version of the program.
    package var version: String

    /// Whether the page neither edits nor saves.
    package var isReadOnly = false

    /// Whether values of profiles are replaced by samples.
    package var redacts = false

    /// The numbers or names of the people that are shown; nil for all.
    package var people: [String]?

    /// Whether only people are shown who together reach every branch.
    package var isOnePerBranch = false

    /// Whether images may be fetched, each when somebody asks for it.
    package var fetchesImages = false

    /// The number of the port; 0 for any free one.
    package var port: UInt16 = 0

    /// Creates the settings.
    package init(version: String) { self.version = version }
}

/// Why a preview cannot be shown.
package struct PreviewProblem: Error {
    /// What is wrong: lower case, no full stop.
    package let message: String

    /// Creates a problem.
    package init(_ message: String) { self.message = message }
}
