#!/usr/bin/php
<?php
// Horde_Memcache::lock, which is to wait until it has the lock: whether it has, it does not look.
require 'Horde/Memcache.php';
require 'library.php';

$lock = new Horde_Memcache(['hostspec' => [address('MEMCACHED')[0]], 'port' => [address('MEMCACHED')[1]]]);
run(
    function (array $request) use ($lock) {
        $lock->lock($request['lock']);
        return true;
    },
    function (array $request) use ($lock) {
        $lock->unlock($request['lock']);
        return true;
    }
);
