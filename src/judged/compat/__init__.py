"""Drop-in replacements of other tools: change one import line, keep the rest of the program.

    from judged.compat import pytrec_eval

Each module has the names, arguments and results of the tool it is named after, and maps them to functions of `judged` under the
profile of that tool. Values differ only where the profile says so (`PROFILES["ranx"].except_for`) and where the tool is wrong or
undefined; `docs/migration/` lists both.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
