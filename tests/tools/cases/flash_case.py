"""What the tests of vta-flash share: a bitstream, its description, and a made-up board that it goes to."""

import bitstreams
from tool_case import ToolCase


class FlashCase(ToolCase):
    def setUp(self):
        super().setUp()
        self.board = bitstreams.Board(self.folder / "board")
        self.file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets())))

    def flash(self, *arguments):
        return self.succeed("vta-flash", self.file, "--root", self.board.root, *arguments)

    def refuse_flash(self, *says, arguments=()):
        return self.refuse("vta-flash", self.file, "--root", self.board.root, *arguments, says=says)

    def describe(self, family="zynq", **changes):
        return self.write("vta.json", bitstreams.description(family, **changes))

    def firmware(self):
        files = list((self.board.root / "lib/firmware").glob("vta-*.bin"))
        self.assertEqual(len(files), 1)
        return files[0]
