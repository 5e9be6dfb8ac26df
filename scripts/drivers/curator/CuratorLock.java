// Apache Curator's locks as a driver for Lockpick:
//   java -cp /usr/share/java/curator-recipes.jar CuratorLock.java RECIPE
// where RECIPE is mutex, semaphore-mutex, read-write, downgrade, latch or queue.
//
// Install: apt-get install default-jdk-headless libcurator-recipes-java
//
// `downgrade` reads as Curator's documentation says one may: it takes the write lock, takes the read
// lock under it, and gives the write lock back.
//
// `latch` leads by a LeaderLatch, and keeps it when leadership is lost, as it is meant to be used: it gets
// leadership back by itself.
//
// `queue` is a DistributedQueue with a lock path, from which a job goes only once its consumer has come back. Each worker has a
// consumer, which hands each job on to the worker that asks, and comes back when that releases; a job that is not done it has put back.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.recipes.queue.DistributedQueue;
import org.apache.curator.framework.recipes.queue.QueueBuilder;
import org.apache.curator.framework.recipes.queue.QueueConsumer;
import org.apache.curator.framework.recipes.queue.QueueSerializer;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;

public class CuratorLock {
    static String recipe;
    static CuratorFramework client;
    // Of each worker: Curator knows the owner of a lock by its thread, so each worker has one.
    static final Map<Long, ExecutorService> threads = new ConcurrentHashMap<>();
    static final Map<Long, InterProcessLock> held = new ConcurrentHashMap<>();
    static final Map<Long, LeaderLatch> latches = new ConcurrentHashMap<>();
    static final Map<Long, Consumer> consumers = new ConcurrentHashMap<>();
    // Of each worker that leads, the lock; guarded by the class, as what is said is.
    static final Map<Long, String> led = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        recipe = arguments[0];
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        String hello = input.readLine();
        int session = (int) number(hello, "lease_ms"); // it ends after a lease
        client = CuratorFrameworkFactory.newClient(System.getenv("LOCKPICK_ZOOKEEPER"), session,
                10000, new RetryOneTime((int) number(hello, "retry_ms")));
        client.start();
        client.blockUntilConnected(10, TimeUnit.SECONDS);
        if (recipe.equals("queue") && number(hello, "client") == 1)
            putJobs(find(hello, "locks", "\\[([^\\]]*)\\]").split(","));
        say("{\"hello\": 1, \"driver\": \"Curator " + recipe + "\", \"measure\": true}");
        for (String line; (line = input.readLine()) != null && !line.contains("\"quit\"");) {
            String request = line;
            threads.computeIfAbsent(number(line, "worker"), worker -> Executors.newSingleThreadExecutor())
                    .execute(() -> answer(request));
        }
        System.exit(0);
    }

    static void answer(String request) {
        String id = "{\"id\": " + number(request, "id") + ", \"answer\": ";
        if (request.contains("\"measure\"")) {
            say(id + measure(request) + "}");
            return;
        }
        long called = System.nanoTime(); // CLOCK_MONOTONIC
        String word = word(request, request.contains("\"acquire\""));
        synchronized (CuratorLock.class) {
            String job = word.equals("held") && recipe.equals("queue")
                    ? ", \"job\": " + consumers.get(number(request, "worker")).job : "";
            say(id + "\"" + word + "\"" + job + ", \"from_ns\": " + called + ", \"to_ns\": " + System.nanoTime() + "}");
            if (recipe.equals("latch") && word.equals("held")) {
                led.put(number(request, "worker"), text(request, "lock"));
                if (!latches.get(number(request, "worker")).hasLeadership())
                    lose(number(request, "worker"));
            }
        }
    }

    // Leadership that nobody was told of yet is lost without a word.
    static synchronized void lose(long worker) {
        String lock = led.remove(worker);
        if (lock != null)
            say("{\"answer\": \"lost\", \"worker\": " + worker + ", \"lock\": \"" + lock
                    + "\", \"reason\": \"suspended\"}");
    }

    static String word(String request, boolean acquires) {
        try {
            return acquires ? acquire(request) : release(request);
        } catch (IllegalMonitorStateException failure) {
            return "gone";
        } catch (Exception failure) { // connection loss, or the end of the session
            failure.printStackTrace();
            return "unknown";
        }
    }

    // The loop of a measurement, with nothing in it but the lock and the clock.
    static String measure(String request) {
        long operations = number(request, "operations"), until = number(request, "until_ns");
        long hold = number(request, "hold_us"), think = number(request, "think_us");
        long begun = System.nanoTime(), ended = begun; // CLOCK_MONOTONIC
        StringBuilder cycles = new StringBuilder();
        for (long i = 0; i < operations && ended < until; i++) {
            long asked = System.nanoTime();
            String acquired = word(request, true);
            long granted = System.nanoTime();
            cycles.append(i > 0 ? ", [" : "[").append(asked - ended).append(", ").append(granted - asked);
            ended = granted;
            if (acquired.equals("held")) {
                sleep(hold);
                asked = System.nanoTime();
                String released = word(request, false);
                ended = System.nanoTime();
                cycles.append(", ").append(asked - granted).append(", ").append(ended - asked);
                if (!released.equals("released"))
                    cycles.append(", \"").append(released).append("\"");
            } else {
                cycles.append(", \"").append(acquired).append("\"");
            }
            cycles.append("]");
            sleep(think);
        }
        return "\"measured\", \"from_ns\": " + begun + ", \"cycles\": [" + cycles + "]";
    }

    static void sleep(long us) {
        if (us > 0)
            LockSupport.parkNanos(us * 1000);
    }

    static String lead(String request) throws Exception {
        long worker = number(request, "worker");
        LeaderLatch latch = latches.get(worker);
        if (latch == null) {
            latch = new LeaderLatch(client, "/" + text(request, "lock"));
            latch.addListener(new LeaderLatchListener() {
                public void isLeader() {}
                public void notLeader() {
                    lose(worker);
                }
            });
            latches.put(worker, latch);
            latch.start();
        }
        if (latch.await(number(request, "wait_ms"), TimeUnit.MILLISECONDS))
            return "held";
        latches.remove(worker).close();
        return "not-held";
    }

    static String resign(String request) throws Exception {
        boolean leads;
        synchronized (CuratorLock.class) {
            leads = led.remove(number(request, "worker")) != null;
        }
        if (leads)
            latches.remove(number(request, "worker")).close();
        return leads ? "released" : "gone";
    }

    // A job is its number.
    static class Consumer implements QueueConsumer<Long>, QueueSerializer<Long> {
        final BlockingQueue<Long> given = new SynchronousQueue<>();
        final BlockingQueue<Boolean> releases = new SynchronousQueue<>();
        long job;

        public void consumeMessage(Long message) throws Exception {
            given.put(message);
            if (!releases.take())
                throw new Exception("not done");
        }

        public void stateChanged(CuratorFramework client, ConnectionState state) {}

        public byte[] serialize(Long message) {
            return message.toString().getBytes();
        }

        public Long deserialize(byte[] bytes) {
            return Long.valueOf(new String(bytes));
        }
    }

    static QueueBuilder<Long> queueOf(String lock, Consumer consumer, Consumer serializer) {
        return QueueBuilder.builder(client, consumer, serializer, "/" + lock + "/jobs").lockPath("/" + lock + "/locks");
    }

    static void putJobs(String[] locks) throws Exception {
        String first = locks[0].replaceAll("[\" ]", "");
        DistributedQueue<Long> queue = queueOf(first, null, new Consumer()).putInBackground(false).buildQueue();
        queue.start();
        for (long job = 1; job <= locks.length; job++)
            queue.put(job);
    }

    static String take(String request) throws Exception {
        long give_up = System.nanoTime() + number(request, "wait_ms") * 1000000;
        Consumer consumer = consumers.get(number(request, "worker"));
        if (consumer == null) {
            consumer = new Consumer();
            consumers.put(number(request, "worker"), consumer);
            queueOf(text(request, "lock"), consumer, consumer).buildQueue().start();
        }
        do {
            Long job = consumer.given.poll(10, TimeUnit.MILLISECONDS);
            if (job != null) {
                consumer.job = job;
                return "held";
            }
            if (client.getChildren().forPath("/" + text(request, "lock") + "/jobs").isEmpty())
                return "gone";
        } while (System.nanoTime() < give_up);
        return "not-held";
    }

    static String acquire(String request) throws Exception {
        if (recipe.equals("latch"))
            return lead(request);
        if (recipe.equals("queue"))
            return take(request);
        String path = "/" + text(request, "lock");
        long wait = number(request, "wait_ms");
        boolean shared = request.contains("\"shared\"");
        InterProcessLock lock;
        switch (recipe) {
        case "mutex": lock = new InterProcessMutex(client, path); break;
        case "semaphore-mutex": lock = new InterProcessSemaphoreMutex(client, path); break;
        default:
            InterProcessReadWriteLock both = new InterProcessReadWriteLock(client, path);
            lock = shared ? both.readLock() : both.writeLock();
            if (shared && recipe.equals("downgrade")) {
                if (!both.writeLock().acquire(wait, TimeUnit.MILLISECONDS))
                    return "not-held";
                lock.acquire();
                both.writeLock().release();
                held.put(number(request, "worker"), lock);
                return "held";
            }
        }
        if (!lock.acquire(wait, TimeUnit.MILLISECONDS))
            return "not-held";
        held.put(number(request, "worker"), lock);
        return "held";
    }

    static String release(String request) throws Exception {
        if (recipe.equals("latch"))
            return resign(request);
        if (recipe.equals("queue")) {
            consumers.get(number(request, "worker")).releases.put(request.contains("\"done\": true"));
            return "released";
        }
        held.remove(number(request, "worker")).release();
        return "released";
    }

    static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    static long number(String line, String member) {
        return Long.parseLong(find(line, member, "(-?\\d+)"));
    }

    static String text(String line, String member) {
        return find(line, member, "\"([^\"]*)\"");
    }

    static String find(String line, String member, String value) {
        Matcher matcher = Pattern.compile("\"" + member + "\": *" + value).matcher(line);
        if (!matcher.find())
            throw new IllegalArgumentException("no " + member + " in " + line);
        return matcher.group(1);
    }
}
