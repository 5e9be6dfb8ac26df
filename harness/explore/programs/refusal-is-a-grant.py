"""It takes every answer to its SET but nil for a grant: an error, too."""
from program import SOUND, Program, Refused


class RefusalIsAGrant(Program):
    def set_token(self, request):
        try:
            return super().set_token(request)
        except Refused:
            return not SOUND


RefusalIsAGrant().run()
