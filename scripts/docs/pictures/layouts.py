"""How an image and its weights are packed into blocks, for 4 channels in blocks of 2."""

from pictures.svg import Picture

_CELL = 26


def _cells(p, x, y, names, kind):
    for i, name in enumerate(names):
        p.box(x + i * _CELL, y, _CELL, _CELL, name, kind, "small")


def draw():
    p = Picture(860, 400, "Packed layouts of activations and weights")
    p.text(30, 30, "An image of 4 channels, 1 x 3 pixels, in NCHW order: channel by channel", "bold")
    for channel in range(4):
        _cells(p, 30 + channel * 3 * _CELL, 44, [f"{'abcd'[channel]}{x}" for x in range(3)],
               "unit" if channel < 2 else "memory")
    p.text(380, 62, "a0 is channel a of pixel 0", "faint small")

    p.text(30, 116, "Packed with blocks of 2: [N/b][C/2][H][W][b][2]", "bold")
    p.arrow([(180, 74), (180, 100)])
    for block in range(2):
        names = [f"{'abcd'[block * 2 + lane]}{x}" for x in range(3) for lane in range(2)]
        _cells(p, 30 + block * 6 * _CELL, 130, names, "unit" if block == 0 else "memory")
    p.text(30, 176, "block 0: channels a and b", "faint small")
    p.text(30 + 6 * _CELL, 176, "block 1: channels c and d", "faint small")
    p.text(380, 148, "Two neighbours are one element of INP:\nthe GEMM core reads them in one cycle.", "faint small")

    p.text(30, 226, "Weights of 4 outputs and 4 inputs: [OC/2][IC/2][KH][KW][2][2]", "bold")
    for row in range(2):
        for column in range(2):
            x, y = 30 + column * 130, 242 + row * 66
            for lane in range(2):
                names = [f"w{row * 2 + lane}{'abcd'[column * 2 + i]}" for i in range(2)]
                for i, name in enumerate(names):
                    p.box(x + i * 44, y + lane * _CELL, 44, _CELL, name, "queue", "small")
    p.text(310, 262, "w0a: from channel a to output 0.\nOne square is one element of WGT: a tile of 2 outputs x 2 inputs.\n"
           "A step of the GEMM core multiplies an element of INP\nby an element of WGT and adds to an element of ACC.\n"
           "Real cores have blocks of 16: a tile of 256 weights.", "faint small")
    return p
