"""Headless Chromium, driven through its debugging protocol over a pipe: real sizes, colour schemes, mouse and wheel."""

import base64
import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = unittest.skipUnless(CHROMIUM, "chromium is not installed")


class Browser:
    """One tab. What the page prints on its console, and what it asks of a network, is in `complaints`."""

    def __init__(self, folder):
        ours_in, its_out = os.pipe()
        its_in, ours_out = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4.
        script = f'exec "$0" "$@" 3<&{its_in} 4>&{its_out}'
        self.process = subprocess.Popen(
            ["bash", "-c", script, CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={folder / 'profile'}",
             "--remote-debugging-pipe", "about:blank"],
            pass_fds=(its_in, its_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)}, start_new_session=True)
        os.close(its_in)
        os.close(its_out)
        self.reader, self.writer = os.fdopen(ours_in, "rb"), os.fdopen(ours_out, "wb")
        self.calls, self.session, self.complaints, self.loaded = 0, None, [], False
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self):
        self.writer.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        # Its helpers outlive it for a moment, and would write into a folder that is being removed.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.reader.close()

    def message(self):
        text = b""
        while not text.endswith(b"\0"):
            byte = self.reader.read1(1) if not text else self.reader.peek(1) and self.reader.read1(65536)
            if not byte:
                raise AssertionError("Chromium has ended")
            text += byte
        return text

    def next_events(self):
        for part in self.message().split(b"\0"):
            if part:
                yield json.loads(part)

    def note(self, event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
            self.complaints.append(params)
        elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:")):
            self.complaints.append(params["request"]["url"])

    def call(self, method, **params):
        self.calls += 1
        message = {"id": self.calls, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.writer.write(json.dumps(message).encode() + b"\0")
        self.writer.flush()
        answer = None
        while answer is None:
            for event in self.next_events():
                if event.get("id") == self.calls:
                    answer = event
                else:
                    self.note(event)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, page, width=1300, height=1000, scheme="light", media="", query=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.emulate(scheme, media)
        self.loaded = False
        self.call("Page.navigate", url=page.as_uri() + query)
        while not self.loaded:
            self.evaluate("0")

    def emulate(self, scheme="light", media=""):
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def evaluate(self, script):
        """The value of a JavaScript expression, as JSON holds it."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_for(self, script, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.evaluate(script):
                return value
            time.sleep(0.05)
        raise AssertionError(f"never true: {script}")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("Moved", x, y)
        self.mouse("Pressed", x, y, button="left", clickCount=1)
        self.mouse("Released", x, y, button="left", clickCount=1)

    def middle_of(self, selector):
        """The middle of an element that is scrolled into view."""
        self.evaluate(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
        box = self.evaluate(f"(b => [b.x + b.width / 2, b.y + b.height / 2])"
                            f"(document.querySelector({selector!r}).getBoundingClientRect())")
        return box

    def screenshot(self, file):
        """The whole page, however long."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        file.write_bytes(base64.b64decode(data))
