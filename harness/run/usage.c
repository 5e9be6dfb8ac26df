#include "harness/run/usage.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

// --- processes -----------------------------------------------------------------------------------

int64_t thread_processor_ns(void)
{
    struct timespec used = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * NS_PER_S + used.tv_nsec;
}

// With all that it forked, if there is a list, depth by depth; that a process is its own ancestor
// cannot be. False if there is no such process any more.
static bool add_process(struct thread_watch *watch, const struct process_list *list,
                        const struct process_entry *entry, struct process_usage *usage)
{
    const struct thread_status *threads;
    int64_t processor_ns = 0;
    bool is_there = process_clock_read(entry->id, &processor_ns);
    if (is_there) {
        usage->processor_ns += processor_ns;
        usage->kernel_ns += time_earlier(entry->kernel_ns, processor_ns);
        for (size_t i = thread_watch_read(watch, entry->id, &threads); i-- > 0;) {
            usage->voluntary_switches += threads[i].voluntary_switches;
            usage->other_switches += threads[i].other_switches;
        }
    }
    if (list == NULL)
        return is_there;
    usage->processor_ns += entry->ended_ns;
    usage->kernel_ns += entry->ended_kernel_ns;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].parent == entry->id)
            add_process(watch, list, &list->items[i], usage);
    }
    return true;
}

bool process_usage_read(struct thread_watch *watch, const struct process_list *list, pid_t process,
                        struct process_usage *usage)
{
    struct process_entry entry;
    *usage = (struct process_usage){0};
    return process > 0 && process_read(process, &entry) && add_process(watch, list, &entry, usage);
}

// --- network and machine -------------------------------------------------------------------------

// "  eth0: BYTES PACKETS errs drop fifo frame compressed multicast BYTES PACKETS ..."
static void add_device(const char *line, struct network_usage *usage)
{
    int64_t values[4];
    const char *name = line + strspn(line, " ");
    const char *colon = strchr(name, ':');
    if (colon == NULL || strncmp(name, "lo:", 3) == 0)
        return;
    if (sscanf(colon + 1, " %" SCNd64 " %" SCNd64 " %*u %*u %*u %*u %*u %*u %" SCNd64 " %" SCNd64,
               &values[0], &values[1], &values[2], &values[3]) != 4)
        return;
    usage->received_bytes += values[0];
    usage->received_packets += values[1];
    usage->sent_bytes += values[2];
    usage->sent_packets += values[3];
}

bool network_usage_read(pid_t process, struct network_usage *usage)
{
    char path[64];
    AUTO_TEXT struct text devices = {0};
    *usage = (struct network_usage){0};
    snprintf(path, sizeof path, "/proc/%d/net/dev", (int)process);
    bool is_there = process > 0 && file_read(path, &devices, NULL) == 0 && devices.length > 0;
    char *rest = devices.bytes;
    for (char *line = strsep(&rest, "\n"); is_there && line != NULL; line = strsep(&rest, "\n"))
        add_device(line, usage);
    return is_there;
}

int64_t machine_busy_ns(void)
{
    char line[200];
    int64_t ticks[8] = {0}; // user, nice, kernel, idle, waiting for a disk, interrupts, ..., stolen
    if (sscanf(line_of_file("/proc/stat", "cpu ", line, sizeof line),
               "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
               " %" SCNd64,
               &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6],
               &ticks[7]) != 8)
        return -1;
    return ns_of_ticks(ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]);
}

const char *line_of_file(const char *path, const char *begins, char *out, size_t room)
{
    AUTO_TEXT struct text content = {0};
    const char *line =
        file_read(path, &content, NULL) == 0 ? strstr(text_string(&content), begins) : NULL;
    line = line != NULL ? line + strlen(begins) : "unknown";
    snprintf(out, room, "%.*s", (int)strcspn(line, "\n"), line);
    return out;
}

int processors_allowed(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

// --- what is recorded ----------------------------------------------------------------------------

#define EVERY_NS NS_PER_S
// A reading may cost one part in so many of a processor.
#define COST_SHARE 200

static void record(struct history_writer *writer, enum usage_figure figure, int node, pid_t process,
                   int64_t first, int64_t second)
{
    history_append(writer, (struct event){.kind = EVENT_USAGE,
                                          .detail = (uint8_t)figure,
                                          .usage = {node, process, first, second}});
}

static void record_process(struct history_writer *writer, int node, pid_t process,
                           const struct process_usage *usage)
{
    record(writer, USAGE_PROCESSOR, node, process, usage->processor_ns, usage->kernel_ns);
    record(writer, USAGE_SWITCHES, node, process, usage->voluntary_switches, usage->other_switches);
}

static void record_network(struct history_writer *writer, int node, pid_t process)
{
    struct network_usage usage;
    if (!network_usage_read(process, &usage))
        return;
    record(writer, USAGE_BYTES, node, process, usage.received_bytes, usage.sent_bytes);
    record(writer, USAGE_PACKETS, node, process, usage.received_packets, usage.sent_packets);
}

// The process, or with all that it forked, if `list` is given; and the network that it is in.
static void read_node(const struct usage_watch *watch, int node, pid_t process,
                      const struct process_list *list, bool with_network)
{
    struct process_usage usage;
    if (process_usage_read(watch->threads, list, process, &usage))
        record_process(watch->writer, node, process, &usage);
    // On loopback ports all nodes share a network.
    if (with_network && watch->environment->client_nodes->isolation == ISOLATION_NAMESPACES)
        record_network(watch->writer, node, process);
}

void usage_read_all(struct usage_watch *watch)
{
    int64_t began_ns = clock_monotonic_ns();
    int64_t used_ns = thread_processor_ns();
    watch->due_ns = began_ns + EVERY_NS;
    if (!processes_can_be_read())
        return;
    // First of a round: what is not read in the same round was gone.
    int64_t busy_ns = machine_busy_ns();
    record(watch->writer, USAGE_PROCESSOR, 0, 0, busy_ns >= 0 ? busy_ns : 0, processors_allowed());
    read_node(watch, 0, getpid(), NULL, false);
    read_node(watch, 0, watch->observer, NULL, false);
    struct process_list list = {0}; // read once it is needed
    for (int i = 0; i < watch->environment->client_count; i++) {
        const struct fault_client *client = &watch->environment->clients[i];
        if (client->leads_group && list.items == NULL)
            list = process_list_read();
        read_node(watch, i + 1, client->process, client->leads_group ? &list : NULL, true);
    }
    for (int i = 0; i < watch->servers->count; i++) {
        if (watch->servers->nodes[i].server == 0 || watch->servers->nodes[i].remote != NULL)
            continue;
        if (list.items == NULL)
            list = process_list_read();
        read_node(watch, -(i + 1), watch->servers->nodes[i].server, &list, true);
    }
    free(list.items);
    int64_t pause_ns = COST_SHARE * (thread_processor_ns() - used_ns);
    if (pause_ns > EVERY_NS)
        watch->due_ns = clock_monotonic_ns() + pause_ns;
}

void usage_read_if_due(struct usage_watch *watch, int64_t now_ns, size_t phases)
{
    if (now_ns >= watch->due_ns || phases != watch->phases)
        usage_read_all(watch);
    watch->phases = phases;
}

static int64_t of_timeval(const struct timeval *time)
{
    return time->tv_sec * NS_PER_S + time->tv_usec * NS_PER_US;
}

void usage_record_own(struct history_writer *writer, int client_number, bool knows_networks)
{
    struct rusage used;
    struct rusage children; // programs that it had started
    if (getrusage(RUSAGE_SELF, &used) != 0 || getrusage(RUSAGE_CHILDREN, &children) != 0)
        return;
    int64_t kernel_ns = of_timeval(&used.ru_stime) + of_timeval(&children.ru_stime);
    int64_t user_ns = of_timeval(&used.ru_utime) + of_timeval(&children.ru_utime);
    const struct process_usage usage = {.processor_ns = user_ns + kernel_ns,
                                        .kernel_ns = kernel_ns,
                                        .voluntary_switches = used.ru_nvcsw + children.ru_nvcsw,
                                        .other_switches = used.ru_nivcsw + children.ru_nivcsw};
    record_process(writer, client_number, getpid(), &usage);
    if (knows_networks)
        record_network(writer, client_number, getpid());
}
