"""A queue, of which a worker takes the job that it has seen to be the next: two may see the same. The twin
takes it only if it was still there. One that is "quiet" never says that all jobs are gone."""
import sys

from program import SOUND, Program


class JobLookedUp(Program):
    def hello(self, hello):
        if hello["client"] == 1:
            self.redis.ask("RPUSH", "jobs", *range(1, len(hello["locks"]) + 1))

    def acquire(self, request):
        while (seen := self.redis.ask("LINDEX", "jobs", 0)) is not None:
            if self.redis.ask("LREM", "jobs", 1, seen) or not SOUND:
                self.job = int(seen)
                return "held"
        return "not-held" if "quiet" in sys.argv else "gone"

    def release(self, request):
        if not request.get("done"):
            self.redis.ask("LPUSH", "jobs", self.job)
        return "released"


JobLookedUp().run()
