from os import PathLike
from typing import Any, Callable, Optional, Union

import numpy as np

__version__: str

class Error(RuntimeError):
    status: str

class TensorInfo:
    name: str
    dtype: np.dtype
    shape: tuple[int, ...]

class LayerInfo:
    name: str
    op: str
    where: str
    reason: str
    macs: int

class Device:
    name: str
    hardware: str
    def __init__(self, module: Module, spec: str = "functional") -> None: ...
    @staticmethod
    def for_configuration(file: str, spec: str = "functional") -> Device: ...
    @staticmethod
    def kinds() -> list[str]: ...

Outputs = Union[np.ndarray, dict[str, np.ndarray]]

class Session:
    module: Module
    device: Optional[Device]
    profile: list[dict[str, Any]]
    seconds: float
    cycles: int
    milliseconds: float
    def __init__(self, module: Module, device: Union[Device, str, None] = "functional", *, per_layer: bool = False,
                 verify: bool = False, num_threads: int = 0, timeout_seconds: float = 0.0,
                 gpu: str = "") -> None: ...
    def run(self, *inputs: Any, **named: Any) -> Outputs: ...
    def start(self, *inputs: Any, **named: Any) -> None: ...
    def wait(self, seconds: Optional[float] = None) -> bool: ...
    def outputs(self) -> dict[str, np.ndarray]: ...
    def clear_state(self) -> None: ...

class Module:
    model: str
    hardware: str
    inputs: list[TensorInfo]
    outputs: list[TensorInfo]
    layers: list[LayerInfo]
    def __init__(self, path: Union[str, bytes]) -> None: ...
    def session(self, device: Union[Device, str, None] = "functional", **options: Any) -> Session: ...
    def run(self, *inputs: Any, **named: Any) -> Outputs: ...

def compile(model: Union[str, PathLike], output: Union[str, PathLike, None] = None,
            progress: Optional[Callable[[str], None]] = None, **options: Any) -> Module: ...
def version() -> str: ...
