"""Text that disks, tools and people could say to break out of a document, and the strategy that mixes it."""

from __future__ import annotations

from hypothesis import strategies as st

NASTY = (
    "<script>alert(1)</script>",
    "</text></svg><script>1</script>",
    "</title><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "<!-- ", "-->", "]]>", "<![CDATA[", "&lt;b&gt;", "&#60;", "{{7*7}}", "${HOME}", "$(reboot)",
    "[x](javascript:alert(1))", "![x](http://evil.example/x.png)", "http://evil.example/", "www.evil.example",
    "| a | b |", "|", "\\|", "`", "```", "~~~", "# x", "- x", "1. x", "1) x", "> x", "---", "===", "***",
    "__x__", "~~x~~", "a\nb", "a\r\nb", "a\tb", "\x1b[31mred", "\x00", "\x9b31m", "\u202eevil", "\u200b",
    "e\u0301", "\ufeff", "$\\frac{1}{0}$", "$x^2$", "\\input{/etc/passwd}", "url(#x)", 'id="x"', 'href="#x"',
    "#1c2127", "style=x", "</style>", "%0a", "\uff05", "\ud800",
)  # fmt: skip
"""each is an attempt to become markup, a link, a loaded resource, or another line"""

texts = st.one_of(
    st.sampled_from(NASTY),
    st.lists(st.sampled_from(NASTY), min_size=1, max_size=3).map("".join),
    st.text(max_size=24),
)
