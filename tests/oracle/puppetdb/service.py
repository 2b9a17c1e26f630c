"""Debian's PuppetDB and PostgreSQL in a directory of their own, on ports of the loopback interface.

    python3 tests/oracle/puppetdb/service.py ROOT

starts both, prints the port of PuppetDB when it answers, and stops them when standard input ends.
As root, PostgreSQL runs as the user `postgres` and PuppetDB as `puppetdb`.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

JAR = "/usr/share/puppetdb/puppetdb.jar"
POSTGRESQL = "/usr/lib/postgresql/15/bin"
# The quick compiler is enough for some thousand requests, and halves the time of the start.
JAVA = ["java", "-Xms256m", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
# A cold start on a busy machine.
PATIENCE = 900


def as_user(user, command):
    if os.getuid() != 0:
        return command
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class PostgreSql:
    """A cluster with an empty database `puppetdb`, and more on request."""

    def __init__(self, root):
        self.directory = f"{root}/postgresql"
        self.port = free_port()
        os.makedirs(self.directory)
        if os.getuid() == 0:
            shutil.chown(self.directory, "postgres", "postgres")
        self.run("initdb", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--username=postgres", f"--pgdata={self.directory}/data")
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.directory} -c fsync=off"
        self.run("pg_ctl", "-w", "-D", f"{self.directory}/data", "-l", f"{self.directory}/log", "-o", options, "start")
        self.ask("CREATE ROLE puppetdb LOGIN PASSWORD 'p'")
        self.create("puppetdb")

    def ask(self, statement, name="postgres"):
        self.run("psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-qc", statement, name)

    def create(self, name):
        """Makes a database that is ready for PuppetDB."""
        self.ask(f"CREATE DATABASE {name} OWNER puppetdb")
        self.ask("CREATE EXTENSION pg_trgm", name)

    def run(self, program, *arguments):
        subprocess.run(as_user("postgres", [f"{POSTGRESQL}/{program}", *arguments]), check=True, stdout=subprocess.DEVNULL, cwd="/")

    def stop(self):
        self.run("pg_ctl", "-m", "immediate", "-D", f"{self.directory}/data", "stop")


class PuppetDb:
    """A PuppetDB that expires nothing; with `tls` (paths of key, certificate and CA) also one for clients with certificates.

    `name` is that of its database and its directory.
    """

    def __init__(self, root, database, tls=None, name="puppetdb"):
        self.port = free_port()
        self.directory = f"{root}/{name}"
        for part in ("conf.d", "var"):
            os.makedirs(f"{self.directory}/{part}")
        files = {
            "conf.d/config.ini": f"[global]\nvardir = {self.directory}/var\nlogging-config = {self.directory}/logback.xml\n[puppetdb]\ndisable-update-checking = true\n",
            "conf.d/jetty.ini": f"[jetty]\nhost = 127.0.0.1\nport = {self.port}\n",
            "conf.d/database.ini": "[database]\n"
            f"subname = //127.0.0.1:{database.port}/{name}\nusername = puppetdb\npassword = p\n"
            "gc-interval = 10000\nnode-ttl = 0s\nnode-purge-ttl = 0s\nreport-ttl = 20000d\nresource-events-ttl = 20000d\n",
            "conf.d/auth.conf": 'authorization: { version: 1, rules: [ { match-request: { path: "/", type: path }, allow-unauthenticated: true, sort-order: 1, name: "all" } ] }\n',
            "logback.xml": f'<configuration><appender name="F" class="ch.qos.logback.core.FileAppender"><file>{self.directory}/log</file>'
            '<encoder><pattern>%-5p %c{0} %m%n</pattern></encoder></appender><root level="info"><appender-ref ref="F"/></root></configuration>\n',
        }
        for path, text in files.items():
            with open(f"{self.directory}/{path}", "w", encoding="utf-8") as file:
                file.write(text)
        shutil.copy("/etc/puppetdb/bootstrap.cfg", self.directory)
        if tls:
            self.tls_port = free_port()
            for part, path in zip(("key", "cert", "ca-cert"), tls):
                shutil.copy(path, f"{self.directory}/{part}.pem")
            with open(f"{self.directory}/conf.d/jetty.ini", "a", encoding="utf-8") as file:
                file.write(f"ssl-host = 127.0.0.1\nssl-port = {self.tls_port}\nclient-auth = need\n")
                file.writelines(f"ssl-{part} = {self.directory}/{part}.pem\n" for part in ("key", "cert", "ca-cert"))
        if os.getuid() == 0:
            subprocess.run(["chown", "-R", "puppetdb:puppetdb", self.directory], check=True)
        self.output = f"{root}/output"
        self.start()

    def start(self):
        command = [*JAVA, "-cp", JAR, "clojure.main", "-m", "puppetlabs.puppetdb.core", "services", "-c", f"{self.directory}/conf.d", "-b", f"{self.directory}/bootstrap.cfg"]
        with open(self.output, "ab") as output:
            self.process = subprocess.Popen(as_user("puppetdb", command), stdout=output, stderr=output, stdin=subprocess.DEVNULL, cwd=self.directory)

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def wait(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(self.url("/status/v1/services/puppetdb-status"), timeout=10) as answer:
                    if b'"running"' in answer.read():
                        return
            except OSError:
                pass
            time.sleep(2)
        raise SystemExit(f"PuppetDB does not start; see {self.directory}/log")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def start(root, tls=None):
    """Starts both programs in an empty directory."""
    os.makedirs(root, exist_ok=True)
    os.chmod(root, 0o755)
    database = PostgreSql(root)
    puppetdb = PuppetDb(root, database, tls)
    puppetdb.wait()
    return database, puppetdb


def main():
    database, puppetdb = start(os.path.abspath(sys.argv[1]))
    print(puppetdb.port, database.port, flush=True)
    sys.stdin.read()
    puppetdb.stop()
    database.stop()


if __name__ == "__main__":
    main()
