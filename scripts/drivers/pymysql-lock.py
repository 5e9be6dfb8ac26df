#!/usr/bin/python3
"""Locks of MySQL and MariaDB, over PyMySQL, as a driver for Lockpick.

The argument says how it locks: `get-lock` (GET_LOCK, the usual one), `for-update` (a row that is
locked until the transaction ends), `unique` (a row that is there, under a unique key).

Of several servers, a client uses one: client-1 the first, client-2 the second, ...

Install: apt-get install python3-pymysql
"""
import sys
import threading
import time

import pymysql
from pymysql.constants import ER

from lockpick_driver import Driver

REFUSED = (ER.DUP_ENTRY, ER.LOCK_DEADLOCK, ER.LOCK_WAIT_TIMEOUT)  # and rolled back: certainly not held


class Locks(Driver):
    def hello(self, hello):
        self.settings = hello
        self.way = sys.argv[1] if len(sys.argv) > 1 else "get-lock"
        self.workers = threading.local()  # each is a thread, with a connection of its own
        self.execute("CREATE DATABASE IF NOT EXISTS driver")
        self.execute("CREATE TABLE IF NOT EXISTS driver.locks (name VARCHAR(64) PRIMARY KEY, owner INT)")
        if self.way == "for-update":
            for name in hello["locks"]:
                self.insist("INSERT IGNORE INTO driver.locks VALUES (%s, 0)", name)

    def connect(self):
        servers = self.settings["servers"]
        addresses = servers["addresses"]
        host, port = addresses[(self.settings["client"] - 1) % len(addresses)].rsplit(":", 1)
        seconds = self.settings["request_ms"] / 1000
        return pymysql.connect(
            host=host.strip("[]"), port=int(port), autocommit=True,
            user=servers.get("user") or "root", password=servers.get("password") or "",
            connect_timeout=max(seconds, 1),
            read_timeout=seconds + self.settings["wait_ms"] / 1000, write_timeout=seconds)

    def execute(self, statement, *values):
        """Returns the first value of the answer, or how many rows were changed."""
        if getattr(self.workers, "connection", None) is None:
            self.workers.connection = self.connect()
        try:
            with self.workers.connection.cursor() as cursor:
                changed = cursor.execute(statement, values)
                return cursor.fetchone()[0] if cursor.description else changed
        except pymysql.err.MySQLError as error:
            if error.args[0] not in REFUSED:
                self.workers.connection = None  # its session ends, and what it held
            raise

    def insist(self, statement, *values):
        """As execute, again if another client's transaction came first."""
        while True:
            try:
                return self.execute(statement, *values)
            except pymysql.err.MySQLError as error:
                if error.args[0] != ER.LOCK_DEADLOCK:
                    raise

    def acquire(self, request):
        give_up = time.monotonic() + request["wait_ms"] / 1000
        while True:
            try:
                if self.try_once(request, max(give_up - time.monotonic(), 0)):
                    return {"answer": "held"}
            except pymysql.err.MySQLError as error:
                if error.args[0] not in REFUSED:
                    return {"answer": "unknown", "why": str(error)}
            if time.monotonic() >= give_up:
                return {"answer": "not-held"}
            time.sleep(self.settings["retry_ms"] / 1000)

    def try_once(self, request, wait):
        name = request["lock"]
        if self.way == "get-lock":
            return self.execute("SELECT GET_LOCK(%s, %s)", name, wait) == 1
        if self.way == "unique":
            return self.execute("INSERT INTO driver.locks VALUES (%s, %s)", name, self.owner(request)) == 1
        self.execute("SET SESSION innodb_lock_wait_timeout = %s", max(int(wait), 1))
        self.execute("START TRANSACTION")
        return self.execute("SELECT name FROM driver.locks WHERE name = %s FOR UPDATE", name) == name

    def release(self, request):
        try:
            if self.way == "get-lock":
                released = self.execute("SELECT RELEASE_LOCK(%s)", request["lock"])
                return {"answer": {1: "released", 0: "not-owner"}.get(released, "gone")}
            if self.way == "for-update":
                self.execute("COMMIT")
                return {"answer": "released"}
            gone = self.execute("DELETE FROM driver.locks WHERE name = %s AND owner = %s",
                                request["lock"], self.owner(request))
            return {"answer": "released" if gone == 1 else "not-owner"}
        except pymysql.err.MySQLError as error:
            return {"answer": "unknown", "why": str(error)}

    def owner(self, request):
        return self.settings["client"] * 1000 + request["worker"]


Locks("PyMySQL " + pymysql.__version__).run()
