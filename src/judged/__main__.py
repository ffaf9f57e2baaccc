"""The program `judged`, also `python -m judged`. A signal ends it quietly, even while modules load, and leaves no temporary files."""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # what loads before the signals are handled is little
    import signal
    from typing import Any, NoReturn
else:
    import _signal as signal  # `signal` loads `enum`, which takes ten times as long as everything else before `main`

_OBJECTS = 50_000  # new ones between two collections: those of a start are many, and live until the end
_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")  # Ctrl-C, a request to end, a closed terminal


def main() -> NoReturn:
    """Run a command; the exit code is that of `judged.cli.main`, or 128 plus the number of the signal that ended it."""
    gc.set_threshold(_OBJECTS, 10, 100)
    received: list[int] = []

    def stop(number: int, frame: object) -> None:
        received.append(number)
        if (
            len(received) == 1 or number == signal.SIGINT
        ):  # a request may come twice, as from `timeout`; cleaning up goes on
            raise KeyboardInterrupt

    code: Any = 0
    signals = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    handled = [number for number in signals if signal.getsignal(number) != signal.SIG_IGN]  # as nohup sets it
    try:
        for number in handled:
            signal.signal(number, stop)
        from judged.cli.main import main as run

        run()
    except SystemExit as end:
        code = end.code
    except BaseException:  # modules that are interrupted while they load may raise anything
        if not received:
            raise
    for number in handled:
        signal.signal(number, signal.SIG_DFL)  # a second signal ends the program at once
    gc.freeze()  # the memory goes back to the system; nobody needs to look for cycles in it
    sys.exit(128 + received[0] if received else code)


if __name__ == "__main__":
    main()
