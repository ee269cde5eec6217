"""The decoders of language_model.py in the files that llama.cpp (GGUF) and llama2.c have, with weights of few bits.

Blocks of few bits are packed from integers and scales that are drawn or rounded here, and what they mean follows from
these, not from the packed bytes.
"""

import struct

import numpy as np

MAGIC, VERSION, ALIGNMENT = b"GGUF", 3, 32
TYPES = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 8, "Q4_K": 12, "Q6_K": 14, "BF16": 30}
BLOCKS = {"F32": 1, "F16": 1, "BF16": 1, "Q4_0": 32, "Q4_1": 32, "Q8_0": 32, "Q4_K": 256, "Q6_K": 256}
LLAMA2C_MAGIC = 0x616B3432


def halves(values):
    """The bytes of float16 numbers, [n, 2]."""
    return np.ascontiguousarray(values, np.float16).view(np.uint8).reshape(-1, 2)


def nibbles(integers):
    """[n, 32] integers of 4 bits as [n, 16] bytes: the first half of a block in the lower bits."""
    return (integers[:, :16] | integers[:, 16:] << 4).astype(np.uint8)


def rounded(values, steps, least, most):
    return np.clip(np.rint(values / np.where(steps == 0, 1, steps)), least, most).astype(np.int64)


def pack_q4_0(blocks):
    steps = (np.abs(blocks).max(1, keepdims=True) / 7).astype(np.float16).astype(np.float32)
    integers = rounded(blocks, steps, -8, 7)
    return np.hstack([halves(steps), nibbles(integers + 8)]), integers * steps


def pack_q4_1(blocks):
    least = blocks.min(1, keepdims=True).astype(np.float16).astype(np.float32)
    steps = ((blocks.max(1, keepdims=True) - least) / 15).astype(np.float16).astype(np.float32)
    integers = rounded(blocks - least, steps, 0, 15)
    return np.hstack([halves(steps), halves(least), nibbles(integers)]), integers * steps + least


def pack_q8_0(blocks):
    steps = (np.abs(blocks).max(1, keepdims=True) / 127).astype(np.float16).astype(np.float32)
    integers = rounded(blocks, steps, -128, 127)
    return np.hstack([halves(steps), integers.astype(np.int8).view(np.uint8)]), integers * steps


def pack_q4_k(blocks):
    groups = blocks.reshape(-1, 8, 32)
    lowest = np.maximum(-groups.min(2), 0)
    step = ((groups.max(2) + lowest).max(1, keepdims=True) / 15 / 63).astype(np.float16).astype(np.float32)
    taken = (lowest.max(1, keepdims=True) / 63).astype(np.float16).astype(np.float32)
    scales = np.clip(np.rint((groups.max(2) + lowest) / 15 / step), 1, 63).astype(np.int64)
    least = rounded(lowest, taken, 0, 63)
    integers = rounded(groups + (taken * least)[..., None], (step * scales)[..., None], 0, 15)
    twelve = np.zeros((len(blocks), 12), np.int64)
    for i in range(4):
        twelve[:, i] = scales[:, i] | scales[:, i + 4] >> 4 << 6
        twelve[:, i + 4] = least[:, i] | least[:, i + 4] >> 4 << 6
        twelve[:, i + 8] = scales[:, i + 4] & 15 | (least[:, i + 4] & 15) << 4
    pairs = (integers[:, 0::2] | integers[:, 1::2] << 4).reshape(-1, 128)
    meant = (step * scales)[..., None] * integers - (taken * least)[..., None]
    packed = np.hstack([halves(step), halves(taken), twelve.astype(np.uint8), pairs.astype(np.uint8)])
    return packed, meant.reshape(-1, 256)


def pack_q6_k(blocks):
    groups = blocks.reshape(-1, 16, 16)
    largest = np.abs(groups).max(2)
    step = (largest.max(1, keepdims=True) / 31 / 127).astype(np.float16).astype(np.float32)
    scales = rounded(largest / 31, step, 1, 127)
    integers = rounded(groups, (step * scales)[..., None], -32, 31)
    codes = (integers + 32).reshape(-1, 2, 4, 32)  # halves, quarters, lanes
    low, high = codes & 15, codes >> 4
    fours = low[:, :, :2] | low[:, :, 2:] << 4
    twos = high[:, :, 0] | high[:, :, 1] << 2 | high[:, :, 2] << 4 | high[:, :, 3] << 6
    packed = np.hstack([fours.reshape(-1, 128).astype(np.uint8), twos.reshape(-1, 64).astype(np.uint8),
                        scales.astype(np.int8).view(np.uint8), halves(step)])
    return packed, ((step * scales)[..., None] * integers).reshape(-1, 256)


PACK = {"Q4_0": pack_q4_0, "Q4_1": pack_q4_1, "Q8_0": pack_q8_0, "Q4_K": pack_q4_k, "Q6_K": pack_q6_k}


def packed(matrix, kind):
    """The bytes of a matrix or row, and the float32 numbers that they mean."""
    matrix = np.ascontiguousarray(matrix, np.float32)
    if kind == "F32":
        return matrix.tobytes(), matrix
    if kind == "F16":
        return matrix.astype(np.float16).tobytes(), matrix.astype(np.float16).astype(np.float32)
    if kind == "BF16":
        upper = (matrix.view(np.uint32) >> 16).astype(np.uint16)
        return upper.tobytes(), (upper.astype(np.uint32) << 16).view(np.float32)
    data, meant = PACK[kind](matrix.reshape(-1, BLOCKS[kind]))
    return np.ascontiguousarray(data).tobytes(), meant.astype(np.float32).reshape(matrix.shape)


def neighbours(matrix, depth):
    """Rows of queries or keys whose rotation turns c and c + depth / 2, for one that turns 2c and 2c + 1."""
    rows = matrix.reshape(-1, 2, depth // 2, *matrix.shape[1:])
    return np.ascontiguousarray(rows.swapaxes(1, 2)).reshape(matrix.shape)


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(data)) + data


def field(name, value):
    """A text, a truth value, an integer, a float, or a list of texts, floats or integers."""
    start = text(name)
    if isinstance(value, list):
        kind, form = (8, None) if isinstance(value[0], str) else (6, "<f") if isinstance(value[0], float) else (5, "<i")
        data = b"".join(text(item) if form is None else struct.pack(form, item) for item in value)
        return start + struct.pack("<IIQ", 9, kind, len(value)) + data
    if isinstance(value, str):
        return start + struct.pack("<I", 8) + text(value)
    if isinstance(value, bool):
        return start + struct.pack("<IB", 7, value)
    return start + (struct.pack("<If", 6, value) if isinstance(value, float) else struct.pack("<II", 4, value))


def write_fields(path, fields, tensors):
    """`tensors`: {name: (bytes, shape, type)}."""
    header = MAGIC + struct.pack("<IQQ", VERSION, len(tensors), len(fields))
    header += b"".join(field(name, value) for name, value in fields.items())
    data = b""
    for name, (values, shape, kind) in tensors.items():
        data += b"\0" * (-len(data) % ALIGNMENT)
        header += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *reversed(shape), TYPES[kind], len(data))
        data += values
    path.write_bytes(header + b"\0" * (-len(header) % ALIGNMENT) + data)


def parts_of(weights):
    """{name in GGUF: (matrix [outputs, inputs] or row, its name among the weights)}."""
    parts = {"token_embd.weight": (weights.embedding, "embedding"), "output.weight": (weights.matrices["head"].T, "head"),
             "output_norm.weight": (weights.norms["last"], "last")}
    names = {"q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output", "gate": "ffn_gate", "up": "ffn_up",
             "down": "ffn_down"}
    for layer in range(weights.sizes.layers):
        for ours, theirs in names.items():
            parts[f"blk.{layer}.{theirs}.weight"] = (weights.matrices[f"l{layer}.{ours}"].T, f"l{layer}.{ours}")
        for ours, theirs in (("before", "attn_norm"), ("between", "ffn_norm")):
            parts[f"blk.{layer}.{theirs}.weight"] = (weights.norms[f"l{layer}.{ours}"], f"l{layer}.{ours}")
    return parts


def keep_meaning(weights, name, meant):
    """Makes `weights` those that a file means."""
    if name == "embedding":
        weights.embedding = meant
    elif name in weights.matrices:
        weights.matrices[name] = meant.T
    else:
        weights.norms[name] = meant


def fields_of(sizes, architecture="llama"):
    return {"general.architecture": architecture, f"{architecture}.embedding_length": sizes.width,
            f"{architecture}.block_count": sizes.layers, f"{architecture}.feed_forward_length": sizes.hidden,
            f"{architecture}.attention.head_count": sizes.heads,
            f"{architecture}.attention.head_count_kv": sizes.key_heads,
            f"{architecture}.attention.layer_norm_rms_epsilon": 1e-5,
            f"{architecture}.context_length": sizes.positions}


def write_gguf(path, weights, kind="F32", architecture="llama", fields=None, without=(), more=None):
    """A file with matrices of `kind`; `weights` become what it means. `fields` are added or replaced (None: left out),
    tensors in `without` left out, tensors in `more` added."""
    tensors = {}
    for name, (values, ours) in parts_of(weights).items():
        if name in without:
            continue
        its_kind = kind if values.ndim == 2 else "F32"
        data, meant = packed(values, its_kind)
        keep_meaning(weights, ours, meant)
        if architecture == "llama" and ".attn_q." in name or architecture == "llama" and ".attn_k." in name:
            # Blocks lie within rows, so rows can move behind rounding.
            data, _ = packed(neighbours(values, weights.sizes.depth), its_kind)
        tensors[name] = (data, values.shape, its_kind)
    for name, values in (more or {}).items():
        tensors[name] = (np.ascontiguousarray(values, np.float32).tobytes(), values.shape, "F32")
    chosen = {**fields_of(weights.sizes, architecture), **(fields or {})}
    write_fields(path, {name: value for name, value in chosen.items() if value is not None}, tensors)


def in_groups(matrix, group):
    """int8 with a float32 scale for each `group` weights: the bytes, and what they mean."""
    blocks = matrix.reshape(-1, group)
    steps = (np.abs(blocks).max(1, keepdims=True) / 127).astype(np.float32)
    integers = rounded(blocks, steps, -127, 127)
    return integers.astype(np.int8).tobytes() + steps.tobytes(), (integers * steps).astype(np.float32).reshape(matrix.shape)


def write_llama2c(path, weights, version=0, group=16, shares_head=False):
    """A file of llama2.c: its first format (version 0), 1, or 2; `weights` become what it means."""
    sizes = weights.sizes
    numbers = [sizes.width, sizes.hidden, sizes.layers, sizes.heads, sizes.key_heads, sizes.words, sizes.positions]
    by_layer = lambda name: [f"l{layer}.{name}" for layer in range(sizes.layers)]
    before, between = by_layer("before"), by_layer("between")
    attention = [name for part in "qkvo" for name in by_layer(part)]
    feed = [name for part in ("gate", "down", "up") for name in by_layer(part)]
    if version == 0:
        header = struct.pack("<7i", *numbers[:5], sizes.words if shares_head else -sizes.words, sizes.positions)
        order = ["embedding", *before, *attention, *between, *feed, "last"]
    else:
        header = struct.pack("<Ii7iB", LLAMA2C_MAGIC, version, *numbers, shares_head)
        header += struct.pack("<i", group) if version == 2 else b""
        header += b"\0" * (256 - len(header))
        order = [*before, *between, "last", "embedding", *attention, *feed]
    angles = b"\0" * (sizes.positions * sizes.depth * 4) if version == 0 else b""
    data = b"".join(section(weights, name, version, group) for name in order) + angles
    if not shares_head:
        data += section(weights, "head", version, group)
    path.write_bytes(header + data)


def section(weights, name, version, group):
    """The bytes of one part."""
    if name in weights.norms:
        return weights.norms[name].astype(np.float32).tobytes()
    matrix = weights.embedding if name == "embedding" else weights.matrices[name].T
    data, meant = in_groups(np.ascontiguousarray(matrix), group) if version == 2 else packed(matrix, "F32")
    keep_meaning(weights, name, meant)
    if name.endswith((".q", ".k")):
        moved = neighbours(np.ascontiguousarray(matrix), weights.sizes.depth)
        data, _ = in_groups(moved, group) if version == 2 else packed(moved, "F32")
    return data
