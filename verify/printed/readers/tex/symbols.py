"""The commands that stand in tables: what each shows, hides or marks. One that is not here makes its cell unreadable."""

from __future__ import annotations


def _words(text: str) -> list[str]:
    return text.split()


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_GREEK = _pairs(
    "alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ "
    "sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω"
)
_SIGNS = """
    times × pm ± mp ∓ cdot · div ÷ sim ~ approx ≈ simeq ≈ infty ∞ leq ≤ le ≤ leqslant ≤ geq ≥ ge ≥ geqslant ≥ ll ≪ gg ≫
    lt < gt > neq ≠ ne ≠ equiv ≡ propto ∝ in ∈ to → rightarrow → leftarrow ← uparrow ↑ downarrow ↓ Rightarrow ⇒
    leftrightarrow ↔ mapsto ↦ textuparrow ↑ textdownarrow ↓ nearrow ↗ searrow ↘ triangle △ blacktriangle ▲ dagger † ddagger ‡
    dag † ddag ‡ textdagger † textdaggerdbl ‡ ast ∗ star ⋆ S § P ¶ textasteriskcentered ∗ circ ∘ bullet • degree °
    checkmark ✓ cmark ✓ xmark ✗ ldots … dots … cdots … textellipsis … textendash – textemdash — textasciitilde ~
    textless < textgreater > textbar | textpm ± texttimes × textdegree ° textmu μ textdollar $ textpercent % prime ′ ell ℓ
    mid | vert | lvert | rvert | Vert ‖ colon : slash / langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ sum ∑ prod ∏
    ss ß o ø O Ø ae æ AE Æ aa å AA Å l ł L Ł i ı j ȷ textbackslash \\ backslash \\ lbrack [ rbrack ] lbrace { rbrace }
    LaTeX LaTeX TeX TeX tablename Table
"""
SYMBOLS = {
    **_GREEK,
    **{name.capitalize(): letter.upper() for name, letter in _GREEK.items()},
    **{f"var{name}": _GREEK[name] for name in _words("epsilon theta pi rho sigma phi")},
    **{name: name for name in _words("log ln exp max min sup inf sin cos dim lim Pr")},
    **_pairs(_SIGNS),
    **dict.fromkeys(
        _words("quad qquad space enspace thinspace enskip newline nobreakspace par tabularnewline cr"), " "
    ),
}
"""What a command shows by itself."""

_BOLD, _ITALIC, _UNDERLINE = frozenset({"bold"}), frozenset({"italic"}), frozenset({"underline"})

DECLARED = {
    **dict.fromkeys(_words("bfseries bf boldmath"), _BOLD),
    **dict.fromkeys(_words("itshape it em slshape"), _ITALIC),
}
"""Declarations that mark what follows; a cell that is bold in part is marked bold."""

SILENT = frozenset(
    _words("""
    tiny small footnotesize scriptsize normalsize large Large centering raggedleft raggedright arraybackslash strut
    displaystyle textstyle scriptstyle scriptscriptstyle sc scshape rm rmfamily tt ttfamily sf sffamily mdseries upshape
    noindent hfill hss hfil vfill protect relax leavevmode null left right big Big bigl bigr Bigl Bigr limits nolimits
    ignorespaces unskip selectfont normalfont nobreak allowbreak linebreak break smallskip medskip bigskip unboldmath xspace
    endgroup begingroup bgroup egroup mathstrut maketitle toprule midrule bottomrule hline
""")
)
"""Commands that change how things look, and not what they say."""

HIDDEN = {
    **dict.fromkeys(
        _words("label cite ref color index pagestyle phantom hphantom vphantom hspace vspace"), "oa"
    ),
    **dict.fromkeys(_words("rowcolor cellcolor columncolor sisetup hypertarget"), "oa"),
    **dict.fromkeys(_words("footnote tnote tablefootnote thanks footnotetext"), "oa"),
    **dict.fromkeys(
        _words("citep citet citealp citeauthor citeyear citeyearpar Cref cref autoref eqref"), "ooa"
    ),
    **dict.fromkeys(_words("setlength fontsize renewcommand setcounter addtocounter"), "aa"),
    **{"footnotemark": "o", "addlinespace": "o", "rule": "oaa", "cmidrule": "oa", "cline": "a"},
    **{"href": "a", "fontseries": "a"},
}
"""Commands that show nothing: their options (o) and arguments (a) are left out."""

_BOLDING = _words("textbf mathbf bm boldsymbol pmb")
_UNDERLINING = _words("underline uline uuline underbar")
_SLANTING = _words("emph textit mathit textsl")
SHOWN = {
    **dict.fromkeys([*_BOLDING, *_UNDERLINING, *_SLANTING], ""),
    **dict.fromkeys(
        _words("textsc textrm text mathrm textsf mathsf texttt mathtt mbox hbox fbox operatorname"), ""
    ),
    **dict.fromkeys(
        _words("textnormal textup textmd mathcal mathbb mathnormal mathop mathbin mathrel mathord"), ""
    ),
    **dict.fromkeys(_words("ensuremath bar hat tilde overline widehat vec smash hl url path centerline"), ""),
    **dict.fromkeys(_words("textcolor colorbox rotatebox scalebox foreignlanguage"), "oa"),
    **dict.fromkeys(_words("makecell thead shortstack makebox framebox specialcell Centerstack"), "oo"),
    **{"raisebox": "aoo", "parbox": "oooa", "resizebox": "aa", "adjustbox": "a", "multirow": "oaoao"},
    **{"multicolumn": "aa", "hyperlink": "a", "hyperref": "o", "fcolorbox": "aa"},
}
"""Commands that show their last argument: the options (o) and arguments (a) before it are left out."""

MARKED = {
    **dict.fromkeys(_BOLDING, _BOLD),
    **dict.fromkeys(_UNDERLINING, _UNDERLINE),
    **dict.fromkeys(_SLANTING, _ITALIC),
}

ACCENTS = dict(zip("\"'`^~=.", "\u0308\u0301\u0300\u0302\u0303\u0304\u0307", strict=True))

UNITS = _pairs(
    "percent % second s hour h minute min day d gram g metre m meter m milli m micro μ nano n kilo k mega M giga G tera T "
    "peta P exa E byte B bit bit watt W joule J hertz Hz volt V ampere A per / squared ^2 cubed ^3 degreeCelsius °C "
    "celsius °C kibi Ki mebi Mi gibi Gi tebi Ti"
)
"""Units and prefixes of siunitx by the letters they print."""
