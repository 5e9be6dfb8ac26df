#!/usr/bin/php
<?php
// Symfony's Lock with its MemcachedStore: its release has made sure of the lock for two seconds, and then removes it,
// however long that takes.
require '/usr/share/php/Symfony/Component/Lock/autoload.php';
require 'library.php';

use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\Lock;
use Symfony\Component\Lock\Store\MemcachedStore;

$memcached = memcached();
$lock = null;
run(
    function (array $request) use ($memcached, &$lock) {
        $lease = intdiv($request['lease_ms'], 1000);
        $lock = new Lock(new Key($request['lock']), new MemcachedStore($memcached, $lease), $lease, false);
        return $lock->acquire();
    },
    function () use (&$lock) {
        $owned = $lock->isAcquired(); // release() says nothing of a lock that is not its own
        $lock->release();
        return $owned;
    }
);
