// SPDX-License-Identifier: MIT

// Runs the engine for other programs: serves acceptance suites over JSON-RPC, or measures workloads.

switch CommandLine.arguments.dropFirst().first {
case "rpc":
    var server = Server()
    while !server.hasQuit, let line = readLine(strippingNewline: true) {
        if let answer = server.answer(line) { Console.write(answer) }
    }
case "bench":
    let files = CommandLine.arguments.dropFirst(2)
    if files.isEmpty { Console.fail("usage: liquid-server bench FILE...") }
    for file in files { Bench.run(file) }
default:
    Console.fail("usage: liquid-server rpc | liquid-server bench FILE...")
}
