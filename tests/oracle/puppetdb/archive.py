"""Compares Kukla's archives with those of the real PuppetDB, in both directions.

    python3 tests/oracle/puppetdb/archive.py PROGRAM [ARCHIVE]

A PuppetDB with the fleet of commands.py writes an archive by its admin API, as `puppet db export` does. Another, empty PuppetDB takes it:
its answers to the requests of queries.py say what an archive keeps. A store that `kukla store migrate` makes of the archive has to give the
same answers, and so has one that took the archive by Kukla's admin API, and a PuppetDB that takes the archive which Kukla writes of it.
With ARCHIVE the archive of the real PuppetDB is kept.
"""

import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request

import engine
from queries import requests
from record import Client, shortened
from service import PuppetDb, start

NAMES = re.compile(r"kukla|puppetdb", re.I)


def multipart(content):
    """The body of a form with a file, as `puppet db import` and curl send it, and its type."""
    border = "----------------------------kukla"
    head = f'--{border}\r\nContent-Disposition: form-data; name="archive"; filename="a.tgz"\r\nContent-Type: application/octet-stream\r\n\r\n'
    return head.encode() + content + f"\r\n--{border}--\r\n".encode(), f"multipart/form-data; boundary={border}"


def take(port, content):
    body, content_type = multipart(content)
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/pdb/admin/v1/archive", data=body, headers={"Content-Type": content_type}, method="POST")
    with urllib.request.urlopen(asked, timeout=300) as answer:
        text = answer.read().decode()
    if json.loads(text) != {"ok": True}:
        raise SystemExit(f"the archive was not taken: {text}")


def give(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/pdb/admin/v1/archive", timeout=300) as answer:
        return answer.read()


def documents(content):
    """The documents of an archive by folder, as texts without what their order means nothing of."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for entry in archive:
            folder = entry.name.split("/")[1] if "/" in entry.name else entry.name
            found.setdefault(folder, []).append(json.load(archive.extractfile(entry)))
    return found


def counts(port):
    rows = {}
    for entity in ("factsets", "catalogs", "reports", "nodes"):
        rows[entity] = engine.query(port, "/pdb/query/v4", {"query": f"{entity}[count()]{{}}"})[0]["count"]
    return rows


def settle(port, wanted):
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if counts(port) == wanted:
            return
        time.sleep(1)
    raise SystemExit(f"the archive is not stored: {counts(port)}, not {wanted}")


def normal(answer):
    """An answer without what differs between stores and what order does not mean."""
    return engine.normal(answer)


def ask(port):
    """Answers to all requests that read, by their names."""
    client, answers = Client(port), {}
    for request in requests():
        try:
            answers[request["name"]] = client.answer(request)
        except (IndexError, KeyError, ValueError):
            answers[request["name"]] = "nothing has this hash"
    return answers


def compare(words, answers, expected):
    differing = [name for name in expected if normal(answers[name]) != normal(expected[name])]
    print(f"{words}: {len(expected) - len(differing)} of {len(expected)} answers equal", flush=True)
    for name in differing[:12]:
        print(f"    DIFFERENT {name}\n        expected {json.dumps(expected[name])[:500]}\n        found    {json.dumps(answers[name])[:500]}", flush=True)
    return not differing


def kukla(program, *arguments):
    done = subprocess.run([program, "store", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"kukla store {' '.join(arguments)}: {done.stdout}{done.stderr}")
    print(done.stdout.strip(), flush=True)


def main():
    program = os.path.abspath(sys.argv[1])
    running, is_good = [], True
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        own, _, _ = engine.set_up(program, root)
        try:
            database, first = start(f"{root}/real")
            running += [database, first]
            Client(first.port).load()
            content = give(first.port)
            if len(sys.argv) > 2:
                with open(sys.argv[2], "wb") as file:
                    file.write(content)
            print({folder: len(entries) for folder, entries in documents(content).items()}, flush=True)
            first.stop()
            running.remove(first)

            database.create("second")
            second = PuppetDb(f"{root}/real", database, name="second")
            running.append(second)
            second.wait()
            take(second.port, content)
            time.sleep(5)
            wanted = counts(second.port)
            settle(second.port, wanted)
            expected = ask(second.port)
            print(f"PuppetDB took its own archive: {wanted}", flush=True)
            running.remove(second)
            second.stop()

            with open(f"{root}/real.tgz", "wb") as file:
                file.write(content)
            kukla(program, "migrate", f"{root}/real.tgz", f"sqlite:{root}/migrated.sqlite3", "--config", f"{own}/puppet.conf")
            server = engine.Server(program, own, ["--store", f"sqlite:{root}/migrated.sqlite3"])
            is_good &= compare("the store that `kukla store migrate` made", ask(server.tools), expected)
            by_api = give(server.tools)
            server.stop()
            server = engine.Server(program, own, ["--store", f"sqlite:{root}/taken.sqlite3"])
            take(server.tools, content)
            settle(server.tools, wanted)
            is_good &= compare("the store that took it by its admin API", ask(server.tools), expected)
            server.stop()

            kukla(program, "migrate", f"sqlite:{root}/migrated.sqlite3", f"{root}/own.tgz", "--config", f"{own}/puppet.conf")
            with open(f"{root}/own.tgz", "rb") as file:
                written = file.read()
            for words, archive in (("`kukla store migrate`", written), ("Kukla's admin API", by_api)):
                name = f"third{len(running)}"
                database.create(name)
                third = PuppetDb(f"{root}/real", database, name=name)
                running.append(third)
                third.wait()
                take(third.port, archive)
                settle(third.port, wanted)
                is_good &= compare(f"a PuppetDB that took the archive of {words}", ask(third.port), expected)
        finally:
            for process in reversed(running):
                process.stop()
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
