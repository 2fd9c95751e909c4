"""A running registry, for the benchmark scripts."""

import json
import os
import pathlib
import re
import subprocess
import time
import urllib.error
import urllib.request

from common import program


class Daemon:
    """`packhouse serve` in a folder, on a port that the system chooses."""

    def __init__(self, folder):
        started = time.perf_counter()
        command = [program(), "serve", "--config", "registry.toml", "--listen", "127.0.0.1:0"]
        environment = dict(os.environ, PACKHOUSE_LOG="error")
        self.process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, env=environment)
        for line in self.process.stderr:
            if "listens on http://" in line:
                self.address = line.split("http://")[1].strip()
                break
        self.seconds_to_listen = time.perf_counter() - started

    def status(self, path):
        try:
            return urllib.request.urlopen(f"http://{self.address}{path}").status
        except urllib.error.HTTPError as error:
            return error.code

    def json(self, path):
        return json.load(urllib.request.urlopen(f"http://{self.address}{path}"))

    def wait(self, path):
        while self.status(path) != 200:
            time.sleep(0.002)

    def memory_mb(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) // 1024

    def processor_ms(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.terminate()
        self.process.wait()
