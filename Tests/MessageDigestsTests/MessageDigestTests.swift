// SPDX-License-Identifier: MIT

import DiagnosticSources
import MessageDigests
import Testing

/// Digests and codes are those of Python's `hashlib` and OpenSSL, for lengths around the size of a block.
@Suite struct MessageDigestTests {
    @Test(arguments: digests)
    func digest(_ algorithm: MessageDigest, _ count: Int, _ expected: String) throws {
        #expect(try hexadecimal(#require(algorithm.digest(of: bytes(count)))) == expected)
    }

    @Test(arguments: codes)
    func authenticationCode(_ algorithm: MessageDigest, _ keyCount: Int, _ expected: String) throws {
        let code = algorithm.authenticationCode(of: bytes(50), key: bytes(keyCount))
        #expect(try hexadecimal(#require(code)) == expected)
    }

    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) } }

    private func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map { $0.hexadecimal(digits: 2) }.joined() }

    private static let digests: [(MessageDigest, Int, String)] = [
        (.md5, 0, "d41d8cd98f00b204e9800998ecf8427e"),
        (.md5, 3, "ed41c1aca5ad5feb033df37822dae4b7"),
        (.md5, 55, "8d24280288a696559fd8d5aa1b6d8c6e"),
        (.md5, 64, "a2fcb39a253b9b785b1f97518fa37683"),
        (.md5, 111, "d33e91d921631eea0d6c25fc96e10524"),
        (.md5, 128, "fe942895e9aae953f3e246e5fd00739d"),
        (.md5, 1000, "de809ff794e91b68f9e91a2b7030bcb0"),
        (.sha1, 0, "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        (.sha1, 3, "75550941124b46eb4161d17ac200c05c4fc03ce7"),
        (.sha1, 55, "aecd1643c9903b9bae8cb94f53c50f8a4e18605b"),
        (.sha1, 64, "1e17ae1fc093e5daca033553c97a5192ca164486"),
        (.sha1, 111, "df2f6197f2b13b38727c3317ee887f0dfae15339"),
        (.sha1, 128, "516846cd40bd1fe431119c3b0a0f362957992ee8"),
        (.sha1, 1000, "38f3aa587f4aa04965a359f9151092759b3a4c2a"),
        (.sha256, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (.sha256, 3, "b361d0f9a938a2bb4fbdc9c21dc5a859788041b0040919d8a811c1888184f4df"),
        (.sha256, 55, "576a1bf8d4478657e6dc4af9398544765c2a92cde28478b019235cfed315fc09"),
        (.sha256, 64, "d8bc63b4fc1156e5e7d95a418b9bf54cd3174bedbc2db40f74895349b229b3c0"),
        (.sha256, 111, "d80a22461ae74d8e6944001e255f9e47eca17702b1dc987238d78e6e1ea3e342"),
        (.sha256, 128, "54c9eb041badfd7064645067b107661fed6113197ce2dd066ba69618abd3732f"),
        (.sha256, 1000, "89f4ff56a25dd1db06a4ce6033603775d705fb96f30f8693733fef602a1ca532"),
        (
            .sha512, 0,
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        ),
        (
            .sha512, 3,
            "9d1d055e0ac16db8b8b3b6c44692743b855129eb6b9fb9706ac623cf5c086ce4"
                + "983ae494e5abeafc77a05e5e95f87c96bf8bd9434bccace808732165a43a6412"
        ),
        (
            .sha512, 55,
            "1fa86069db165162601ddc6103789cbca1fe97bc7c32de0d11a62e140f489340"
                + "fc07d2664635a196fbebfb9fa976204882a1b803261b1018c257d24423553fb5"
        ),
        (
            .sha512, 64,
            "9f59bad22a6a8bda005caa01350372bf744703244db0aeb0446d8523012962ce"
                + "d1e49fd8ff703523938926a0dbbb023920b07cce073352920635bb28cad8e104"
        ),
        (
            .sha512, 111,
            "d2026b9857418e96d800f55017d1c1566c027453ff240da88f0a25558fabf5d6"
                + "ffbe00bb14bc04f120af1cac53f21cb4a81765140b9249f52aaab4935079dd94"
        ),
        (
            .sha512, 128,
            "6e7f10bc87eacc3e98014eaade39e273285ba13c79231361c24c304a8d409018"
                + "f543a28847fcc829b87fdde605caa5ab5fdb00e296737fa4687d5ee8d130ceea"
        ),
        (
            .sha512, 1000,
            "5c3d2be85b82f8ace3dbd4cf34e814cf68201a9f3e5730253ee42fd46fbe6db2"
                + "e68ab158e76a103df431f3ad279d8fa3ff6b148e21ced56feb321a6d28d101f1"
        ),
    ]

    private static let codes: [(MessageDigest, Int, String)] = [
        (.md5, 0, "0d3cd74b469be16e80fe60121d4d7e56"),
        (.md5, 20, "e5af0cf50fb37d736210c3a83a5c86f0"),
        (.md5, 64, "a2f5018fa4578934df43585100abbf49"),
        (.md5, 65, "fa9e453f455228135e6f4f30cdf04199"),
        (.md5, 128, "08ad7470acf4514b8383e823951820f1"),
        (.md5, 129, "4a971a8420c3e945deecfaf74e59ddd8"),
        (.sha1, 0, "a4a72cb63695f803e1efd7dc7621a339f40d99e3"),
        (.sha1, 20, "1ea989f6a097ce709e37295622ef80b53d734ade"),
        (.sha1, 64, "161b10b91eb02dab5ba96673a5a6521fc54ee6de"),
        (.sha1, 65, "91203d63bd1dc78fcce22363fa1bb594439b6b01"),
        (.sha1, 128, "1c699bcf133d213c553bc6529f4aae09314e7d9c"),
        (.sha1, 129, "75cd24da35350664e41e3a11c7e094f37ad75d5c"),
        (.sha256, 0, "a093569159b423bf12970684179c2b0675334f6eb337186b06de2deed0c280a3"),
        (.sha256, 20, "adc6dbb6cb348283fc9b71fd3f2e0b95d5a506f8f58085e37d478b0ee090e8f4"),
        (.sha256, 64, "d5a1f61da341324d5ba9df89c2db52e5bdf2ede72ad4816002adb4cda7ce6e8b"),
        (.sha256, 65, "04e26329acc680545ac5e8c487737902df3f5bae7be92d81b969f0ed4cc16980"),
        (.sha256, 128, "8109e5b9ba6e4e034e1c8cf60509fbd426f7fb5593059dacce859cb445aacbd6"),
        (.sha256, 129, "a4cdbd81d6c0474c8ea3c972d44a1690eb8107306b22eaf6b47da32559002fb7"),
        (
            .sha512, 0,
            "e7f05bc180a81d2e3a5565e49a0500bf7cdba6fca8760272bb361d41b82c9e5e"
                + "6ee7854d44f58fa0844a17dafd391d3dd4076d2a95b6d20cc7117247f9b48128"
        ),
        (
            .sha512, 20,
            "361433ede5ac944ec67434455612b4453034236325502b569d6b7a4e59d151ec"
                + "f302007e1071df6f859d43c48e1d750b2d5cae3f258f4a970a466feef8998924"
        ),
        (
            .sha512, 64,
            "ad32ad72f74b9a41bcc5cac6ac07779eeea795a76396ac973a29201abec9b806"
                + "913cd1d0eb5dd0cbff095934545e7e5f08b7c999ff60518c48d9edfc1a8cb321"
        ),
        (
            .sha512, 65,
            "2c5beb6a1573d9d6d761074158cefe22c8e7c449b9d019f89d72ddcdd04c1586"
                + "0ea25402695f911cb769296c1266bc000c62979cbead9ad4d67d0522ff27bc1a"
        ),
        (
            .sha512, 128,
            "2d320668c27e72db7b48cc7eedaa64a495b34ee64421ef9dc8ed74a435eb086d"
                + "f729545ec803a4c0be6fcdbfc298d1c60472951438b6404ca4c3a3fd2c9839f4"
        ),
        (
            .sha512, 129,
            "f7211c2de7d877babc0094fbd7d6bad4627fd1c056cf9ffa12ec77c98e685a1a"
                + "86a154aabea83d60c215b5b232c03b9b44db8ecbbe121971f73c209c0f5657bd"
        ),
    ]
}
