"""Texts of others in Markdown."""

from __future__ import annotations

import pytest
from rpent_robosmith.delivery.markdown import block, code, number, table, text


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("success_rate >= 0.8", "success_rate >= 0.8"),
        ("<b>&", "&lt;b&gt;&amp;".replace("&gt;", ">")),
        ("a | b\n# c", r"a \| b \# c"),
        ("_it_ is *so*", r"\_it\_ is \*so\*"),
        ("`success_rate >= 0.8` holds, `*a*|<b>` too", "`success_rate >= 0.8` holds, `*a*¦<b>` too"),
        ("``` is `x` and `", r"\`\`\` is `x` and \`"),
        ("`` `<img>` ``", r"\`\` `<img>` \`\`"),
        ("![x](y)", r"\!\[x\](y)"),
        ("> quote", r"\> quote"),
        ("\x1b[2J", r"␛\[2J"),
    ],
)
def test_text(given: str, shown: str) -> None:
    assert text(given) == shown


def test_code_holds_any_backticks() -> None:
    assert code("a") == "`a`"
    assert code("`a``b") == "``` `a``b ```"
    assert code("a|b") == "`a¦b`"
    assert block("x = 1  # ```") == "````\nx = 1  # ```\n````"


def test_tables_and_numbers() -> None:
    assert table(("a", "b"), [("1", "2")]) == "| a | b |\n|---|---|\n| 1 | 2 |"
    assert [number(value) for value in (None, float("nan"), 0.123456, 12345.0)] == [
        "–",
        "not a number",
        "0.1235",
        "1.234e+04",
    ]
