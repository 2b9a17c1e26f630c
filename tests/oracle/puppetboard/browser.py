"""Chromium without a screen, driven by Debian's `chromedriver` over the WebDriver protocol."""

import base64
import json
import subprocess
import time
import urllib.error
import urllib.request

# Nothing outside of this machine is reached: a page that needs the network shows it.
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"]
# A page of a slow machine.
PATIENCE = 60


class BrowserError(Exception):
    """An error of the driver, such as a message box that a page has opened."""


class Browser:
    def __init__(self, width=1280, height=900, dark=False):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.base = None
        for line in self.driver.stdout:
            if "successfully on port " in line:
                self.base = "http://127.0.0.1:" + line.split("on port ")[1].strip().rstrip(".")
                break
        if self.base is None:
            raise BrowserError("chromedriver does not start")
        options = {"args": [*ARGUMENTS, f"--window-size={width},{height}", *(["--blink-settings=preferredColorScheme=0"] if dark else [])]}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}})
        self.session = f"/session/{answer['sessionId']}"

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        asked = urllib.request.Request(self.base + path, data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(asked, timeout=PATIENCE * 2) as answer:
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as error:
            value = json.loads(error.read())["value"]
            raise BrowserError(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def run(self, script, *arguments):
        return self.call("POST", f"{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def size(self, width, height):
        """Sets the size of what is shown; a window can't be as narrow as a telephone."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, is_dark):
        features = [{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]
        self.command("Emulation.setEmulatedMedia", features=features)

    def command(self, name, **parameters):
        return self.call("POST", f"{self.session}/goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, url):
        """Opens a page and waits until it asks for nothing any more; returns its status."""
        self.call("POST", f"{self.session}/url", {"url": url})
        if not self.wait("return document.readyState === 'complete' && !(window.jQuery && window.jQuery.active)", PATIENCE):
            raise BrowserError("the page is never done")
        # Some tables of puppetboard say for ever that they are being filled.
        self.wait("return ![...document.querySelectorAll('.dataTables_processing, .dt-processing')].some(it => it.offsetParent)", 5)
        return self.run("return performance.getEntriesByType('navigation')[0].responseStatus")

    def wait(self, script, seconds):
        """Waits until a script says true; returns whether it does."""
        deadline = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True

    def failures(self):
        """Returns what the page asked for and did not get."""
        return self.run("return performance.getEntriesByType('resource').filter(it => it.responseStatus >= 400).map(it => it.responseStatus + ' ' + it.name)")

    def text(self):
        return self.run("return document.body.innerText")

    def screenshot(self, path):
        picture = self.call("GET", f"{self.session}/screenshot")
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture))

    def stop(self):
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
