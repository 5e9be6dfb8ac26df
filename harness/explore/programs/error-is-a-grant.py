"""It takes an error for a grant: what its SET did not get, it believes to have."""
from program import SOUND, Program


class ErrorIsAGrant(Program):
    def set_token(self, request):
        try:
            return super().set_token(request)
        except OSError:
            if SOUND:
                raise
            return "not refused"


ErrorIsAGrant().run()
