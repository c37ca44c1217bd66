// SPDX-License-Identifier: MIT

/// A fence that no test can run, by its page and exact text, and why.
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
                .target(name: "App", plugins: [.plugin(name: "LintCampaigns", package: "payloadgen")])
                """,
            reason: "a line of another package's manifest; make consumers builds one with it"
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
            page: "examples/spark/README.md",
            text: #"""
                spark-submit --py-files records.py render_job.py [--form arrow|pipe] INPUT OUTPUT -- \
                    payloadgen render lab.campaign.yml --trigger-properties trigger.json --now 2026-11-20T09:00:00Z
                """#,
            reason: "needs Java and Spark; make test-spark runs the job"
        ),
        NotRun(
            page: "examples/spark/README.md",
            text: """
                pipe: child killed: payloadgen 5407 had read 8,493,998 and written 1,860,452 bytes
                pipe: task killed: payloadgen 6146 had read 8,448,043 and written 1,850,337 bytes
                arrow: child killed: payloadgen 7353 had read 9,240,081 and written 2,020,943 bytes
                arrow: task killed: payloadgen 7816 had read 22,728,764 and written 4,983,052 bytes

                                         rows  lost  doubled  other bytes  tasks failed  seconds  ratio
                one process, 2 jobs   200,002                                                3.4    1.0
                pipe                  200,002     0        0            0             0     35.6   10.6
                pipe, child killed    200,002     0        0            0             1     41.1   12.2
                pipe, task killed     200,002     0        0            0             1     35.7   10.6
                arrow                 200,002     0        0            0             0     38.2   11.3
                arrow, child killed   200,002     0        0            0             1     48.3   14.3
                arrow, task killed    200,002     0        0            0             1     51.3   15.2
                seconds are those of the whole spark-submit, from its start to its end
                """,
            reason: "shows what make test-spark measured on one day"
        ),
    ]
}
