#!/usr/bin/php
<?php
// Laravel's Illuminate\Cache\MemcachedLock: its release asks whose the lock is, and then removes it.
require 'Illuminate/Cache/autoload.php';
require 'library.php';

use Illuminate\Cache\MemcachedLock;

$memcached = memcached();
$lock = null;
run(
    function (array $request) use ($memcached, &$lock) {
        $lock = new MemcachedLock($memcached, $request['lock'], intdiv($request['lease_ms'], 1000));
        return $lock->get();
    },
    function () use (&$lock) {
        return $lock->release();
    }
);
