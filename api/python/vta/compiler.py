"""vta.compile: the compiler, as a process of its own."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path


def _find_tool():
    tool = os.environ.get("VTA_COMPILE") or shutil.which("vta-compile")
    if tool is None:
        from . import Error

        raise Error("vta-compile is not on PATH; install the package vta-tools, or set VTA_COMPILE to its path")
    return tool


def _arguments(options):
    """The command line of keyword options: calibrate="x.npy" is --calibrate x.npy, a list repeats the option."""
    arguments = []
    for key, value in options.items():
        option = "--" + key.replace("_", "-")
        if value is True:
            arguments.append(option)
        elif value is not None and value is not False:
            values = value if isinstance(value, (list, tuple)) else [value]
            for one in values:
                arguments += [option, os.fspath(one) if isinstance(one, os.PathLike) else str(one)]
    return arguments


def compile(model, output=None, progress=None, **options):
    """Compiles the ONNX file `model` and returns its Module.

    output: where the module's file stays; without it nothing stays.
    progress: called with each line that the compiler prints while it works.
    options: those of `vta-compile --help`, with underscores: hw="wide", calibrate="images", dram="DDR3-1066", ...
    Libraries of `operators` are loaded into this process, too.
    Errors: vta.Error with the compiler's message.
    """
    from . import Error, Module, load_operators

    libraries = options.get("operators") or []
    for library in libraries if isinstance(libraries, (list, tuple)) else [libraries]:
        load_operators(os.fspath(library))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(output) if output is not None else Path(folder) / "module.vta.so"
        command = [_find_tool(), os.fspath(model), "-o", os.fspath(path), *_arguments(options)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        lines = []
        try:
            for line in process.stderr:
                lines.append(line.rstrip("\n"))
                if progress is not None:
                    progress(lines[-1])
            code = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        finally:
            process.stderr.close()
        if code != 0:
            errors = [line for line in lines if "error:" in line]
            raise Error("\n".join(errors or lines) or f"vta-compile ended with exit code {code}")
        return Module(os.fspath(path))
