"""Compares catalogs of nodes that export to each other with those that real Puppet makes with the real PuppetDB.

    python3 tests/oracle/puppetdb/exports.py PROGRAM [--nodes 500] [--record FILE]

Real Puppet with PuppetDB's own terminus compiles all nodes twice, so that each collects what all export.
`kukla serve` does so with SQLite, with PostgreSQL, and with the PuppetDB that has what Puppet stored; then what both stored there is compared.
With `--record` the digests of Puppet's catalogs are written for the test `crates/cli/tests/exported.rs`.

The site is `crates/cli/tests/exported/site.pp`.
"""

import argparse
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

import engine
from service import start

HERE = os.path.dirname(os.path.abspath(__file__))
SITE = f"{HERE}/../../../crates/cli/tests/exported/site.pp"
TERMINUS = "/usr/lib/ruby/vendor_ruby/puppet/util/puppetdb.rb"
ROLES = ["web"] * 14 + ["balancer", "database"] + ["other"] * 4


def name(number):
    return f"web{number:03}.fleet.test"


def facts(number, count):
    role = "monitor" if number == 7 else "site_monitor" if number % 50 == 49 else ROLES[number % len(ROLES)]
    pool = number // len(ROLES) % 10
    return {
        "number": number, "role": role, "pool": pool, "site": f"s{number % 20}", "short": f"n{number}", "neighbour": name((number + 1) % count),
        "networking": {"ip": f"10.{number // 250}.{number % 250}.1"},
    }


def uuid(number, round_):
    return f"00000000-0000-4000-8000-{number:06}{round_:06}"


def terminus(root):
    """Returns the folder with the Ruby code of PuppetDB's terminus; it is not installed, so that the Puppet of this machine stays as it is."""
    if os.path.exists(TERMINUS):
        return os.path.dirname(os.path.dirname(os.path.dirname(TERMINUS)))
    os.makedirs(f"{root}/terminus")
    subprocess.run(["apt-get", "download", "-q", "puppet-terminus-puppetdb"], cwd=f"{root}/terminus", check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(["dpkg", "-x", glob.glob(f"{root}/terminus/*.deb")[0], f"{root}/terminus"], check=True)
    return f"{root}/terminus/usr/lib/ruby/vendor_ruby"


class Puppet:
    """A process of real Puppet."""

    def __init__(self, root, own, url):
        confdir = f"{root}/puppet"
        library = terminus(root)
        # Puppet looks for functions beside its own ones and in modules only.
        functions = f"{confdir}/modules/terminus/lib/puppet/functions"
        os.makedirs(functions)
        shutil.copy(f"{library}/puppet/functions/puppetdb_query.rb", functions)
        with open(f"{confdir}/puppetdb.conf", "w", encoding="utf-8") as file:
            file.write(f"[main]\nserver_urls = {url}\nserver_url_timeout = 120\n")
        command = ["ruby", "-W0", "-I", library, f"{HERE}/exports.rb", confdir, "localhost", f"{own}/ssl", f"{own}/code"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/")
        self.version = json.loads(self.process.stdout.readline())["puppet"]

    def catalog(self, number, round_, values):
        self.process.stdin.write(json.dumps({"node": name(number), "facts": values, "uuid": uuid(number, round_)}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise SystemExit(f"Puppet: {answer['node']}: {answer['error']}")
        return answer["catalog"]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def canonical(catalog, code):
    """A catalog as a set, since PuppetDB answers collectors in no order, without what belongs to one compilation alone."""
    for resource in catalog["resources"]:
        resource["tags"] = sorted(resource.get("tags", []))
        if "file" in resource:
            resource["file"] = resource["file"].replace(f"{code}/environments", "CODE")
    resources = sorted(catalog["resources"], key=lambda it: (it["type"], it["title"]))
    edges = sorted([edge["source"], edge["target"]] for edge in catalog["edges"])
    return {"name": catalog["name"], "environment": catalog["environment"], "classes": sorted(catalog["classes"]), "resources": resources, "edges": edges}


def text(value):
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(catalog):
    """The digest of a catalog without the answer to the query, which the recorded test does not ask."""
    asked = "Notify[asked]"
    resources = [it for it in catalog["resources"] if f"{it['type']}[{it['title']}]" != asked]
    edges = [edge for edge in catalog["edges"] if asked not in edge]
    return hashlib.sha256(text({**catalog, "resources": resources, "edges": edges}).encode()).hexdigest(), len(resources)


class Rich(engine.Server):
    """A server whose agents understand rich data."""

    def catalog_of(self, number, round_, values):
        document = json.dumps({"name": name(number), "values": values})
        form = urllib.parse.urlencode({"environment": "production", "facts_format": "application/json", "facts": urllib.parse.quote(document, safe=""),
                                       "transaction_uuid": uuid(number, round_)})
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/vnd.puppet.rich+json",
                   "X-Client-Verify": "SUCCESS", "X-Client-DN": f"CN={name(number)}"}
        url = f"http://127.0.0.1:{self.port}/puppet/v3/catalog/{name(number)}?environment=production"
        return json.loads(self.ask(url, form.encode(), headers, "POST"))

    def settle(self):
        """Waits until PuppetDB has all commands. A store of our own has exports when an agent has its catalog."""
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            if not self.metric("kukla_puppetdb_queue_commands"):
                return
            time.sleep(0.3)
        raise SystemExit(f"the queue does not drain\n{self.words()}")


def stored(puppetdb, count, round_):
    """Waits until PuppetDB has the catalogs of a round."""
    wanted = {uuid(number, round_) for number in range(count)}
    deadline = time.monotonic() + 900
    while time.monotonic() < deadline:
        rows = engine.query(puppetdb.port, "/pdb/query/v4", {"query": "catalogs[transaction_uuid]{}"})
        if wanted <= {row["transaction_uuid"] for row in rows}:
            return
        time.sleep(1)
    raise SystemExit("PuppetDB does not store the catalogs")


def shown(puppetdb, count):
    """Exported resources of all nodes, and whole catalogs of some, as PuppetDB has them."""
    rows = engine.query(puppetdb.port, "/pdb/query/v4", {"query": "resources[certname, type, title, parameters, tags, file, line]{ exported = true }"})
    tables = {"exported resources": {f"{row['certname']} {row['type']}[{row['title']}]": {**row, "tags": sorted(row["tags"])} for row in rows}}
    for number in range(0, count, 13):
        found = {}
        for row in engine.query(puppetdb.port, f"/pdb/query/v4/catalogs/{name(number)}/resources"):
            found[f"{row['type']}[{row['title']}]"] = {**{key: value for key, value in row.items() if key != "resource"}, "tags": sorted(row["tags"])}
        exported = {f"{row['type']}[{row['title']}]" for row in rows if row["certname"] == name(number)}
        # The route of a catalog's edges has those of all nodes.
        for row in engine.query(puppetdb.port, "/pdb/query/v4/edges", {"query": json.dumps(["=", "certname", name(number)])}):
            target = f"{row['target_type']}[{row['target_title']}]"
            # Puppet says what contains the resources that a node exports and does not collect itself; Kukla does not.
            if row["relationship"] != "contains" or target not in exported:
                found[f"{row['source_type']}[{row['source_title']}] {row['relationship']} {target}"] = True
        tables[f"stored catalog of {name(number)}"] = found
    return tables


def differences(own, other, most=4):
    """Lines about members of two objects that differ."""
    lines = []
    for key in sorted(own.keys() | other.keys()):
        if own.get(key) != other.get(key):
            lines += [f"    {key}", f"      Puppet {text(other.get(key))[:600]}", f"      Kukla  {text(own.get(key))[:600]}"]
    return lines[:3 * most]


def keyed(catalog):
    members = {f"{it['type']}[{it['title']}]": it for it in catalog["resources"]}
    members.update({" -> ".join(edge): True for edge in catalog["edges"]})
    members["classes"] = catalog["classes"]
    return members


def compare(words, ours, theirs):
    n_equal, n_shown = 0, 0
    for number, (own, other) in enumerate(zip(ours, theirs)):
        if text(own) == text(other):
            n_equal += 1
        elif n_shown < 2:
            n_shown += 1
            print(f"DIFFERENT  {words}: {name(number)}", *differences(keyed(own), keyed(other)), sep="\n", flush=True)
    n_resources = sum(len(it["resources"]) for it in theirs)
    print(f"{words}: {n_equal} of {len(theirs)} catalogs are Puppet's, with {n_resources} resources", flush=True)
    return n_equal == len(theirs) == len(ours)


def rounds(server, values, code, first=1):
    """Compiles all nodes twice."""
    made = []
    for round_ in (first, first + 1):
        with engine.concurrent.futures.ThreadPoolExecutor(4) as pool:
            made.append(list(pool.map(lambda number: canonical(server.catalog_of(number, round_, values[number]), code), range(len(values)))))
        server.settle()
    return made


def record(path, versions, values, catalogs):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text(versions) + "\n")
        for number, catalog in enumerate(catalogs):
            found, n_resources = digest(catalog)
            plain = {key: value for key, value in values[number].items() if key != "asks"}
            file.write(text({"node": name(number), "facts": plain, "resources": n_resources, "digest": found}) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--record")
    arguments = parser.parse_args()
    count = arguments.nodes
    values = [{**facts(number, count), "asks": True} for number in range(count)]
    with open(SITE, encoding="utf-8") as file:
        engine.MANIFEST = file.read()
    server, real, puppet = None, None, None
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        try:
            own, other, tls = engine.set_up(arguments.program, root)
            code = f"{own}/code"
            real = start(f"{root}/real", tls)
            database, puppetdb = real
            url = f"https://localhost:{puppetdb.tls_port}"
            puppet = Puppet(root, own, url)
            begin = time.monotonic()
            for round_ in (1, 2):
                theirs = [canonical(puppet.catalog(number, round_, values[number]), code) for number in range(count)]
                stored(puppetdb, count, round_)
                print(f"Puppet {puppet.version}, round {round_}: {time.monotonic() - begin:.0f} s", flush=True)
            if arguments.record:
                version = engine.query(puppetdb.port, "/pdb/meta/v1/version")["version"]
                record(arguments.record, {"puppet": puppet.version, "puppetdb": version}, values, theirs)
            by_puppet = shown(puppetdb, count)
            results = []
            database.ask("CREATE DATABASE kukla")
            for words, store in (("SQLite", "sqlite"), ("PostgreSQL", f"postgresql://postgres@127.0.0.1:{database.port}/kukla?sslmode=disable")):
                server = Rich(arguments.program, own, ["--store", store])
                results.append(compare(words, rounds(server, values, code)[1], theirs))
                server.stop()
            with open(f"{other}/puppetdb.conf", "w", encoding="utf-8") as file:
                file.write(f"[main]\nserver_urls = {url}\nserver_url_timeout = 120\n")
            server = Rich(arguments.program, other)
            # The first catalogs collect what Puppet stored, and the second ones what Kukla stored.
            ours = rounds(server, values, code, 3)
            results.append(compare("PuppetDB with what Puppet stored", ours[0], theirs))
            results.append(compare("PuppetDB", ours[1], theirs))
            stored(puppetdb, count, 4)
            for words, found in shown(puppetdb, count).items():
                lines = differences(found, by_puppet[words])
                results.append(not lines)
                if lines:
                    print(f"DIFFERENT  {words}", *lines, sep="\n", flush=True)
            print(f"{sum(len(it) for it in by_puppet.values())} rows that Puppet stored in PuppetDB, compared with ours", flush=True)
        finally:
            if server:
                server.stop()
            if puppet:
                puppet.stop()
            if real:
                real[1].stop()
                real[0].stop()
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
