// SPDX-License-Identifier: MIT

import Testing

/// The test of the documentation's pages finds mistakes on a page.
@Suite struct PageCheckTests {
    private static let repository = Result { try Repository().only("Tests/DocumentationTests/Samples/") }

    private func check(_ text: String, exceptions: [NotRun] = []) throws -> PageCheck {
        try PageCheck(
            Page(path: "page.md", text: text),
            exceptions: exceptions,
            repository: Self.repository.get()
        )
    }

    @Test func `files, variables and the folder go from one block to the next`() throws {
        let page = """
            ```shell
            cat >note.txt <<'EOF'
            noted
            EOF
            here=$PWD/note.txt; mkdir sub; cd sub
            ```

            ```console
            $ cat \\
                "$here"
            noted
            $ echo first >&2; false
            first
            $ echo $?
            1
            ```

            ```shell
            printf 'no newline'
            ```

            ```text
            no newline
            ```
            """
        #expect(try check(page).faults.map(\.message) == [])
    }

    @Test func `what is printed otherwise is shown with its line, and corrected`() throws {
        let page = """
            ```console
            $ printf 'a\\nb\\n'
            a
            c
            $ true
            more
            ```
            """
        let check = try check(page)
        #expect(check.faults.map(\.line) == [2, 5])
        #expect(check.faults.first?.message == "prints something else\n  a\n- c\n+ b")
        #expect(
            check.corrected == """
                ```console
                $ printf 'a\\nb\\n'
                a
                b
                $ true
                ```
                """
        )
    }

    @Test func `a command that fails and one that ends the shell are found`() throws {
        let faults = try check("```shell\nfalse\n```\n\n```shell\nexit 0\n```\n\n```shell\ntrue\n```\n").faults
        #expect(faults.map(\.line) == [2, 6, 10])
        #expect(faults.first?.message.hasPrefix("ends with 1, expected 0") == true)
    }

    @Test(
        arguments: [
            "```\n$ true\n```", "```bash\ntrue\n```", "```text\nalone\n```", "```console\ntrue\n```",
            "```console\n$ true \\\n```", "```shell\ntrue",
            "    $ true", "- item\n  ```shell\n  true\n  ```", "~~~\ntrue\n~~~", "```liquid\n{{ a }}\n```",
            "```swift\nlet notQuoted = 1\n```", "```yaml\nnot: quoted\n```", "```yaml\na: [\n```", "```python\n(\n```",
            "```json\n{\"not\": \"quoted\"}\n```",
            "```yaml\nversion: 1\npush: {titel: Hi}\n```",
            "```yaml\nrepos: [{hooks: [{id: payloadgen-lnit}]}]\n```",
            "```yaml\n- uses: owner/payloadgen@main\n  with: {path: App}\n```",
            "```yaml\njob: {script: 'true', artifacts: {reports: {codequality: missing.json}}}\n```",
        ]
    )
    func `a fence that is not run is found`(_ page: String) throws {
        #expect(try !check(page + "\n").faults.isEmpty)
    }

    @Test func `a fence in the list is not run, and one that is not on the page any more is found`() throws {
        let exceptions = ["make install", "gone"].map { NotRun(page: "page.md", text: $0, reason: "a test") }
        let faults = try check("```shell\nmake install\n```\n", exceptions: exceptions).faults
        #expect(faults.count == 1)
        #expect(faults.first?.message.contains("gone") == true)
    }

    @Test func `code that is nearly quoted is compared with its source`() throws {
        let page = "```swift\nlet template = try Template(\"Hi {{ name | default: 'you' }}\")\nvar other = 1\n```\n"
        let message = try #require(try check(page).faults.first?.message)
        #expect(message.contains("the nearest is Tests/DocumentationTests/Samples/DocCSamples.swift:"))
        #expect(message.contains("\n- var other = 1\n+ var renderer = "))
    }
}
