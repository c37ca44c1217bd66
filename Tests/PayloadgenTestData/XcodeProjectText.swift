// SPDX-License-Identifier: MIT

/// The text of a small `project.pbxproj`, made from its targets.
package struct XcodeProjectText {
    /// A target of the project, with its product type and settings.
    package struct Target {
        package var name: String
        package var type: String
        package var settings: [String: String]
        package var debugSettings: [String: String]
        package var embeds: [String]

        /// Describes a target; `type` is the last part of its product type, such as `application`.
        package init(
            _ name: String,
            type: String = "app-extension",
            _ settings: [String: String],
            debug debugSettings: [String: String] = [:],
            embeds: [String] = []
        ) {
            self.name = name
            self.type = type
            self.settings = settings
            self.debugSettings = debugSettings
            self.embeds = embeds
        }
    }

    /// The build settings of the project itself.
    package var settings: [String: String]

    /// The path of the `.xcconfig` on which the project's settings are based; nil for none.
    package var configurationFile: String?

    /// The targets of the project.
    package var targets: [Target]

    /// Describes a project.
    package init(_ targets: [Target], settings: [String: String] = [:], configurationFile: String? = nil) {
        self.targets = targets
        self.settings = settings
        self.configurationFile = configurationFile
    }

    /// The text of the file.
    package var text: String {
        var objects = """
            P = { isa = PBXProject; buildConfigurationList = PL; mainGroup = G; targets = ( \(list("T")) ); };
            G = { isa = PBXGroup; children = ( X ); path = Config; sourceTree = "<group>"; };

            """
        if let configurationFile {
            objects += "X = { isa = PBXFileReference; path = \"\(configurationFile)\"; sourceTree = \"<group>\"; };\n"
        }
        objects += configurations("P", settings, settings, base: configurationFile == nil ? nil : "X")
        for target in targets {
            let name = target.name
            let files = target.embeds.map { "F\(name)\($0)" }.joined(separator: ", ")
            objects += """
                T\(name) = { isa = PBXNativeTarget; name = "\(name)"; buildConfigurationList = \(name)L;
                    buildPhases = ( E\(name) ); productReference = R\(name);
                    productType = "com.apple.product-type.\(target.type)"; };
                R\(name) = { isa = PBXFileReference; path = "\(name)"; sourceTree = BUILT_PRODUCTS_DIR; };
                E\(name) = { isa = PBXCopyFilesBuildPhase; dstSubfolderSpec = 13; files = ( \(files) ); };

                """
            for embedded in target.embeds {
                objects += "F\(name)\(embedded) = { isa = PBXBuildFile; fileRef = R\(embedded); };\n"
            }
            let debug = target.settings.merging(target.debugSettings) { $1 }
            objects += configurations(name, target.settings, debug, base: nil)
        }
        return "// !$*UTF8*$!\n{ archiveVersion = 1; objects = {\n\(objects)}; rootObject = P; }\n"
    }

    private func list(_ prefix: String) -> String { targets.map { prefix + $0.name }.joined(separator: ", ") }

    private func configurations(
        _ owner: String,
        _ release: [String: String],
        _ debug: [String: String],
        base: String?
    ) -> String {
        let reference = base.map { "baseConfigurationReference = \($0);" } ?? ""
        func configuration(_ name: String, _ settings: [String: String]) -> String {
            let pairs = settings.sorted { $0.key < $1.key }.map { "\"\($0.key)\" = \"\($0.value)\";" }
            return """
                \(owner)\(name) = { isa = XCBuildConfiguration; name = \(name); \(reference)
                    buildSettings = { \(pairs.joined(separator: " ")) }; };

                """
        }
        return """
            \(owner)L = { isa = XCConfigurationList; defaultConfigurationName = Release;
                buildConfigurations = ( \(owner)Debug, \(owner)Release ); };

            """ + configuration("Debug", debug) + configuration("Release", release)
    }
}
