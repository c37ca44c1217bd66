// SPDX-License-Identifier: MIT

import LiquidTemplates
import Testing

@Suite struct FiltersStringTests {
    @Test(arguments: [
        FilterCall("append", nil, 5, gives: #""5""#),
        FilterCall("prepend", "a", [1, "b"], gives: #""[1, \"b\"]a""#),
        FilterCall("upcase", "ßéﬁǆı", gives: #""SSÉFIǄI""#),
        FilterCall("downcase", "ΑΣ İ", gives: "\"ασ i\u{307}\""),
        FilterCall("capitalize", "ǆABC ÀÉ", gives: #""ǅabc àé""#),
        FilterCall("capitalize", "ßABC", gives: #""Ssabc""#),
        FilterCall("strip", "\0 \t\n\u{B}a b\u{A0}\0 ", gives: "\"a b\u{A0}\""),
        FilterCall("rstrip", " \n", gives: #""""#),
        FilterCall("lstrip", " a ", gives: #""a ""#),
        FilterCall("squish", "  a \n\t b\u{A0} c ", gives: "\"a b\u{A0} c\""),
        FilterCall("squish", nil, gives: "nil"),
        FilterCall("strip_newlines", "a\r\nb\rc\n", gives: #""ab\rc""#),
        FilterCall("newline_to_br", "a\r\nb\r\r\n", gives: #""a<br />\nb\r<br />\n""#),
    ])
    func `case and white space`(_ call: FilterCall) {
        #expect(call.outcome() == call.result)
    }

    @Test(arguments: [
        FilterCall("size", "e\u{301}", gives: "2"),
        FilterCall("size", 5, gives: "8"),
        FilterCall("slice", "héllo", 1, 3, gives: #""éll""#),
        FilterCall("slice", "hello", -3, 2, gives: #""ll""#),
        FilterCall("slice", "hello", 6, gives: #""""#),
        FilterCall("slice", "hello", 1, .big("1180591620717411303424"), gives: #""ello""#),
        FilterCall("slice", "hello", "0x1", gives: #""e""#),
        FilterCall("slice", "hello", 1.0, gives: "error: invalid integer"),
        FilterCall("slice", "hello", "1__0", gives: "error: invalid integer"),
        FilterCall("slice", [1, [2], 3], 1, 5, gives: "[[2], 3]"),
        FilterCall("truncate", "héllo wörld", 8, gives: #""héllo...""#),
        FilterCall("truncate", "hello", 2, gives: #""...""#),
        FilterCall("truncate", "hello", 5, gives: #""hello""#),
        FilterCall("truncate", "hello", nil, gives: "error: invalid integer"),
        FilterCall("truncatewords", "a  b c", 2, gives: #""a b...""#),
        FilterCall("truncatewords", "a b ", 2, gives: #""a b...""#),
        FilterCall("truncatewords", " a  b", 2, gives: #"" a  b""#),
        FilterCall("truncatewords", "a b", -1, gives: #""a...""#),
        FilterCall("split", "a,b,,c,,", ",", gives: #"["a", "b", "", "c"]"#),
        FilterCall("split", " a  b\0 \n c ", " ", gives: "[\"a\", \"b\\u0000\", \"c\"]"),
        FilterCall("split", "aé", "", gives: #"["a", "é"]"#),
        FilterCall("split", ",,", ",", gives: "[]"),
    ])
    func `length and parts count code points`(_ call: FilterCall) {
        #expect(call.outcome() == call.result)
    }

    @Test(arguments: [
        FilterCall("replace", "abc", "", "-", gives: #""-a-b-c-""#),
        FilterCall("replace", "é", "e", "x", gives: #""é""#),
        FilterCall(
            "replace",
            "abcb",
            "b",
            #"[\0|\&|\`|\'|\\|\1|\x|\"#,
            gives: #""a[b|b|a|cb|\\||\\x|\\c[b|b|abc||\\||\\x|\\""#
        ),
        FilterCall("replace", "abc", "b", #"\k<a>"#, gives: "error: internal"),
        FilterCall("replace_first", "abab", "b", "x", gives: #""axab""#),
        FilterCall("replace_last", "aaa", "aa", "x", gives: #""ax""#),
        FilterCall("replace_last", "abc", "b", #"\0"#, gives: #""a\\0c""#),
        FilterCall("replace_last", "abc", nil, "x", gives: #""abcx""#),
        FilterCall("remove", "abcb", "b", gives: #""ac""#),
        FilterCall("remove_first", "abcb", "b", gives: #""acb""#),
        FilterCall("remove_last", "abcb", "b", gives: #""abc""#),
    ])
    func replacements(_ call: FilterCall) {
        #expect(call.outcome() == call.result)
    }

    @Test(arguments: [
        FilterCall("escape", "<>&\"'é", gives: #""&lt;&gt;&amp;&quot;&#39;é""#),
        FilterCall("escape", nil, gives: "nil"),
        FilterCall("escape_once", "&lt;&#39;&#x27;& &;<", gives: #""&lt;&#39;&amp;#x27;&amp; &amp;;&lt;""#),
        FilterCall("strip_html", "<script>a</script>b<!-- > --><style>d</style><p\n>x</p><", gives: #""bx<""#),
        FilterCall("strip_html", "<!-->a-->b", gives: #""b""#),
        FilterCall("url_encode", "a b*~é/", gives: #""a+b%2A~%C3%A9%2F""#),
        FilterCall("url_decode", "a+b%20c%zz%4", gives: #""a b c%zz%4""#),
        FilterCall("url_decode", "%ff", gives: "error: invalid byte sequence in UTF-8"),
        FilterCall("base64_encode", "é?", gives: #""w6k/""#),
        FilterCall("base64_decode", "YWI=", gives: #""ab""#),
        FilterCall("base64_decode", "YQ", gives: "error: invalid base64 provided to base64_decode"),
        FilterCall("base64_decode", "YR==", gives: "error: invalid base64 provided to base64_decode"),
        FilterCall("base64_url_safe_encode", "???>>>a", gives: #""Pz8_Pj4-YQ==""#),
        FilterCall("base64_url_safe_decode", "Pz8/Pj4-YQ", gives: #""???>>>a""#),
        FilterCall("base64_url_safe_decode", "Y", gives: "error: invalid base64 provided to base64_url_safe_decode"),
    ])
    func encodings(_ call: FilterCall) {
        #expect(call.outcome() == call.result)
    }

    @Test(arguments: [
        FilterCall("append", "aaaaaaaaaa", "b", gives: "error: Memory limits exceeded"),
        FilterCall("replace", "aaaaaaaaaa", "", #"\`\'"#, gives: "error: Memory limits exceeded"),
        FilterCall("join", [nil, nil, nil], "aaaaaa", gives: "error: Memory limits exceeded"),
        FilterCall("sort_natural", [1234, 5678, 9012], gives: "error: Memory limits exceeded"),
        FilterCall("reverse", .range(LiquidRange(1, .max)), gives: "error: Memory limits exceeded"),
        FilterCall("split", .string(String(repeating: "a", count: 20_000)), "", gives: "error: Memory limits exceeded"),
    ])
    func `results stay in their limit`(_ call: FilterCall) {
        #expect(call.outcome(stringLimit: 10) == call.result)
    }
}
