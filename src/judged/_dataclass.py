"""`dataclass` as in the standard library, declared in less than half of the time.

Up to Python 3.12, the standard library compiles six methods for each class, which takes a fifth of the start of a small evaluation. Here only
`__init__` is compiled; all classes share the others. The classes work with `dataclasses.fields`, `replace` and `asdict`, and can be bases of
dataclasses of the standard library.
"""

from __future__ import annotations

from dataclasses import asdict, field, fields, replace

__all__ = ["asdict", "dataclass", "field", "fields", "replace"]

TYPE_CHECKING = False
if TYPE_CHECKING:  # type checkers know this one
    from dataclasses import dataclass
else:
    from dataclasses import MISSING, FrozenInstanceError
    from dataclasses import dataclass as _standard
    from functools import cache, partial
    from operator import attrgetter
    from reprlib import recursive_repr
    from sys import modules

    _FIELDS, _PARAMETERS = "__dataclass_fields__", "__dataclass_params__"

    class _Factory:
        """The default of a parameter whose field has a factory."""

        def __repr__(self):
            return "<factory>"

    _FACTORY = _Factory()

    def dataclass(cls=None, /, *, init=True, repr=True, eq=True, frozen=False, slots=False, kw_only=False):
        """Add the methods of a dataclass to a class; arguments are those of `dataclasses.dataclass`."""
        if cls is None:
            return partial(dataclass, init=init, repr=repr, eq=eq, frozen=frozen, slots=slots, kw_only=kw_only)
        given = {name for name, value in vars(cls).items() if value is not None}
        parameters = [getattr(base, _PARAMETERS, None) for base in cls.__bases__]
        inherits = frozen and any(of_base and of_base.frozen for of_base in parameters)
        made = _standard(cls, init=False, repr=False, eq=False, frozen=inherits, slots=slots, kw_only=kw_only)
        for name, value in {"init": init, "repr": repr, "eq": eq, "frozen": frozen}.items():
            setattr(getattr(made, _PARAMETERS), name, value)  # which decorators of subclasses look at
        methods = {"__init__": _constructor(made, frozen=frozen)} if init else {}
        if repr:
            methods["__repr__"] = _repr
        if eq:
            methods |= {"__eq__": _equal, "__hash__": _hash if frozen else None}
        if frozen:
            methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        if frozen and slots:  # copies and pickles would set attributes otherwise
            methods |= {"__getstate__": _state, "__setstate__": _restore}
        for name, method in methods.items():
            if name not in given:
                setattr(made, name, method)
        return made

    def _constructor(cls, *, frozen):
        names = {"_set": object.__setattr__, "_factory": _FACTORY}  # what the method refers to besides its module
        positional, keywords, body = [], [], []
        for number, field in enumerate(fields(cls)):
            name, value, default = field.name, field.name, ""
            if field.default is not MISSING:
                names[f"_{number}"], default = field.default, f"=_{number}"
                value = name if field.init else f"_{number}"
            elif field.default_factory is not MISSING:
                names[f"_{number}"], default = field.default_factory, "=_factory"
                value = f"_{number}() if {name} is _factory else {name}" if field.init else f"_{number}()"
            if field.init:
                (keywords if field.kw_only else positional).append(f"{name}{default}")
            elif not default:
                continue
            body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            body.append("self.__post_init__()")
        parameters = ", ".join(["self", *positional, *(["*", *keywords] if keywords else [])])
        lines = [
            f"def make({', '.join(names)}):",
            f" def __init__({parameters}):",
            *(f"  {line}" for line in body or ["pass"]),
        ]
        made = {}
        exec("\n".join([*lines, " return __init__"]), vars(modules[cls.__module__]), made)  # noqa: S102
        method = made["make"](**names)
        method.__qualname__ = f"{cls.__qualname__}.__init__"
        method.__module__ = cls.__module__
        method.__annotations__ = {field.name: field.type for field in fields(cls) if field.init} | {"return": None}
        return method

    @cache
    def _compared(cls):
        """Return the function that takes the compared fields of an instance as a tuple."""
        names = [field.name for field in fields(cls) if field.compare]
        return attrgetter(*names) if len(names) > 1 else lambda self: tuple(getattr(self, name) for name in names)

    @recursive_repr()
    def _repr(self):
        shown = (f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def _equal(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        values = _compared(self.__class__)
        return values(self) == values(other)

    def _hash(self):
        return hash(_compared(self.__class__)(self))

    def _refuse_to_set(self, name, value):
        if _is_frozen(self, name):
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        object.__setattr__(self, name, value)

    def _refuse_to_delete(self, name):
        if _is_frozen(self, name):
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        object.__delattr__(self, name)

    def _is_frozen(self, name):
        """A plain subclass may have attributes besides the fields."""
        return _FIELDS in vars(type(self)) or name in getattr(self, _FIELDS)

    def _state(self):
        return [getattr(self, field.name) for field in fields(self)]

    def _restore(self, state):
        for field, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, field.name, value)
