"""Pareto fronts and their hypervolume, for two or three objectives that are minimised."""


def dominates(a, b):
    return a != b and all(x <= y for x, y in zip(a, b))


def pareto_front(points):
    """The points, each once, that no other one dominates."""
    front = []
    for point in sorted(set(points)):
        if not any(dominates(other, point) for other in front):
            front.append(point)
    return front


def _area(points, reference):
    """Of two objectives: the area between the front of `points` and `reference`."""
    area, height = 0.0, reference[1]
    for x, y in sorted(points):
        if x < reference[0] and y < height:
            area += (reference[0] - x) * (height - y)
            height = y
    return area


def hypervolume(points, reference):
    """The volume that `points` dominate up to `reference`."""
    if len(reference) == 2:
        return _area(points, reference)
    layers = sorted((p for p in points if p[2] < reference[2]), key=lambda p: p[2])
    volume = 0.0
    for i, point in enumerate(layers):
        above = layers[i + 1][2] if i + 1 < len(layers) else reference[2]
        if above > point[2]:
            volume += (above - point[2]) * _area([p[:2] for p in layers[:i + 1]], reference)
    return volume
