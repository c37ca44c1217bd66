# SPDX-License-Identifier: MIT
"""Random templates of standard Liquid: every tag and filter, well-formed and odd, each from its seed alone."""

import random

NAMES = (
    "a b s arr obj n f nilv t items objs e em x y forloop blank empty nil true false self tablerowloop i str neg ja "
    "nest big d size first cnt item q h ff k p1 it mixed dates"
).split()

FILTERS = (
    "abs append at_least at_most base64_decode base64_encode base64_url_safe_decode base64_url_safe_encode capitalize "
    "ceil compact concat date default divided_by downcase escape escape_once find find_index first floor h has join "
    "last lstrip map minus modulo newline_to_br plus prepend reject remove remove_first remove_last replace "
    "replace_first replace_last reverse round rstrip size slice sort sort_natural split squish strip strip_html "
    "strip_newlines sum times truncate truncatewords uniq upcase url_decode url_encode where nosuch"
).split()

STRINGS = [
    "'a'", '"b c"', "''", "' '", "'3'", "'1.5'", "'-2'", "'foo,bar'", "'日本語'", "'é'", "'<b>x</b>'", "'name'",
    "'price'",
    "'A b C'", '"it\'s"', "'x|y'", "'{{'", "'0x1A'", "' 12abc '", "'1_000'", "'k'", "'Straße'", "'\\\\0'", "'1e3'",
    "'.5'",
    "'안녕 하세요'", "'مرحبا'", "'👨‍👩‍👧👍🏽'", "'e\u0301'", "'ǆ'", "'İ'", "'a\tb\nc'", "'&lt;&amp;&'", "'%41%zz+'",
    "'YWJj'", "'+3'", "'--1'", "'12345678901234567890'", "'99999999999999999999.5'",
    "'<script>a</script>b<!-- c -->d'",
]

NUMBERS = [
    "0", "1", "2", "-1", "3.5", "-0.0", "100", "1.0", "7", "99999999999999999999", "1.25", "-7", "0.1", "2.675", "10",
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1234567.891", "0.000001", "1e3", "00012",
    "123456789012345678901234567890.5",
]

DATES = [
    "'now'", "'today'", "'2020-02-29'", "'2020-02-29 13:05:06'", "'2021-06-03T17:13:41Z'",
    "'2021-06-03T17:13:41+09:00'",
    "'March 14, 2016'", "'14 Mar 2016 1pm'", "'Sat, 29 Oct 1994 19:43:31 GMT'", "'2016-W10-2'", "'2016-075'",
    "1577836800",
    "'1577836800'", "0", "-1", "99999999999", "'12:30'", "'soon'", "'10/11/12'", "'20200229T130506'", "'Jan'",
    "'monday'",
    "'2020-13-45'", "d", "1577836800.5", "9999999999999999999", "'0000-00-00'", "'1969-12-31 23:59:59.999999999'",
]

DIRECTIVES = (
    "a A b B c C d D e F g G h H I j k l L m M n N p P r R s S t T u U v V w W x X y Y z Z % Q E O + i 1"
).split()

ODD = [
    "a b", "a.", "a..b", "(1..", "['a']", "[s]", "a[", "a]", "-", "- 1", "1.2.3", "1.", "a-b", "a?", "'x", '"',
    "&", "a&b",
    "(1..3", "1..3", "a.b?", "a['b", "a.'b'", "#", "@x", "a$b", "(a", "a)", "()", "a:b", "..", "a,b", "a[b][c",
    "-a", "--1",
    "a[[s]]", "['a'].b", "$", "%", "a.-b", "a. b", "a .b", "a [0]", "a[ 0 ]", "(1 .. 3)", "(1...3)", "1a", "a.1",
    "a.1b",
    "'a'.size", "nil.x", "true.x", "'a'[0]", "(1..3).size", "((1..3))", "{", "}", "a|b", "é", "日本", "a\n.b", "\\",
    "`a`", "!a",
    "a-", "a--b", "_", "a.size?", "blank.x", "empty?", "a.first.last",
]

TEXTS = [
    "x", " ", "\n", "  \n ", "text ", " - ", "a\nb", "é", "日本", "{", "}", "%", "{ {", "&amp;", "\t", "}}", "%}",
    "{ %", "\r\n",
    "- -", "'", '"', "|", "\u00a0", "\0",
]

DATA = {
    "a": 1, "b": "bee", "s": "p1", "arr": [1, 2, 3], "obj": {"a": 1, "b": {"c": 2}, "size": 9, "name": "N"}, "n": 3,
    "f": 2.5, "nilv": None, "t": True, "items": ["x", "y", "z", "x"],
    "objs": [{"name": "B", "price": 2}, {"name": "a", "price": 1.5}, {"price": None}, {"name": None}], "e": "",
    "em": [],
    "str": "Hello World foo", "neg": -4, "ja": "こんにちは 世界 👨‍👩‍👧", "nest": [[1, [2, None]], ["a"], {"k": "v"}],
    "big": 12345678901234567890, "d": "2021-06-03 17:13:41 UTC", "h": {}, "ff": False, "k": "name",
    "mixed": [3, "2", 1.5, None, True, "a"], "dates": ["2020-01-02", 1600000000],
}

PARTIALS = {
    "p1": "<{{ p1 }}{{ a }}{{ x }}{{ forloop.index }}>",
    "p2": "{% assign zz = 5 %}{{ i }}{{ q }}{{ it }}{% increment cnt %}{% cycle 'a','b' %}",
    "p3": "{% if p3 %}t{% break %}{% endif %}{{ p3 | upcase }}{% for i in arr %}{{ i }}{{ forloop.parentloop.index }}"
    "{% endfor %}",
    "sub/p4": "[{{ p4 }}{{ b }}{{ n | divided_by: 0 }}]",
    "p5": "({% render 'p1' with n %}{% render 'p6', a: x %}{% assign a = 'p5' %})",
    "p6": "\n{{ a }}{{ zz }}\n{%- include 'p2' -%}\n",
    "p7": "{% if a %}{% nosuch %}{% endif %}",
    "p8": "{% include 'p1' with arr as x %}{% for j in (1..2) %}{% include 'p3' %}{% continue %}{{ j }}{% endfor %}",
}


class Writer:
    """Writes a template. An odd one has expressions and tags that no one would write."""

    def __init__(self, source, is_odd):
        self.random = source
        self.is_odd = is_odd

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, probability):
        return self.random.random() < probability

    def odd(self, probability):
        return self.is_odd and self.chance(probability)

    # Expressions

    def name(self):
        return self.random.choice(NAMES)

    def path(self):
        text = self.name()
        for _ in range(self.pick(0, 0, 0, 1, 1, 2)):
            text += self.pick(
                ".size", ".first", ".last", ".name", ".a", "[0]", "[-1]", "['a']", "[x]", '["b"]', ".b.c", "[1.5]",
                ".index",
                ".nosuch", "[s]", ".length", ".rindex0", ".parentloop.index", "[" + self.name() + ".a]",
                "." + self.name(),
                "[k]", ".col", "[(1..2)]", "[nil]", "[true]",
            )
        return text

    def literal(self):
        return self.pick(
            self.random.choice(STRINGS), self.random.choice(NUMBERS),
            self.pick("nil", "true", "false", "blank", "empty", "null"),
        )

    def range(self):
        lower = self.pick("1", "0", "a", "n", "-1", "'2'", "3", "nilv", "f", "1.5", "obj.a")
        upper = self.pick("3", "5", "n", "a", "arr.size", "'4'", "2.5", "b", "nilv", "obj.b.c")
        return f"({lower}..{upper})"

    def expression(self):
        if self.odd(0.08):
            return self.random.choice(ODD)
        roll = self.random.random()
        if roll < 0.45:
            return self.path()
        if roll < 0.9:
            return self.literal()
        return self.range()

    def date_format(self):
        text = ""
        for _ in range(self.pick(1, 1, 2, 3)):
            flags = self.pick("", "", "", "-", "_", "0", "^", "#", ":", "::", "-_", "^#", "E", "O")
            width = self.pick("", "", "", "1", "3", "10", "12")
            text += "%" + flags + width + self.random.choice(DIRECTIVES) + self.pick("", " ", "-", "x", "/")
        return f"'{text}'"

    def filter(self):
        name = self.random.choice(FILTERS)
        arguments = []
        for _ in range(self.pick(0, 0, 1, 1, 1, 2, 2, 3)):
            if self.chance(0.07):
                arguments.append(self.pick("allow_false", "k", "x") + ":" + self.pick(" ", "") + self.expression())
            else:
                arguments.append(self.expression())
        text = self.pick(" ", "") + "|" + self.pick(" ", "") + name
        if arguments:
            text += ":" + self.pick(" ", "") + self.pick(", ", ",", " , ").join(arguments)
        elif self.odd(0.1):
            text += ":"
        if self.odd(0.06):
            text += self.pick(",", " x", ":", "::", " 'z'", " | ", "||", " and b", " == 1", "?", ".x", "[0]", " ,, 1")
        return text

    def output(self):
        if self.chance(0.06):
            return self.random.choice(DATES) + " | date: " + self.date_format()
        text = self.expression()
        for _ in range(self.pick(0, 0, 1, 1, 2, 3)):
            text += self.filter()
        return text

    def condition(self):
        text = ""
        for index in range(self.pick(1, 1, 1, 2, 2, 3, 4)):
            if index > 0:
                text += self.pick(" and ", " or ", " or ", "  and ")
                if self.odd(0.06):
                    text += self.pick("&& ", "|| ", "xor ", "not ", "and ")
            text += self.expression()
            if self.chance(0.65):
                operator = self.pick("==", "!=", "<", ">", "<=", ">=", "<>", "contains")
                if self.odd(0.05):
                    operator = self.pick("=", "=>", "&&", "foo", "is", "===", "!", "=!", "in")
                space = " " if operator.isalpha() else self.pick(" ", "")
                text += space + operator + space + self.expression()
        return text

    # Parts

    def tag(self, text):
        return (
            self.pick("{%", "{%", "{%", "{%-") + self.pick(" ", " ", "", "\n") + text
            + self.pick(" ", " ", "") + self.pick("%}", "%}", "%}", "-%}")
        )

    def block(self, depth):
        text = ""
        for _ in range(self.pick(0, 1, 1, 2, 2, 3)):
            roll = self.random.random()
            if roll < 0.3:
                text += self.random.choice(TEXTS)
            elif roll < 0.6:
                text += self.pick("{{", "{{", "{{", "{{-") + self.pick(" ", "") + self.output() + self.pick(" ", "")
                text += self.pick("}}", "}}", "-}}")
            else:
                text += self.any_tag(depth)
        return text

    def any_tag(self, depth):
        if self.odd(0.03):
            return self.pick(
                "{% endif %}", "{% else %}", "{% nosuch %}", "{{ a", "{% if", "{%  %}", "{{ a }", "{{}}",
                "{% endfor %}", "{{-}}",
                "{%-%}", "{{ a %}", "{% if a }}", "{{{ a }}}", "{% elsif a %}", "{% when 1 %}", "{% end %}",
                "{{ '}}' }}",
                "{% assign x = '%}' %}", "{%- -%}", "{{--}}", "{% endcomment %}", "{% 1 %}", "{%if%}",
            )
        simple = [
            self.assign, self.assign, self.cycle, self.counter, self.comment, self.raw, self.doc, self.liquid,
            self.echo,
            self.inline_comment, self.include, self.render, self.interrupt,
        ]
        nesting = [self.capture, self.branch, self.branch, self.case, self.loop, self.loop, self.table, self.if_changed]
        if depth <= 0:
            return self.random.choice(simple)()
        writer = self.random.choice(simple + nesting + nesting)
        return writer(depth - 1) if writer in nesting else writer()

    def assign(self):
        target = self.name()
        if self.odd(0.1):
            target = self.pick("a.b", "a[0]", "a-b", "(a)", "'a'", "1", "a b", "", "é", "a?")
        return self.tag("assign " + target + self.pick(" = ", "=") + self.output())

    def cycle(self):
        group = self.pick("", "", "'g': ", "a: ", "g:", "1: ", "s:")
        count = self.pick(1, 2, 3)
        return self.tag("cycle " + group + self.pick(", ", ",").join(self.expression() for _ in range(count)))

    def counter(self):
        name = self.pick("cnt", "a", "x", "c-d")
        if self.odd(0.1):
            name = self.pick("a.b", "1", "'a'", "a b", "", "é")
        return self.tag(self.pick("increment ", "decrement ") + name)

    def comment(self):
        body = self.pick(
            "", "hi", "{{ a ", "{% if %}", "{% raw %}{% endcomment %}{% endraw %}", "{% comment %}a{% endcomment %}",
            "{% comment %}", "{%- endraw -%}", "\n{% liquid\n if\n%}",
        )
        return self.tag("comment") + body + self.tag("endcomment")

    def raw(self):
        body = self.pick("", "{{ a }}", "{% if x %}", "{{ a ", "  {%- x -%} ", " { ", "{% raw %}", "{% end", "}}",
        "\n\n")
        return self.tag("raw" + (" x" if self.odd(0.05) else "")) + body + self.tag("endraw")

    def doc(self):
        return self.tag("doc") + self.pick("", "hello {{ x }}", "\n@param a\n", "{% if %}") + self.tag("enddoc")

    def echo(self):
        return self.tag("echo " + self.output())

    def inline_comment(self):
        text = self.pick("note", "a b c", "\n# x")
        if self.odd(0.2):
            text = self.pick("\nbad", "{{ a }}", "'", "# #")
        return self.tag("# " + text)

    def interrupt(self):
        return self.tag(self.pick("break", "continue") + (" x" if self.odd(0.1) else ""))

    def liquid(self):
        return self.tag("liquid" + self.pick("\n", "\n", " ") + "\n".join(self.lines(2)) + self.pick("\n", ""))

    def lines(self, depth):
        lines = []
        for _ in range(self.pick(1, 1, 2, 3)):
            kind = self.pick("assign", "echo", "echo", "counter", "comment", "blank", "if", "for", "case", "cycle",
            "break")
            if depth == 0 and kind in ("if", "for", "case"):
                kind = "echo"
            inner = self.lines(depth - 1) if kind in ("if", "for", "case") else []
            lines += {
                "assign": lambda: ["assign " + self.name() + " = " + self.output()],
                "echo": lambda: ["echo " + self.output()],
                "counter": lambda: ["increment cnt"],
                "comment": lambda: [self.pick("# c", "comment\n if\nendcomment", "#")],
                "blank": lambda: ["", "  "],
                "if": lambda: ["if " + self.condition(), *inner, "else", "  echo 'n'", "endif"],
                "for": lambda: ["for i in " + self.pick("arr", "(1..2)", "em"), *inner, "echo i", "endfor"],
                "case": lambda: ["case " + self.expression(), "when " + self.expression(), *inner, "else", "endcase"],
                "cycle": lambda: ["cycle 'a', 'b'"],
                "break": lambda: [self.pick("break", "continue", "render 'p1', a: 2", "include 'p2'")],
            }[kind]()
            if self.odd(0.04):
                lines.append(self.pick("nosuch", "endif", "{{ a }}", "else", "- x", "if", "liquid echo 'l'", "raw"))
        return [line.replace("\n", " ") if "'" in line else line for line in lines]

    # Blocks

    def capture(self, depth):
        name = self.name()
        if self.odd(0.2):
            name = self.pick("'q'", "a.b", "", "a b", '"q"')
        return self.tag("capture " + name) + self.block(depth) + self.tag("endcapture")

    def branch(self, depth):
        name = self.pick("if", "if", "unless")
        text = self.tag(name + " " + self.condition()) + self.block(depth)
        for _ in range(self.pick(0, 0, 1, 2)):
            text += self.tag("elsif " + self.condition()) + self.block(depth)
        if self.chance(0.4):
            text += self.tag("else") + self.block(depth)
        if self.odd(0.05):
            text += self.tag(self.pick("else", "elsif a")) + self.block(depth)
        return text + self.tag("end" + name)

    def case(self, depth):
        text = self.tag("case " + self.expression()) + self.pick("", "\n", "z", "{{ a }}")
        for _ in range(self.pick(1, 2, 3)):
            values = self.pick(", ", " or ", ",").join(self.expression() for _ in range(self.pick(1, 1, 2)))
            text += self.tag("when " + values) + self.block(depth)
        if self.chance(0.4):
            text += self.tag("else") + self.block(depth)
        if self.odd(0.1):
            text += self.tag(self.pick("when " + self.expression(), "else", "elsif a")) + self.block(depth)
        return text + self.tag("endcase")

    def loop(self, depth):
        variable = self.pick("i", "x", "item", "forloop", "a")
        text = "for " + variable + " in " + self.pick(
            self.path(), "(1..3)", "(1..n)", "arr", "items", "objs", "obj", "str", self.expression()
        )
        for _ in range(self.pick(0, 0, 1, 2)):
            text += self.pick(" ", ", ") + self.pick(
                "limit:2", "limit: 1", "offset:1", "offset: 2", "reversed", "offset:continue",
                "limit: " + self.expression(),
                "offset: " + self.expression(),
            )
            if self.odd(0.1):
                text += self.pick(" cols:2", " foo", " limit", ",", " offset :1", " reversed reversed")
        text = self.tag(text) + self.block(depth)
        if self.chance(0.3):
            text += self.tag("else") + self.block(depth)
        return text + self.tag("endfor")

    def table(self, depth):
        text = "tablerow " + self.pick("i", "x") + " in " + self.pick(
            "arr", "items", "(1..4)", "objs", "em", self.expression()
        )
        for _ in range(self.pick(0, 1, 2)):
            text += self.pick(" ", ", ") + self.pick(
                "cols:2", "cols: 3", "limit:2", "offset:1", "cols: " + self.expression(),
                "limit: " + self.expression(),
                "offset: " + self.expression(),
            )
            if self.odd(0.1):
                text += self.pick(" range:2", " foo:1", " cols", " reversed")
        return self.tag(text) + self.block(depth) + self.tag("endtablerow")

    def if_changed(self, depth):
        return self.tag("ifchanged") + self.block(depth) + self.tag("endifchanged")

    # Partials

    def arguments(self):
        return self.pick(
            "", "", " with " + self.path(), " for arr", " for items as it", " with s as q", ", x: 1",
            ", a: " + self.expression(),
            " a: 1, b: a", " for (1..3)", " for obj", " for s", " with arr as item, x: 2", ", x: a, a: x.size, q: a",
        )

    def include(self):
        name = self.pick("'p1'", "'p2'", "'p3'", "s", "'nosuch'", "'sub/p4'", "'p5'", "'p6'", "'p8'",
        self.expression())
        return self.tag("include " + name + self.arguments())

    def render(self):
        name = self.pick("'p1'", "'p2'", "'p3'", "'nosuch'", "'sub/p4'", "'p5'", "'p6'", "'p7'", '"p8"')
        if self.odd(0.1):
            name = self.pick("s", "1", "", "'p1", "p1")
        return self.tag("render " + name + self.arguments())


def case(seed):
    """The case of a seed: a template with its error mode, data and partials."""
    source = random.Random(seed)
    writer = Writer(source, is_odd=source.random() < 0.5)
    template = "".join(writer.block(3) for _ in range(writer.pick(1, 2, 2)))
    if writer.odd(0.1) and template:
        index = source.randrange(len(template))
        template = template[:index] + writer.pick(*"{}%'\"|- [].:(\n") + template[index + 1:]
    mode = writer.pick("lax", "lax", "strict", "strict2")
    return {"template": template, "mode": mode, "data": DATA, "partials": PARTIALS}
