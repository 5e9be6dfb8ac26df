#!/usr/bin/php
<?php
// Symfony's Lock with its RedisStore as a driver for Lockpick.
//
// Install: apt-get install php-cli php-redis php-symfony-lock
//
// `keep-connection` as an argument: goes on with a connection on which a request was not answered in
// time. phpredis then takes the late answer for that of the next request, and so on with all others.
//
// PHP has no threads: those that wait are kept in a list, and each is tried again in turn.
require '/usr/share/php/Symfony/Component/Lock/autoload.php';

use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\Lock;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockExpiredException;
use Symfony\Component\Lock\Store\RedisStore;

// With when the library was called, hrtime(true) being CLOCK_MONOTONIC, and when that call returned.
function say_result(array $request, int $called, array $answer): void
{
    say(['id' => $request['id'], 'from_ns' => $called, 'to_ns' => hrtime(true)] + $answer);
}

function say(array $line): void
{
    fwrite(STDOUT, json_encode($line)."\n");
}

function connection(): Redis
{
    static $redis = null;
    return $redis ??= new Redis();
}

function store(array $hello, float $lease): RedisStore
{
    $redis = connection();
    if (!$redis->isConnected()) {
        preg_match('/^(.*):(\d+)/', explode(',', getenv('LOCKPICK_REDIS'))[0], $at);
        $redis->connect(trim($at[1], '[]'), (int) $at[2], $hello['request_ms'] / 1000);
        $redis->setOption(Redis::OPT_READ_TIMEOUT, $hello['request_ms'] / 1000);
    }
    return new RedisStore($redis, $lease);
}

function fail(Exception $failure): string
{
    global $argv;
    fwrite(STDERR, $failure->getMessage()."\n");
    if (!in_array('keep-connection', $argv)) {
        connection()->close();
    }
    return 'unknown';
}

// null: not yet; try again.
function acquire(array $request, array &$held, array $hello, float $giveUp): ?string
{
    $lease = $request['lease_ms'] / 1000;
    try {
        $lock = new Lock(new Key($request['lock']), store($hello, $lease), $lease, false);
        if ($lock->acquire(false)) {
            $held[$request['worker']] = $lock;
            return 'held';
        }
        return microtime(true) < $giveUp ? null : 'not-held';
    } catch (Exception $failure) { // it may have been granted
        return fail($failure);
    }
}

function release(Lock $lock): string
{
    try {
        $owned = $lock->isAcquired(); // release() says nothing of a lock that is not its own
        $lock->release();
        if ($owned && $lock->isExpired()) {
            return 'unknown'; // it may have ended between the two
        }
        return $owned ? 'released' : 'not-owner';
    } catch (Exception $failure) {
        return fail($failure);
    }
}

$hello = json_decode(fgets(STDIN), true);
store($hello, 1.0);
say(['hello' => 1, 'driver' => 'Symfony Lock']);
stream_set_blocking(STDIN, false);
$waiting = []; // id: [request, when it gives up, when it began]
$held = [];    // worker: its lock
$rest = '';
while (!feof(STDIN)) {
    $ready = [STDIN];
    $none = null;
    $pause = $waiting ? max(1, $hello['retry_ms']) * 1000 : 1000000;
    if (stream_select($ready, $none, $none, 0, $pause) > 0) {
        $rest .= fread(STDIN, 65536);
    }
    while (($end = strpos($rest, "\n")) !== false) {
        $request = json_decode(substr($rest, 0, $end), true);
        $rest = substr($rest, $end + 1);
        if ($request['do'] === 'quit') {
            exit(0);
        }
        if ($request['do'] === 'acquire') {
            $waiting[$request['id']] = [$request, microtime(true) + $request['wait_ms'] / 1000, hrtime(true)];
        } else {
            $called = hrtime(true);
            say_result($request, $called, ['answer' => release($held[$request['worker']])]);
        }
    }
    foreach ($waiting as $id => [$request, $giveUp, $called]) {
        $asked = hrtime(true);
        $answer = acquire($request, $held, $hello, $giveUp);
        if ($answer !== null) {
            unset($waiting[$id]);
            say_result($request, $called, ['answer' => $answer] + ($answer === 'held' ? ['request_ns' => $asked] : []));
        }
    }
}
