"""Looks at every view of the page in Chromium: narrow and wide, light and dark.

    python3 tests/oracle/page/look.py KUKLA [--nodes N] [--pictures DIR]

KUKLA is the program. A view fails if it can't be opened, is wider than the window, has text with too little contrast, a link or a
field without a name, or something that its own rules of content keep it from loading. With --pictures, screenshots are written.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
for other in ("puppetboard", "puppetdb"):
    sys.path.insert(0, os.path.join(HERE, "..", other))

import fleet
from browser import Browser, BrowserError
from service import free_port

VIEWS = {
    "fleet": "/kukla",
    "failed": "/kukla?state=failed",
    "list": "/kukla?view=list",
    "nobody": "/kukla?name=nobody",
    "node": "/kukla/node/web0001.example",
    "values": "/kukla/values/web0001.example",
    "found": "/kukla/values/web0001.example?find=motd",
    "changes": "/kukla/changes/web0001.example",
    "classes": "/kukla/uses/classes",
    "class": "/kukla?class=Role::Web",
    "data": "/kukla/uses/data",
    "unknown": "/kukla/node/nobody.example",
}
# What has to be read in a view.
WORDS = {
    "fleet": ["nodes", "failed", "Ran within the last hour"],
    "failed": ["Ran within the last hour"],
    "list": ["Last run", "page 1 of"],
    "nobody": ["No node is like that."],
    "node": ["Last report", "production"],
    "values": ["Compiled for this page in", "secret, not shown", "web::port", "8443", "role/web.yaml:1"],
    "found": ["/etc/motd", "networking"],
    "changes": ["Hands off", "Managed by Puppet", "ntpdate", "gone", "new"],
    "classes": ["Role::Web", "Base"],
    "class": ["nodes with Class[Role::Web]", "web0001.example"],
    "data": ["base::ntp_servers", "common.yaml:1"],
    "unknown": ["the store knows no active node"],
}
# View, size, and whether it is dark.
PICTURES = {("fleet", "wide", False), ("fleet", "narrow", True), ("values", "wide", False), ("changes", "wide", False)}
WIDTHS = {"narrow": (400, 800), "wide": (1280, 900)}
# Every element with text of its own against what is behind it (WCAG's contrast), names of what can be used, and the width.
CHECK = r"""
const found = [];
const channels = text => { const all = text.match(/[\d.]+/g).map(Number); return all.length > 3 ? all : [...all, 1]; };
const light = ([r, g, b]) => { const f = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
const behind = it => { for (; it; it = it.parentElement) { const c = channels(getComputedStyle(it).backgroundColor); if (c[3] > 0) return c; } return [255, 255, 255, 1]; };
const seen = new Set();
for (const it of document.querySelectorAll('body *')) {
  if (![...it.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !it.offsetParent) continue;
  const style = getComputedStyle(it), a = light(channels(style.color)), b = light(behind(it));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), key = style.color + behind(it);
  if (ratio < 4.5 && !seen.has(key)) { seen.add(key); found.push('contrast ' + ratio.toFixed(1) + ': ' + it.outerHTML.slice(0, 90)); }
}
for (const it of document.querySelectorAll('a, button')) if (!(it.getAttribute('aria-label') || it.textContent).trim()) found.push('no name: ' + it.outerHTML.slice(0, 90));
for (const it of document.querySelectorAll('input:not([type=hidden])')) if (!it.labels.length) found.push('no label: ' + it.outerHTML.slice(0, 90));
if (document.querySelectorAll('h1').length !== 1) found.push('not one heading');
if (document.querySelectorAll('main').length !== 1 || document.documentElement.lang !== 'en') found.push('no landmark or language');
const width = document.documentElement.scrollWidth;
if (width > window.innerWidth) found.push('width ' + width + ' in ' + window.innerWidth);
if (document.scripts.length) found.push('a script');
return found;
"""
KEYBOARD = "return document.activeElement.className + ' ' + document.activeElement.textContent + ' ' + document.activeElement.offsetLeft"


def start(root, program):
    """Starts a server with the code of the fleet; returns its process, the port for tools and that of the page."""
    base = f"{root}/puppet"
    environment = f"{base}/code/environments/production"
    for path, text in fleet.FILES.items():
        os.makedirs(os.path.dirname(f"{environment}/{path}"), exist_ok=True)
        with open(f"{environment}/{path}", "w", encoding="utf-8") as file:
            file.write(text)
    with open(f"{base}/puppet.conf", "w", encoding="utf-8") as file:
        file.write(f"[main]\ncertname = puppet.example\ncodedir = {base}/code\nvardir = {base}/var\nlogdir = {base}/log\nrundir = {base}/run\nssldir = {base}/ssl\n"
                   f"[server]\ncadir = {base}/ca\nenvironmentpath = {base}/code/environments\n")
    tools, page = free_port(), free_port()
    command = [program, "serve", "--confdir", base, "--listen", f"127.0.0.1:{free_port()}", "--store-listen", f"127.0.0.1:{tools}", "--page", f"127.0.0.1:{page}"]
    with open(f"{root}/log", "wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=root)
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{page}/kukla", timeout=5).read()
            return process, tools, page
        except OSError:
            time.sleep(0.1)
        if process.poll() is not None:
            break
    with open(f"{root}/log", encoding="utf-8", errors="replace") as file:
        raise SystemExit("the server does not start:\n" + file.read()[-2000:])


def settle(page, count):
    """Waits until everything is stored."""
    for _ in range(1200):
        asked = urllib.request.Request(f"http://127.0.0.1:{page}/kukla?view=list", headers={"Accept": "application/json"})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            if json.loads(answer.read())["part"]["total"] == count:
                return
        time.sleep(0.1)
    raise SystemExit("the commands are not stored")


def look(browser, base, view, size, pictures):
    """Returns what is wrong with a view."""
    browser.size(*WIDTHS[size])
    problems = []
    for is_dark in (False, True):
        browser.dark(is_dark)
        try:
            status = browser.open(base + VIEWS[view])
        except BrowserError as error:
            return [str(error)]
        if status != (404 if view == "unknown" else 200):
            problems.append(f"status {status}")
        text = browser.text()
        problems += [f"`{words}` is not there" for words in WORDS[view] if words not in text]
        problems += browser.failures()
        problems += browser.run(CHECK)
        if pictures and (view, size, is_dark) in PICTURES:
            browser.screenshot(f"{pictures}/page-{view}-{size}.png")
    return problems


def keyboard(browser, base):
    """The first key leads past the navigation, and what has the focus is seen."""
    browser.open(base + "/kukla")
    keys = {"actions": [{"type": "key", "id": "k", "actions": [{"type": "keyDown", "value": "\ue004"}, {"type": "keyUp", "value": "\ue004"}]}]}
    browser.call("POST", f"{browser.session}/actions", keys)
    focused = browser.run(KEYBOARD)
    return [] if focused.startswith("skip Skip to content") and not focused.endswith("-") and int(focused.split()[-1]) >= 0 else [f"the first key leads to `{focused}`"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--nodes", type=int, default=400)
    parser.add_argument("--pictures")
    options = parser.parse_args()
    n_problems = 0
    with tempfile.TemporaryDirectory() as root:
        process, tools, page = start(root, os.path.abspath(options.program))
        try:
            for command in fleet.commands(options.nodes, 40):
                fleet.send(tools, command)
            settle(page, options.nodes)
            base, browser = f"http://127.0.0.1:{page}", Browser()
            try:
                for view in VIEWS:
                    for size in WIDTHS:
                        began = time.monotonic()
                        problems = look(browser, base, view, size, options.pictures)
                        n_problems += len(problems)
                        print(f"{'ok' if not problems else 'WRONG'}  {view}, {size}, {time.monotonic() - began:.1f} s", flush=True)
                        for problem in problems:
                            print(f"    {problem}")
                for problem in keyboard(browser, base):
                    n_problems += 1
                    print(f"WRONG  {problem}")
            finally:
                browser.stop()
        finally:
            process.terminate()
            process.wait()
    sys.exit(1 if n_problems else 0)


if __name__ == "__main__":
    main()
