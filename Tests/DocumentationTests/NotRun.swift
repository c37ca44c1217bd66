// SPDX-License-Identifier: MIT

/// A code fence that no test can run: its page, its exact text, and the reason.
struct NotRun: Sendable {
    let page: String
    let text: String
    let reason: String

    static let all = [
        NotRun(
            page: "README.md",
            text: """
                git clone … payloadgen && cd payloadgen
                make render     # installs missing packages, builds, and renders three campaigns checked against examples/BookDemo
                make test       # installs missing packages, builds, and runs the tests
                make install    # copies the command to /usr/local/bin; PREFIX=… for another folder
                make dist       # writes an archive, a wheel and a Debian package for machines without Swift to .build/dist
                """,
            reason: "needs the server, and builds for minutes"
        ),
        NotRun(
            page: "docs/ci.md",
            text: """
                swift package payloadgen lint
                swift package --allow-writing-to-package-directory payloadgen lint --fix
                """,
            reason: "needs another package that depends on this one"
        ),
        NotRun(
            page: "docs/ci.md",
            text: """
                .target(name: "App", plugins: [.plugin(name: "LintCampaigns", package: "payloadgen-plugins")])
                """,
            reason: "a line of another package's manifest; make consumers builds one with the plugin"
        ),
        NotRun(
            page: "docs/ci.md",
            text: """
                #!/bin/sh
                command -v payloadgen >/dev/null || brew install …/payloadgen/payloadgen
                cd "${CI_PRIMARY_REPOSITORY_PATH:-.}"
                payloadgen lint --format xcode --fail-level warning && payloadgen test
                """,
            reason: "prints the results of all tests of this repository"
        ),
        NotRun(
            page: "docs/ci.md",
            text: """
                docker load --input payloadgen-0.1.0-linux-x86_64-image.tar
                docker run --rm --volume "$PWD:/work" payloadgen lint
                """,
            reason: "needs an engine of containers"
        ),
        NotRun(
            page: "docs/editors.md",
            text: """
                vim.lsp.config("payloadgen", { cmd = { "payloadgen", "lsp" }, filetypes = { "yaml", "json", "liquid" }, \
                root_markers = { ".payloadgen.yml", ".git" } })
                vim.lsp.enable("payloadgen")
                """,
            reason: "needs Neovim 0.11; make test-editors runs Neovim's client"
        ),
        NotRun(
            page: "docs/editors.md",
            text: """
                (with-eval-after-load 'eglot
                  (add-to-list 'eglot-server-programs '((yaml-mode yaml-ts-mode) . ("payloadgen" "lsp"))))
                """,
            reason: "needs Emacs; make test-editors runs Eglot"
        ),
        NotRun(
            page: "docs/editors.md",
            text: """
                [language-server.payloadgen]
                command = "payloadgen"
                args = ["lsp"]

                [[language]]
                name = "yaml"
                language-servers = ["yaml-language-server", "payloadgen"]

                [[language]]
                name = "liquid"
                scope = "text.liquid"
                file-types = ["liquid"]
                language-servers = ["payloadgen"]
                """,
            reason: "needs Helix"
        ),
        NotRun(
            page: "docs/editors.md",
            text: """
                {
                  "glspc.server.command": "payloadgen",
                  "glspc.server.commandArguments": ["lsp"],
                  "glspc.server.languageId": ["yaml", "json", "html"],
                  "files.associations": {"*.liquid": "html"}
                }
                """,
            reason: "needs Visual Studio Code"
        ),
        NotRun(
            page: "docs/check-what-is-live.md",
            text: """
                version: 1
                apps: {Shop: ios/Shop}
                pull: {url: "https://rest.iad-01.braze.com", into: braze}
                """,
            reason: "a part of a configuration"
        ),
        NotRun(
            page: "docs/check-what-is-live.md",
            text: """
                export BRAZE_API_KEY=…
                payloadgen pull && payloadgen lint -q
                """,
            reason: "needs a key of a Braze workspace"
        ),
        NotRun(
            page: "docs/check-what-is-live.md",
            text: """
                live-campaigns:
                  rules: [{if: $CI_PIPELINE_SOURCE == "schedule"}]
                  script:
                    - payloadgen pull --prune --url https://rest.iad-01.braze.com
                    - payloadgen lint --format text --format gitlab=gl-code-quality-report.json
                  artifacts: {when: always, reports: {codequality: gl-code-quality-report.json}}
                """,
            reason: "needs a key of a Braze workspace"
        ),
        NotRun(
            page: "docs/library.md",
            text: """
                // swift-tools-version: 6.2
                import PackageDescription

                let package = Package(
                    name: "library",
                    platforms: [.macOS(.v12)],
                    dependencies: [
                        .package(url: "https://github.com/…/payloadgen", branch: "main", traits: ["Digests"])
                    ],
                    targets: [
                        .executableTarget(
                            name: "RenderCampaigns",
                            dependencies: [.product(name: "PayloadKit", package: "payloadgen")]
                        )
                    ]
                )
                """,
            reason: "a manifest of another package; make consumers builds it with the path of this one"
        ),
        NotRun(
            page: "Sources/InAppMessages/InAppMessages.docc/GuideCode.md",
            text: """
                AppDelegate.braze?.inAppMessagePresenter = BrazeInAppMessageUI()
                """,
            reason: "quotes the guide; Braze's SDK is not a dependency"
        ),
        NotRun(
            page: "Sources/InAppMessages/InAppMessages.docc/GuideCode.md",
            text: """
                let customization = message.extras["custom-display"] as? String
                """,
            reason: "quotes the guide; Braze's SDK is not a dependency"
        ),
        NotRun(
            page: "examples/cluster/README.md",
            text: #"""
                tar czf project.tar.gz templates blocks trigger.json
                spark-submit --files payloadgen --archives project.tar.gz#project --py-files records.py spark_job.py \
                    [--input-format FORMAT] [--max-failed 1%] INPUT OUTPUT -- \
                    ./payloadgen render project/templates/lab.campaign.yml --trigger-properties project/trigger.json \
                    --now 2026-11-20T09:00:00Z
                """#,
            reason: "needs Java and Spark; make test-spark runs the job"
        ),
        NotRun(
            page: "examples/cluster/README.md",
            text: #"""
                python ray_job.py [--max-failed 1%] INPUT OUTPUT -- \
                    payloadgen render lab.campaign.yml --trigger-properties trigger.json --now 2026-11-20T09:00:00Z
                """#,
            reason: "needs Ray; make test-ray runs the job"
        ),
        NotRun(
            page: "examples/cluster/README.md",
            text: #"""
                python topic_job.py [--set NAME=VALUE...] SERVERS GROUP INPUT OUTPUT -- \
                    payloadgen render lab.campaign.yml --trigger-properties trigger.json --now 2026-11-20T09:00:00Z
                """#,
            reason: "needs a broker; make test-topic runs the job"
        ),
    ]
}
