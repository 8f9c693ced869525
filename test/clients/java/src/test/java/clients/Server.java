package clients;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;

/** The server under test, as the environment names it, and how tests wait for it. */
final class Server {
  static final String GROUP = "management.svc.example";
  static final String VERSION = GROUP + "/v1";
  /** Shares an object with the user of {@link #VIEWER}. */
  static final String SHARE = "{\"spec\":{\"access\":[{\"verbs\":[\"get\"],\"users\":[\"viewer\"]}]}}";

  /** The variables with the kubeconfigs of an administrator, and of a user without any right of their own. */
  static final String ADMIN = "KUBECONFIG";

  static final String VIEWER = "VIEWER_KUBECONFIG";

  /** It only ends a broken test. */
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private Server() {}

  static Path kubeconfig(String variable) {
    return Path.of(System.getenv(variable));
  }

  /** The value of a line such as {@code server: ...} in a kubeconfig of one cluster and one user. */
  static String setting(String variable, String name) throws Exception {
    return Files.readAllLines(kubeconfig(variable)).stream()
        .map(String::strip)
        .filter(line -> line.startsWith(name + ": "))
        .map(line -> line.substring(name.length() + 2))
        .findFirst()
        .orElseThrow();
  }

  /** Asks until the answer is true. */
  static void eventually(String what, Callable<Boolean> ask) throws Exception {
    var until = Instant.now().plus(LONGEST);
    while (!ask.call()) {
      if (Instant.now().isAfter(until)) throw new AssertionError("did not come: " + what);
      Thread.sleep(50);
    }
  }
}
