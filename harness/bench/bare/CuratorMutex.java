// Curator's InterProcessMutex alone, in a loop: HOST:PORT LOCK SECONDS WARM_UP_SECONDS.
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;

public class CuratorMutex {
    static CuratorFramework client;
    static List<Long> acquires;

    // Returns how long it took.
    static long loop(String name, double seconds) throws Exception {
        acquires = new ArrayList<>();
        long begun = System.nanoTime();
        while (System.nanoTime() < begun + 1e9 * seconds) {
            InterProcessMutex lock = new InterProcessMutex(client, "/" + name);
            long asked = System.nanoTime();
            if (!lock.acquire(30, TimeUnit.SECONDS))
                throw new IllegalStateException("it was not granted");
            acquires.add(System.nanoTime() - asked);
            lock.release();
        }
        return System.nanoTime() - begun;
    }

    public static void main(String[] arguments) throws Exception {
        client = CuratorFrameworkFactory.newClient(arguments[0], 10000, 10000, new RetryOneTime(5));
        client.start();
        client.blockUntilConnected(10, TimeUnit.SECONDS);
        loop(arguments[1], Double.parseDouble(arguments[3]));
        long took = loop(arguments[1], Double.parseDouble(arguments[2]));
        Collections.sort(acquires);
        System.out.println("{\"locks\": " + acquires.size() + ", \"ns\": " + took + ", \"p50_ns\": "
                + acquires.get(acquires.size() / 2) + "}");
        System.exit(0);
    }
}
