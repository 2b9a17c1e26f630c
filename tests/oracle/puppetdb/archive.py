"""Compares Kukla's archives with those of the real PuppetDB, in both directions.

    python3 tests/oracle/puppetdb/archive.py PROGRAM [ARCHIVE]

A PuppetDB and `kukla serve` get the fleet of commands.py. Empty PuppetDBs take the archives that Kukla writes, by its admin API and by
`kukla store migrate`, and have to give the answers of the first one to the requests of queries.py; so has a store that Kukla makes of its archive.
The archive of the first PuppetDB is read too. That of Debian's package (7.12.1-3) has its metadata and nothing else, because the export
fails without a word; of one that has more, a store is made and compared.
With ARCHIVE the archive of the real PuppetDB is kept.
"""

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request

import engine
from queries import requests
from record import Client
from service import PuppetDb, start

# Fields that say when a store got something: an archive does not have them.
RECEIPT = {"receive_time", "report_receive_time", "facts_timestamp", "catalog_timestamp", "deactivated", "expired"}


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


def normal(value, name=None):
    """An answer without what belongs to one store, and without an order that means nothing."""
    if isinstance(value, dict):
        return {key: "TIME" if key in RECEIPT or key == "timestamp" and "resource_type" not in value else normal(member, key) for key, member in sorted(value.items())}
    if isinstance(value, list):
        values = [normal(member) for member in value]
        return sorted(values, key=lambda it: json.dumps(it, sort_keys=True)) if all(isinstance(it, dict) for it in values) or name == "tags" else values
    return value


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


def delete(port, node):
    """Removes a node from a PuppetDB: archives have active nodes only."""
    body = json.dumps({"command": "delete", "version": 1, "payload": {"certname": node}}).encode()
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/pdb/admin/v1/cmd", data=body, headers={"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(asked, timeout=60) as answer:
        answer.read()


def main():
    program = os.path.abspath(sys.argv[1])
    running, is_good = [], True
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        own, _, _ = engine.set_up(program, root)
        conf = f"{own}/puppet.conf"
        try:
            database, first = start(f"{root}/real")
            running += [database, first]
            Client(first.port).load()
            real = give(first.port)
            if len(sys.argv) > 2:
                with open(sys.argv[2], "wb") as file:
                    file.write(real)
            held = {folder: len(entries) for folder, entries in documents(real).items()}
            print(f"the archive of PuppetDB has {held}", flush=True)
            server = engine.Server(program, own, ["--store", f"sqlite:{root}/first.sqlite3"])
            running.append(server)
            Client(server.tools).load()
            by_api = give(server.tools)
            server.stop()
            running.remove(server)
            held = {folder: len(entries) for folder, entries in documents(by_api).items()}
            print(f"that of Kukla has {held}", flush=True)

            # Nodes that are not active.
            active = {row["certname"] for row in engine.query(first.port, "/pdb/query/v4/nodes")}
            everyone = engine.query(first.port, "/pdb/query/v4/nodes", {"query": json.dumps(["=", "node_state", "inactive"])})
            for node in {row["certname"] for row in everyone} - active:
                delete(first.port, node)
            wanted, expected = counts(first.port), ask(first.port)
            running.remove(first)
            first.stop()

            kukla(program, "migrate", f"sqlite:{root}/first.sqlite3", f"{root}/own.tgz", "--config", conf)
            with open(f"{root}/own.tgz", "rb") as file:
                written = file.read()
            for number, (words, archive) in enumerate((("`kukla store migrate`", written), ("Kukla's admin API", by_api))):
                name = f"other{number}"
                database.create(name)
                other = PuppetDb(f"{root}/real", database, name=name)
                running.append(other)
                other.wait()
                take(other.port, archive)
                settle(other.port, wanted)
                is_good &= compare(f"a PuppetDB that took the archive of {words}", ask(other.port), expected)
                running.remove(other)
                other.stop()
            sources = {"its own": f"{root}/own.tgz"}
            if len(documents(real)) > 1:
                sources["PuppetDB's"] = f"{root}/real.tgz"
                with open(sources["PuppetDB's"], "wb") as file:
                    file.write(real)
            for words, path in sources.items():
                kukla(program, "migrate", path, f"sqlite:{path}.sqlite3", "--config", conf)
                server = engine.Server(program, own, ["--store", f"sqlite:{path}.sqlite3"])
                running.append(server)
                is_good &= compare(f"a store that `kukla store migrate` made of {words} archive", ask(server.tools), expected)
                server.stop()
                running.remove(server)
        finally:
            for process in reversed(running):
                process.stop()
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
