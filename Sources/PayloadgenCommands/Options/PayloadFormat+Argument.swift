// SPDX-License-Identifier: MIT

public import ArgumentParser
public import PayloadKit

/// Lets `render --format` accept the names of the library's formats.
extension PayloadFormat: ExpressibleByArgument {}
