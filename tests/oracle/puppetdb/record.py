"""Sends commands to Debian's PuppetDB, asks it all requests of queries.py, and writes its answers as lines of JSON.

    python3 tests/oracle/puppetdb/record.py > crates/store/tests/puppetdb/recorded.jsonl

starts PuppetDB in a temporary directory. With PORT in the environment, that of a running PuppetDB, which has the commands already
if LOADED is set. With an argument only requests whose names contain it are sent.

Times of receipt are written as TIME and hashes as HASH, since they differ between stores.
"""

import json
import os
import re
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from commands import commands
from queries import ENTITIES, requests
from service import start

# The fleet's own times are before this day, and those of receipt after it.
RECEIPT = "2026-11-16"
TIME = re.compile(r'"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"')
HASH = re.compile(r"\b[0-9a-f]{40}\b")
# Characters of an answer above which fewer fields are asked for.
LARGE = 3000
PLACEHOLDER = re.compile(r"\$(REPORT|RESOURCE)\(([^)]*)\)")


class Client:
    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"
        self.known = {}

    def send(self, method, path, body=None, headers=None):
        data = json.dumps(body).encode() if body is not None else None
        headers = {"Accept": "application/json", **({"Content-Type": "application/json"} if data else {}), **(headers or {})}
        asked = urllib.request.Request(self.base + urllib.parse.quote(path, safe="/%?&=+:'$-~"), data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode()

    def load(self):
        for index, command in enumerate(commands()):
            payload = command["payload"]
            query = urllib.parse.urlencode({"command": command["command"].replace(" ", "_"), "version": command["version"], "certname": payload["certname"],
                                            "producer-timestamp": payload["producer_timestamp"], "secondsToWaitForCompletion": 30})
            status, _, text = self.send("POST", f"/pdb/cmd/v1?{query}", payload)
            if status != 200 or not json.loads(text).get("processed"):
                raise SystemExit(f"command {index} {command['command']} of {payload['certname']}: {status} {text}")

    def resolve(self, text):
        """Puts hashes in place of placeholders."""
        return PLACEHOLDER.sub(lambda match: self.hash_of(*match.groups()), text)

    def hash_of(self, kind, key):
        if (kind, key) not in self.known:
            if kind == "REPORT":
                entity, query, field = "reports", ["=", "transaction_uuid", key], "hash"
            else:
                node, resource_type, title = key.split("|")
                entity, query, field = "resources", ["and", ["=", "certname", node], ["=", "type", resource_type], ["=", "title", title]], "resource"
            query = urllib.parse.quote(json.dumps(["extract", [field], query]))
            rows = json.loads(self.send("GET", f"/pdb/query/v4/{entity}?query={query}")[2])
            self.known[kind, key] = rows[0][field]
        return self.known[kind, key]

    def answer(self, request):
        path = self.resolve(request["path"])
        if "parameters" in request:
            path += "?" + urllib.parse.urlencode({key: self.resolve(value) for key, value in request["parameters"].items()})
        body = json.loads(self.resolve(json.dumps(request["body"]))) if "body" in request else None
        status, headers, text = self.send(request["method"], path, body)
        if text.startswith("<"):
            # A page of the web server.
            text = ""
        text = TIME.sub(lambda match: '"TIME"' if match[1] > RECEIPT else match[0], text)
        text = HASH.sub("HASH", text)
        answer = {"status": status, "type": headers.get("Content-Type"), "records": headers.get("X-Records")}
        try:
            answer["body"] = json.loads(text)
        except ValueError:
            answer["body"] = text
        return {key: value for key, value in answer.items() if value is not None}


def shortened(request):
    """The request with fewer fields in its answer, or nothing if its query says which."""
    entity = request["path"].rpartition("/")[2]
    query = request.get("parameters", {}).get("query", "")
    if entity not in ENTITIES or not query.startswith("[") or json.loads(query)[0] in ("extract", "from") or "distinct_resources" in request["parameters"]:
        return None
    query = json.dumps(["extract", ENTITIES[entity][1], json.loads(query)], ensure_ascii=False)
    return {**request, "parameters": {**request["parameters"], "query": query}}


def record(client, only):
    for request in requests():
        if only not in request["name"]:
            continue
        answer = client.answer(request)
        if len(json.dumps(answer)) > LARGE and (shorter := shortened(request)):
            request, answer = shorter, client.answer(shorter)
        print(json.dumps({**request, "answer": answer}, ensure_ascii=False, separators=(",", ":")), flush=True)


def main():
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    if port := os.environ.get("PORT"):
        client = Client(port)
        if not os.environ.get("LOADED"):
            client.load()
        record(client, only)
        return
    with tempfile.TemporaryDirectory(prefix="kukla-puppetdb-") as root:
        database, puppetdb = start(root)
        try:
            client = Client(puppetdb.port)
            client.load()
            record(client, only)
        finally:
            puppetdb.stop()
            database.stop()


if __name__ == "__main__":
    main()
