// SPDX-License-Identifier: MIT

import Testing

@testable import PayloadLinting

/// Which numeric addresses are those of the public internet.
@Suite struct HostAddressTests {
    @Test(arguments: [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255",
        "192.168.1.1", "192.0.0.8", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "fe80::", "fc01::",
        "2002:a00::", "2001::", "::ffff:127.0.0.1", "64:ff9b::10.0.0.1",
    ])
    func `addresses of private networks are not public`(text: String) throws {
        #expect(try !#require(HostAddress(text)).isPublic)
    }

    @Test func `public addresses are`() throws {
        let google = try #require(HostAddress("2001:4860:4860::8888"))
        #expect(google.isPublic && google.text == "[2001:4860:4860:0:0:0:0:8888]")
        #expect(try #require(HostAddress("93.184.215.14")).isPublic)
        #expect(try #require(HostAddress("172.32.0.1")).isPublic)
    }

    @Test func `a name is not an address`() { #expect(HostAddress("example.com") == nil) }
}
