// SPDX-License-Identifier: MIT

import PayloadgenCommands

Payloadgen.end(with: Array(CommandLine.arguments.dropFirst()))
