// SPDX-License-Identifier: MIT

// Drives the engine from outside: an acceptance suite over JSON-RPC, workloads to be measured, or templates made to break it.

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
case "fuzz":
    let arguments = Array(CommandLine.arguments.dropFirst(2))
    guard arguments.count > 2, let seconds = Int(arguments[0]), let seed = UInt64(arguments[1]) else {
        Console.fail("usage: liquid-server fuzz SECONDS SEED FILE...")
    }
    Fuzz.run(seconds: seconds, seed: seed, files: Array(arguments[2...]))
default:
    Console.fail("usage: liquid-server rpc | liquid-server bench FILE... | liquid-server fuzz SECONDS SEED FILE...")
}
