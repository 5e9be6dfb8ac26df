<?php
// What the programs of this folder in PHP share: the line protocol around the lock of a library, as
// library.py has it. $tryAcquire and $release are given the request: true if it has the lock, and if
// the lock that was released was its own. What is thrown is an answer that did not come.

// Where the server is: [host, port].
function address(string $kind): array
{
    [$host, $port] = explode(':', explode(',', getenv("LOCKPICK_$kind"))[0]);
    return [$host, (int) $port];
}

function memcached(): Memcached
{
    $memcached = new Memcached();
    $memcached->addServer(...address('MEMCACHED'));
    return $memcached;
}

function say(array $line): void
{
    fwrite(STDOUT, json_encode($line)."\n");
}

function acquire(array $request, callable $tryAcquire, int $retryMs): array
{
    $giveUp = hrtime(true) + $request['wait_ms'] * 1000000;
    while (true) {
        $asked = hrtime(true); // from when on the lease counts
        if ($tryAcquire($request)) {
            return ['answer' => 'held', 'request_ns' => $asked];
        }
        if (hrtime(true) > $giveUp) {
            return ['answer' => 'not-held'];
        }
        usleep($retryMs * 1000);
    }
}

function run(callable $tryAcquire, callable $release): void
{
    $retryMs = json_decode(fgets(STDIN), true)['retry_ms'];
    say(['hello' => 1, 'driver' => $GLOBALS['argv'][0]]);
    while (($line = fgets(STDIN)) !== false) {
        $request = json_decode($line, true);
        if ($request['do'] === 'quit') {
            return;
        }
        try {
            $answer = $request['do'] === 'acquire' ? acquire($request, $tryAcquire, $retryMs)
                : ['answer' => $release($request) ? 'released' : 'gone'];
        } catch (Exception $failure) { // it may have been done
            fwrite(STDERR, $line.$failure->getMessage()."\n");
            $answer = ['answer' => 'unknown'];
        }
        say(['id' => $request['id']] + $answer);
    }
}
