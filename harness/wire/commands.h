// The names of all requests that the wires send, for points: one NULL-terminated list of each wire.
#ifndef LOCKPICK_WIRE_COMMANDS_H
#define LOCKPICK_WIRE_COMMANDS_H

extern const char *const *const wire_commands[]; // NULL-terminated

#endif
