#!/usr/bin/php
<?php
// Laravel's Illuminate\Cache\CacheLock without an expiry, its default: it looks whether the lock is there, and then makes
// it.
require 'Illuminate/Cache/autoload.php';
require 'library.php';

use Illuminate\Cache\CacheLock;
use Illuminate\Cache\MemcachedStore;

$memcached = memcached();
$lock = null;
run(
    function (array $request) use ($memcached, &$lock) {
        $lock = new CacheLock(new MemcachedStore($memcached), $request['lock'], 0);
        return $lock->get();
    },
    function () use (&$lock) {
        return $lock->release();
    }
);
