"""browser.py - a headless Chromium, driven through its DevTools protocol over two pipes.

No port, no web socket, no library: messages are JSON, each ended by a NUL byte (--remote-debugging-pipe). Errors of the page
(exceptions, console.error, blocked or failed requests) are gathered in `faults`.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]


def program():
    """The browser's path, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, seconds=60):
        self.folder = tempfile.mkdtemp(prefix="phi3sat-browser-")
        self.seconds = seconds
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def arrange():  # its ends become descriptors 3 and 4, whatever they were
            os.dup2(to_browser, 60)
            os.dup2(from_browser, 61)
            os.dup2(60, 3)
            os.dup2(61, 4)

        command = [program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--hide-scrollbars", "--force-color-profile=srgb", "--user-data-dir=" + self.folder,
                   "--remote-debugging-pipe", "about:blank"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=arrange, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.held, self.faults, self.events = 0, b"", [], []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network", "DOM"]:
            self.call(domain + ".enable")

    def receive(self):
        """The next message; faults and events are noted on the way."""
        end = time.monotonic() + self.seconds
        while b"\0" not in self.held:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.into], [], [], left)[0]:
                raise TimeoutError("the browser says nothing")
            piece = os.read(self.into, 1 << 20)
            if not piece:
                raise EOFError("the browser has ended")
            self.held += piece
        text, self.held = self.held.split(b"\0", 1)
        message = json.loads(text)
        method, values = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.faults.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "assert", "warning"):
            self.faults.append("console: " + str([a.get("value") for a in values["args"]]))
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.faults.append("log: " + values["entry"]["text"])
        elif method == "Network.requestWillBeSent" and values["request"]["url"].split(":")[0] not in ("file", "data", "about"):
            self.faults.append("request: " + values["request"]["url"])
        if method:
            self.events.append(method)
        return message

    def call(self, method, **values):
        self.number += 1
        message = {"id": self.number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]

    def look(self, width=1280, height=800, scheme="light", media="screen", scripts=True, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)

    def open(self, path):
        """Loads the file; returns the seconds until its load event."""
        del self.events[:]
        begin = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while "Page.loadEventFired" not in self.events:
            self.receive()
        return time.monotonic() - begin

    def value(self, expression):
        """What a JavaScript expression comes to (also where the page's own scripts are off)."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(expression + ": " + str(result["exceptionDetails"]))
        return result["result"].get("value")

    def settle(self):
        """Until what was asked for has been drawn."""
        self.value("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def key(self, key, code=None, number=0, text=None):
        more = {"text": text} if text else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, windowsVirtualKeyCode=number, **more)

    def picture(self, path, whole=False):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]))

    def printed(self, path):
        self.call("Emulation.setEmulatedMedia", media="", features=[])
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"]))

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (EOFError, OSError, TimeoutError, RuntimeError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.folder, ignore_errors=True)
