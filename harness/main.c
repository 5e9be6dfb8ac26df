#include "harness/base/file.h"
#include "harness/cli/verb.h"
#include "harness/cluster/process.h"

#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

static void print_usage(FILE *out)
{
    fputs(
        "lockpick breaks distributed locks, and measures what the unbroken ones cost.\n\nusage:\n",
        out);
    verbs_print(out);
    fputs("\nstart with: lockpick doctor, then lockpick run scenarios/increment\n", out);
}

#define STACK_BYTES ((size_t)8 << 20)

// A shell may allow so small a stack (`ulimit -s 64`) that libraries and servers do not fit: as
// much of a usual one as may be had, for us and for the programs that we start, and all of it for
// threads.
static void allow_stack(void)
{
    struct rlimit limit;
    pthread_attr_t attributes;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_BYTES)
        return;
    struct rlimit usual = {STACK_BYTES,
                           limit.rlim_max < STACK_BYTES ? STACK_BYTES : limit.rlim_max};
    struct rlimit allowed = {limit.rlim_max, limit.rlim_max};
    if (setrlimit(RLIMIT_STACK, &usual) != 0)
        setrlimit(RLIMIT_STACK, &allowed);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

// What a caller may have left in a state that we cannot work in.
static void settle(void)
{
    // Descriptors 0 to 2 must not become those of a history or a pipe.
    int descriptor;
    do {
        descriptor = open("/dev/null", O_RDWR);
    } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    if (descriptor >= 0)
        close(descriptor);
    signal(SIGCHLD, SIG_DFL); // ignored, it would take our children's endings away
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // a limit of file size is an error, not a death
    allow_stack();
    programs_of_system_find();
}

static int perform(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-v") == 0)
        return verb_call(1, (char *[]){(char[]){"version"}, NULL});
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return 0;
    }
    return verb_call(argc - 1, argv + 1);
}

struct call {
    int argc;
    char **argv;
    int code;
};

// makecontext passes no pointers, but two halves of one.
static void perform_call(unsigned high, unsigned low)
{
    struct call *call = (void *)(((uintptr_t)high << 32) | low);
    call->code = perform(call->argc, call->argv);
}

// On a stack of our own: the limit of the usual one may be too small for libraries, and not ours to
// raise.
static int perform_apart(int argc, char **argv)
{
    struct call call = {argc, argv, EXIT_ENVIRONMENT};
    ucontext_t here, there;
    void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED || getcontext(&there) != 0)
        return perform(argc, argv);
    there.uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK_BYTES};
    there.uc_link = &here;
    makecontext(&there, (void (*)(void))perform_call, 2, (unsigned)((uintptr_t)&call >> 32),
                (unsigned)(uintptr_t)&call);
    swapcontext(&here, &there);
    munmap(stack, STACK_BYTES);
    return call.code;
}

int main(int argc, char **argv)
{
    struct rlimit stack = {0};
    settle();
    json_set_alloc_funcs(memory_new, free); // its own gives NULL where there is no memory
    bool is_small = getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < STACK_BYTES;
    int code = is_small ? perform_apart(argc, argv) : perform(argc, argv);
    struct error error;
    if (output_end(&error) == 0)
        return code;
    fprintf(stderr, "lockpick: %s\n", error.text);
    return EXIT_ENVIRONMENT;
}
