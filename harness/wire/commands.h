// The names of all requests that pass points, one NULL-terminated list of each wire. Case is
// ignored.
#ifndef LOCKPICK_WIRE_COMMANDS_H
#define LOCKPICK_WIRE_COMMANDS_H

extern const char *const *const wire_commands[]; // NULL-terminated

#endif
