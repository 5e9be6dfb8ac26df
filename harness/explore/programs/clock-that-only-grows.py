"""It remembers when it was taken last, and refuses whoever comes before that: once its server's clock was set back,
nobody is granted it any more. The twin remembers nothing."""
from program import SOUND, Program

REMEMBERS = (
    "local now = redis.call('TIME')[1] + 0 "
    "if now < tonumber(redis.call('GET', KEYS[1] .. ':last') or 0) then return nil end "
    "redis.call('SET', KEYS[1] .. ':last', now) "
    "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])"
)


class ClockThatOnlyGrows(Program):
    def set_token(self, request):
        if SOUND:
            return super().set_token(request)
        return self.redis.ask("EVAL", REMEMBERS, 1, request["lock"], self.token, request["lease_ms"])


ClockThatOnlyGrows().run()
