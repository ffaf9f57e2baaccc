"""Where it was measured: the machine, and the version of everything."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tool import trec_eval_path

__all__ = ["machine", "versions"]

PACKAGES = ("judged", "numpy", "pytrec-eval-terrier", "ir-measures", "ranx", "numba", "polars", "pyarrow")
CORE = "import judged.core as c; print('native' if getattr(c, 'NATIVE', False) else 'reference')"


def machine() -> dict[str, str]:
    """Processor, cores, memory, system, and how busy it was with other work."""
    fields = (line.partition(":") for line in Path("/proc/cpuinfo").read_text().splitlines())
    cpu = next((value.strip() for name, _, value in fields if name.strip() == "model name"), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": cpu,
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{memory / 1e9:.0f} GB",
        "system": f"{platform.freedesktop_os_release()['PRETTY_NAME']}, Linux {platform.release()}",
        "Python": f"{platform.python_version()} ({platform.python_compiler()})",
        "load before": f"{os.getloadavg()[0]:.1f}",
    }


def versions() -> dict[str, str]:
    """Every tool, installed or not."""
    found = {name: _version(name) for name in PACKAGES}
    found["judged"] += f" ({_said(sys.executable, '-c', CORE) or 'no'} core)"
    path = trec_eval_path()
    found["trec_eval"] = _said(path, "--version").removeprefix("trec_eval version ") if path else "not installed"
    found["wc"] = _said("wc", "--version").removeprefix("wc ")
    return found


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _said(*command: str) -> str:
    """The first line that a program prints, wherever it prints it."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return next(iter((done.stdout or done.stderr).splitlines()), "")
