"""How the documentation is built: Sphinx, MyST Markdown, the furo theme, and two extensions of our own."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "moelaws"
author = "the moelaws authors"
release = version = installed_version("moelaws")
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "from_source", "mathml", "measured"]
exclude_patterns = ["_build"]
nitpicky = True
nitpick_ignore_regex = [
    # The standard library and other projects: their documentation is not looked up, so builds need no network.
    (r"py:.*", r"(collections|enum|flint|fractions|mpmath|numpy|os|pathlib|re|sp|sympy|torch|typing)(\..*)?"),
    (r"py:.*", r"(Any|ABC|Callable|ClassVar|Enum|Expr|Fraction|IntEnum|Iterable|Iterator|Literal|Mapping|NamedTuple|Self|Path|Sequence|Symbol|Tensor)"),
    # What these names abbreviate or hide is said where they appear.
    (r"py:.*", r"(theory|verify)\..*\.(Size|Number|Changes|Side|Range|T)|Size|Number|Changes|Side|Range|T"),
    (r"py:.*", r"(theory\.)?rates\..*|theory\.derivations\.derivation\.Exponent|theory\.posynomials\.program\.GeometricProgram"),  # parts of an answer, reached through it
]  # fmt: skip
default_role = "py:obj"
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_inherit_docstrings = False
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
add_module_names = False

html_theme = "furo"
html_title = f"moelaws {version}"
html_math_renderer = "mathml"
html_copy_source = False
html_show_copyright = False
html_show_search_summary = False  # the summaries are fetched, which a browser forbids for files on disk
html_use_index = True
