from os import PathLike
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

__version__: str

class Error(RuntimeError):
    status: str

def load_operators(path: str) -> None: ...

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

class Tokenizer:
    def __init__(self, path: str) -> None: ...
    def __len__(self) -> int: ...
    def encode(self, text: str) -> list[int]: ...
    def decode(self, tokens: Sequence[int]) -> str: ...

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
    text_length: int
    def save_state(self) -> bytes: ...
    def load_state(self, state: bytes) -> None: ...
    def generate(self, tokenizer: Tokenizer, prompt: str, max_tokens: int = 256, temperature: float = 0.0,
                 top_k: int = 0, top_p: float = 1.0, seed: int = 1, stops: Sequence[str] = (),
                 show: Optional[Callable[[str], None]] = None, speculate: int = 0) -> dict[str, Any]: ...

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
def generate(module: Union[Module, str, PathLike], tokenizer: Union[Tokenizer, str, PathLike], prompt: str,
             device: Union[Device, str, None] = "functional", **options: Any) -> dict[str, Any]: ...
def version() -> str: ...
