"""Shows every page of puppetboard in Chromium, on Kukla and on Debian's PuppetDB with the same commands, and compares what is read there.

    python3 tests/oracle/puppetboard/compare.py KUKLA PYTHON [PORT]

KUKLA is the program, PYTHON that of an environment with puppetboard. With PORT, that of a PuppetDB that has the commands.
With TEXTS in the environment, the texts of all pages are written to that folder.
Times of receipt and hashes of reports are not compared, since they differ between two stores of one make.
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "puppetdb"))

from browser import Browser, BrowserError
from commands import commands, report
from record import RECEIPT, Client
from service import free_port, start

MENU = ["", "failures", "nodes", "facts", "reports", "metrics", "inventory", "catalogs", "classes", "radiator", "query"]
# Pages whose numbers are those of the server's own process.
OF_THE_SERVER = {"metrics"}
TIME = re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)?|\b[A-Z][a-z]+ \d\d? 20\d\d - \d\d:\d\d(?::\d\d)?")
AGO = re.compile(r"\b(?:an?|\d+|a few|less than a) (?:second|minute|hour)s? ago\b|\bjust now\b")
SILENT = re.compile(r"\b\d+D \d+H \d+M\b")
HASH = re.compile(r"\b[0-9a-f]{7,40}\b")
SETTINGS = """
PUPPETDB_HOST = '127.0.0.1'
PUPPETDB_PORT = {port}
PUPPETDB_TIMEOUT = 120
SECRET_KEY = 'only for a test, and long enough for the check of it'
DEFAULT_ENVIRONMENT = '*'
OFFLINE_MODE = True
LOCALISE_TIMESTAMP = False
ENABLE_CATALOG = True
ENABLE_CLASS = True
REFRESH_RATE = 100000
NORMAL_TABLE_COUNT = 500
LITTLE_TABLE_COUNT = 500
GRAPH_FACTS = ['is_virtual', 'mixed', 'load']
"""


class Board:
    """A puppetboard that asks one store."""

    def __init__(self, root, python, name, store):
        self.name, self.port = name, free_port()
        settings = f"{root}/{name}.py"
        with open(settings, "w", encoding="utf-8") as file:
            file.write(SETTINGS.format(port=store))
        self.log = f"{root}/{name}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([python, "-m", "flask", "--app", "puppetboard.app", "run", "--port", str(self.port), "--with-threads"],
                                            env={**os.environ, "PUPPETBOARD_SETTINGS": settings, "TZ": "UTC"}, stdout=log, stderr=log)
        self.base = f"http://127.0.0.1:{self.port}"
        wait(f"{self.base}/status", self.process, self.log)

    def read(self, browser, kind, path):
        """Returns the text of a page, or why there is none."""
        try:
            status = browser.open(self.base + path)
            missing = browser.failures()
            if kind == "fact":
                # Which of the values that equally many nodes have is in the chart, and which is one of the others, is nobody's.
                browser.run("document.querySelectorAll('svg').forEach(it => it.remove())")
            text = browser.text()
        except BrowserError as error:
            return f"ERROR {error}"
        folder = os.environ.get("TEXTS")
        if folder:
            with open(f"{folder}/{self.name}{urllib.parse.quote(path, safe='')}.txt", "w", encoding="utf-8") as file:
                file.write(text)
        if status != 200 or missing:
            return f"ERROR {status} {missing}\n{text}"
        return normal(text.replace(self.base, ""))


class Fleet(Client):
    """The fleet of the recorded queries, with paths of events as agents send them: classes have no brackets there."""

    def load(self):
        for command in commands():
            payload = command["payload"]
            for resource in payload.get("resources", []):
                if "containment_path" in resource:
                    resource["containment_path"] = [re.sub(r"^Class\[(.*)\]$", r"\1", part) for part in resource["containment_path"]]
            query = urllib.parse.urlencode({"command": command["command"].replace(" ", "_"), "version": command["version"], "certname": payload["certname"],
                                            "producer-timestamp": payload["producer_timestamp"], "secondsToWaitForCompletion": 30})
            status, _, text = self.send("POST", f"/pdb/cmd/v1?{query}", payload)
            if status != 200:
                raise SystemExit(f"{command['command']} of {payload['certname']}: {status} {text}")


def wait(url, process, log):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).read()
            return
        except OSError:
            time.sleep(0.2)
    with open(log, encoding="utf-8", errors="replace") as file:
        raise SystemExit(f"{url} does not answer:\n{file.read()[-3000:]}")


def normal(text):
    text = TIME.sub(lambda match: "TIME" if is_receipt(match[0]) else match[0], text)
    text = HASH.sub("HASH", SILENT.sub("SPAN", AGO.sub("AGO", text)))
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def lines(text):
    """Returns the lines of a text in no order: that of rows with the same key, and of the members of an object, is nobody's."""
    return sorted(line.rstrip(",") for line in text.splitlines())


def is_receipt(text):
    """Whether a time is after those of the commands."""
    if text[:2] == "20":
        return text[:10] >= RECEIPT
    month, day, year = text.split(" ")[:3]
    return time.strftime("%Y-%m-%d", time.strptime(f"{month[:3]} {day} {year}", "%b %d %Y")) >= RECEIPT


def paths(client):
    """Returns the pages of the menu for all environments and for one, and pages that they lead to."""
    for environment in ("*", "production"):
        for page in MENU:
            yield page, f"/{environment}/{page}"
    for node in ("node01.example", "node03.example", "node05.example", "node24.example", "node28.example"):
        yield "node", f"/*/node/{node}"
        yield "reports of a node", f"/*/reports/{node}"
    yield "catalog", "/*/catalog/node01.example"
    yield "compared catalogs", "/*/catalogs/compare/node01.example...node02.example"
    for run in ((1, 1), (2, 3), (3, 5)):
        yield "report", lambda client, run=run: f"/*/report/node{run[1]:02}.example/{client.hash_of('REPORT', uuid_of(*run))}"
    for fact in ("os", "os.name", "load", "is_virtual", "mixed", "uptime_seconds", "a.b", "list", "networking.interfaces.eth0.mtu", "nothing"):
        yield "fact", f"/*/fact/{urllib.parse.quote(fact)}"
    yield "value of a fact", "/*/fact/is_virtual/true"
    yield "value of a fact", "/*/fact/os.name/Debian"
    yield "class", "/*/class_resource/Role::Web"
    yield "class", "/production/class_resource/Role::Db"
    yield "unknown", "/*/node/nobody.example"
    yield "unknown environment", "/nowhere/nodes"


def uuid_of(run, number):
    """The UUID of a run, as the commands have it."""
    return report(number, run)["payload"]["transaction_uuid"]


def kukla(root, program):
    """Starts Kukla with a store; returns the process and the port for tools."""
    os.makedirs(f"{root}/kukla")
    port, tls = free_port(), free_port()
    command = [program, "serve", "--listen", f"127.0.0.1:{tls}", "--store-listen", f"127.0.0.1:{port}"]
    for setting in ("node_ttl", "node_purge_ttl", "report_ttl"):
        command += ["--set", f"{setting}=0"]
    with open(f"{root}/kukla.log", "wb") as log:
        process = subprocess.Popen(command, cwd=f"{root}/kukla", stdout=log, stderr=log)
    wait(f"http://127.0.0.1:{port}/status/v1/services/puppetdb-status", process, f"{root}/kukla.log")
    return process, port


def compare(boards, clients, browser):
    """Prints pages that differ; returns their number, and that of all pages."""
    different = total = 0
    for kind, path in paths(clients[0]):
        texts = []
        for board, client in zip(boards, clients):
            texts.append(board.read(browser, kind, path(client) if callable(path) else path))
        total += 1
        ours, theirs = texts
        shown = path(clients[0]) if callable(path) else path
        is_same = lines(ours) == lines(theirs)
        if kind in OF_THE_SERVER:
            is_same = not ours.startswith("ERROR")
        is_error = ours.startswith("ERROR") and not kind.startswith("unknown")
        print(f"{'ok' if is_same and not is_error else 'DIFFERENT'}  {shown}  {len(ours)} characters", flush=True)
        if not is_same or is_error:
            different += 1
            for line in list(difflib.unified_diff(lines(theirs), lines(ours), "PuppetDB", "Kukla", lineterm="", n=0))[:30]:
                print("    " + line)
            if theirs.startswith("ERROR"):
                print("    PuppetDB: " + theirs[:200])
    return different, total


def main():
    program, python = sys.argv[1:3]
    processes = []
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        real = None
        try:
            process, port = kukla(root, os.path.abspath(program))
            processes.append(process)
            own = Fleet(port)
            own.load()
            if len(sys.argv) > 3:
                other = Fleet(int(sys.argv[3]))
            else:
                real = start(f"{root}/real")
                other = Fleet(real[1].port)
                other.load()
                # The number of resources is PostgreSQL's estimate, which is none before it has looked.
                real[0].run("psql", "-h", "127.0.0.1", "-p", str(real[0].port), "-U", "postgres", "-qc", "ANALYZE", "puppetdb")
            clients = [own, other]
            boards = [Board(root, python, name, client.base.rsplit(":", 1)[1]) for name, client in (("own", own), ("other", other))]
            processes += [board.process for board in boards]
            browser = Browser()
            try:
                different, total = compare(boards, clients, browser)
            finally:
                browser.stop()
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait()
            if real:
                real[1].stop()
                real[0].stop()
    print(f"{total - different} of {total} pages alike")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
