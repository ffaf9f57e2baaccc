"""Beyond-accuracy measures, top-k lists, GAUC, sampled estimates."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
