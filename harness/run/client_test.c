// What a client process is made of, and how long it may go on; and what becomes of a trial without
// its server.
#include "harness/base/file.h"
#include "harness/history/file.h"
#include "harness/run/test_trials.h"
#include "harness/testing/test.h"

#include <fcntl.h>
#include <unistd.h>

// What /proc says of that process in that file, on the line that begins with `name`; 0: nothing.
static int figure_of(pid_t process, const char *file, const char *name)
{
    char path[64];
    AUTO_TEXT struct text text = {0};
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, file);
    (void)file_read(path, &text, NULL);
    const char *line = strstr(text_string(&text), name);
    int figure = line != NULL ? atoi(line + strlen(name)) : 0;
    return figure;
}

// How many threads client-1 has, this process's child; 0 if there is none.
static int threads_of_child(void)
{
    struct process_list list = process_list_read();
    int threads = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].parent == getpid() && figure_of(list.items[i].id, "comm", "client-") == 1)
            threads = figure_of(list.items[i].id, "status", "\nThreads:");
    }
    free(list.items);
    return threads;
}

static void look_at_client(void *context, const struct trial *trial, const char *doing,
                           size_t events)
{
    int *threads = context;
    (void)trial;
    (void)events;
    int found = strcmp(doing, "running") == 0 ? threads_of_child() : 0;
    // It may have ended already. A sanitizer has a thread in each process, in ours as well.
    if (found > 0)
        *threads = found - figure_of(getpid(), "status", "\nThreads:") + 1;
}

// Ends with as many as client-1 had threads while it ran.
static int conduct_and_look(const struct sandbox *sandbox, void *context)
{
    struct run *run = context;
    struct error error = {0};
    struct server_pool pool;
    int threads = 0;
    const struct progress progress = {.show = look_at_client, .context = &threads};
    server_pool_start(&pool, sandbox, run->folder);
    int result = trial_conduct(run->trial, &pool, run->folder, 1, &progress, &error);
    server_pool_stop(&pool);
    return result == 0 ? threads : 100;
}

static int threads_of_client(int64_t workers)
{
    struct scenario *scenario =
        scenario_of(PATIENT "workload: {kind: increment, for: 600ms, think: 1ms}\n"
                            "clients: {processes: 1}\n");
    scenario->clients.threads = workers;
    struct trial trial = {.scenario = scenario, .scheme = "process-mutex", .seed = 7};
    struct run run = {.trial = &trial, .folder = test_folder()};
    int threads = sandbox_run(true, conduct_and_look, &run);
    remove_folder(run.folder);
    return threads;
}

// A thread that only waits for others makes each of their requests dearer.
TEST(a_client_has_as_many_threads_as_workers)
{
    assert_int_equal(threads_of_client(1), 1);
    // Some sanitizers begin a thread of their own with the first of ours.
    assert_in_range(threads_of_client(3), 3, 4);
}

TEST(the_history_of_an_hour_has_room_for_an_hour)
{
    struct scenario *scenario =
        scenario_of(PATIENT "workload: {kind: increment, for: 1h, think: 1ms}\nlimit: 2h\n");
    struct history_header header;
    scenario->limit_ns = 100 * NS_PER_MS;
    struct trial trial = {.scenario = scenario, .scheme = "process-mutex", .seed = 7};
    struct run run = {.trial = &trial, .folder = test_folder()};
    assert_int_equal(sandbox_run(true, conduct, &run), 0);
    AUTO_FREE char *path = path_join(run.folder, "history.bin");
    int file = open(path, O_RDONLY);
    assert_int_equal(read(file, &header, sizeof header), sizeof header);
    close(file);
    remove_folder(run.folder);
    // Of the quickest locks over a network: 50,000 a second, of eight events each.
    assert_true(header.chunk_capacity * HISTORY_EVENTS_PER_CHUNK > 3600ULL * 50000 * 8);
}

static int run_into_a_dead_port(const struct sandbox *sandbox, void *context)
{
    struct run *run = context;
    struct error error = {0};
    setenv("PATH", "/nonexistent", 1);
    struct server_pool pool;
    server_pool_start(&pool, sandbox, run->folder);
    int result = trial_conduct(run->trial, &pool, run->folder, 1, NULL, &error);
    server_pool_stop(&pool);
    bool told = strstr(error.text, "redis-server") != NULL;
    return result == -1 && told ? 0 : 1;
}

TEST(a_server_that_cannot_start_is_an_error_that_names_its_package)
{
    struct trial trial = {.scenario = scenario_of(""), .scheme = "redis-setnx"};
    struct run run = {.trial = &trial, .folder = test_folder()};
    assert_int_equal(sandbox_run(true, run_into_a_dead_port, &run), 0);
    remove_folder(run.folder);
}
