"""Renders digits from fonts with random distortions.

Every picture is a pure function of the random generator passed in, so a data set is reproducible from its seed.
"""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

IMAGE_SIZE = 32
_CANVAS = 3 * IMAGE_SIZE  # drawn three times as large, then scaled down: smooth edges
_FONT_ROOT = Path("/usr/share/fonts")

# Folder under /usr/share/fonts, file name patterns, Debian package.
_TRAINING_FONTS = [
    ("truetype/dejavu", ["DejaVuSans*.ttf", "DejaVuSerif*.ttf"], "fonts-dejavu-extra"),
    ("truetype/liberation2", ["Liberation*.ttf"], "fonts-liberation2"),
    ("truetype/freefont", ["Free*.ttf"], "fonts-freefont-ttf"),
    ("opentype/urw-base35", ["C059*.otf", "P052*.otf", "URW*.otf", "NimbusSansNarrow*.otf"],
     "fonts-urw-base35"),
]
# Families that training never sees.
_HELD_OUT_FONTS = [
    ("truetype/lato", ["Lato-Regular.ttf", "Lato-Bold.ttf", "Lato-Italic.ttf", "Lato-Light.ttf"],
     "fonts-lato"),
    ("truetype/hack", ["Hack-Regular.ttf", "Hack-Bold.ttf"], "fonts-hack"),
    ("truetype/inconsolata", ["Inconsolata.otf"], "fonts-inconsolata"),
]


def _find(families):
    paths = []
    for folder, patterns, package in families:
        found = [p for pattern in patterns for p in sorted((_FONT_ROOT / folder).glob(pattern))]
        if not found:
            raise FileNotFoundError(
                f"no fonts {folder}/{patterns[0]} under {_FONT_ROOT}: install the package {package}")
        paths += found
    return paths


def training_fonts():
    return _find(_TRAINING_FONTS)


def held_out_fonts():
    return _find(_HELD_OUT_FONTS)


def render_digit(digit, font_path, rng):
    """One digit as uint8 [IMAGE_SIZE, IMAGE_SIZE], dark on light or light on dark, distorted at random."""
    font = ImageFont.truetype(str(font_path), int(rng.uniform(0.62, 0.95) * _CANVAS))
    glyph = Image.new("L", (_CANVAS, _CANVAS), 0)
    left, top, right, bottom = font.getbbox(str(digit))
    position = ((_CANVAS - right - left) / 2, (_CANVAS - bottom - top) / 2)
    ImageDraw.Draw(glyph).text(position, str(digit), fill=255, font=font)
    glyph = glyph.transform(glyph.size, Image.Transform.AFFINE, _random_affine(rng),
                            resample=Image.Resampling.BILINEAR)
    if rng.random() < 0.5:
        glyph = glyph.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 2.5)))
    glyph = glyph.resize((IMAGE_SIZE, IMAGE_SIZE), Image.Resampling.BOX)
    return _colour(np.asarray(glyph, np.float32) / 255, rng)


def _random_affine(rng):
    """Coefficients for PIL (output to input): rotation, shear, scale and shift about the centre."""
    angle = np.deg2rad(rng.uniform(-15, 15))
    shear = rng.uniform(-0.2, 0.2)
    scale_x, scale_y = rng.uniform(0.85, 1.15, 2)
    rotate = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = rotate @ np.array([[scale_x, shear], [0, scale_y]])
    centre = np.full(2, _CANVAS / 2)
    offset = centre - matrix @ (centre + rng.uniform(-0.07, 0.07, 2) * _CANVAS)
    return (*matrix[0], offset[0], *matrix[1], offset[1])


def _colour(coverage, rng):
    """Coverage 0..1 to grey levels: random ink and paper at least 0.35 apart, a light gradient, noise."""
    ink, paper = rng.uniform(0, 0.35), rng.uniform(0.65, 1)
    if rng.random() < 0.5:
        ink, paper = paper, ink
    ramp = np.linspace(-0.5, 0.5, IMAGE_SIZE, dtype=np.float32)
    light = rng.uniform(-0.15, 0.15) * ramp[:, None] + rng.uniform(-0.15, 0.15) * ramp[None, :]
    noise = rng.normal(0, rng.uniform(0, 0.06), coverage.shape)
    grey = paper + (ink - paper) * coverage + light + noise
    return np.round(np.clip(grey, 0, 1) * 255).astype(np.uint8)


def make_data_set(fonts, count, rng):
    """`count` pictures with every digit equally often: uint8 [count, H, W] and labels int64 [count]."""
    labels = np.arange(count) % 10
    images = np.stack([render_digit(d, fonts[rng.integers(len(fonts))], rng) for d in labels])
    return images, labels
