package clients;

import static clients.Server.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** io.fabric8:kubernetes-client. */
class Fabric8Test {
  private static final String FINALIZER = "example.com/fabric8";

  private final KubernetesClient admin = client(Server.ADMIN);
  private final KubernetesClient viewer = client(Server.VIEWER);
  private String namespace;

  private static KubernetesClient client(String variable) {
    return new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(Server.kubeconfig(variable).toFile())).build();
  }

  @BeforeEach
  void makeNamespace() {
    var wanted = new NamespaceBuilder().withNewMetadata().withGenerateName("fabric8-").endMetadata().build();
    namespace = admin.resource(wanted).create().getMetadata().getName();
  }

  @AfterEach
  void close() {
    admin.close();
    viewer.close();
  }

  private NonNamespaceOperation<GenericKubernetesResource, GenericKubernetesResourceList, Resource<GenericKubernetesResource>> secrets(
      KubernetesClient client) {
    return client.genericKubernetesResources(Server.VERSION, "SharedSecret").inNamespace(namespace);
  }

  private Resource<GenericKubernetesResource> secret(String name) {
    return secrets(admin).withName(name);
  }

  private static GenericKubernetesResource wanted(String name, Map<String, ?> spec) {
    var made = new GenericKubernetesResource();
    made.setApiVersion(Server.VERSION);
    made.setKind("SharedSecret");
    made.setMetadata(new io.fabric8.kubernetes.api.model.ObjectMetaBuilder().withName(name).build());
    made.setAdditionalProperty("spec", spec);
    return made;
  }

  private GenericKubernetesResource create(String name, Map<String, ?> spec) {
    return secrets(admin).resource(wanted(name, spec)).create();
  }

  private GenericKubernetesResource merge(String name, String patch) {
    return secret(name).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  private static List<String> names(List<? extends HasMetadata> objects) {
    return objects.stream().map(found -> found.getMetadata().getName()).sorted().toList();
  }

  @Test
  void aListComesInPagesOfOneState() {
    for (var name : List.of("a", "b", "c", "d", "e")) create(name, Map.of());
    var first = secrets(admin).list(new ListOptionsBuilder().withLimit(3L).build());
    assertEquals(2, first.getMetadata().getRemainingItemCount());
    create("ab", Map.of());
    var rest = secrets(admin).list(new ListOptionsBuilder().withLimit(3L).withContinue(first.getMetadata().getContinue()).build());
    assertEquals(List.of("a", "b", "c", "d", "e"), names(Stream.concat(first.getItems().stream(), rest.getItems().stream()).toList()));
    assertEquals(first.getMetadata().getResourceVersion(), rest.getMetadata().getResourceVersion());
  }

  @Test
  void aContinueTokenExpiresWithTheRightsThatItWasGivenFor() {
    for (var name : List.of("a", "b", "c")) create(name, Map.of());
    for (var name : List.of("a", "b")) merge(name, Server.SHARE);
    var token = secrets(viewer).list(new ListOptionsBuilder().withLimit(1L).build()).getMetadata().getContinue();
    merge("c", Server.SHARE);
    var next = new ListOptionsBuilder().withLimit(1L).withContinue(token).build();
    assertEquals(410, assertThrows(KubernetesClientException.class, () -> secrets(viewer).list(next)).getCode());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "JSON|[{\"op\":\"add\",\"path\":\"/spec/description\",\"value\":\"new\"}]",
    "JSON_MERGE|{\"spec\":{\"description\":\"new\"}}",
    "STRATEGIC_MERGE|{\"spec\":{\"description\":\"new\"}}",
  })
  void eachPatchChangesWhatItNames(PatchType type, String patch) {
    create("one", Map.of("data", Map.of("key", "dmFsdWU=")));
    var patched = secret("one").patch(PatchContext.of(type), patch);
    assertEquals("new", patched.get("spec", "description"));
    assertEquals(Map.of("key", "dmFsdWU="), patched.get("spec", "data"));
  }

  @Test
  void aStrategicMergePatchMergesAListByItsKey() {
    var robot = new ServiceAccountBuilder().withNewMetadata().withName("robot").endMetadata().addNewSecret().withName("one").endSecret().build();
    admin.serviceAccounts().inNamespace(namespace).resource(robot).create();
    var patched = admin.serviceAccounts().inNamespace(namespace).withName("robot")
        .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), "{\"secrets\":[{\"name\":\"two\"}]}");
    assertEquals(List.of("one", "two"), patched.getSecrets().stream().map(ObjectReference::getName).sorted().toList());
  }

  @Test
  void anEditSendsWhatHasChanged() {
    create("one", Map.of("description", "old"));
    var edited = secret("one").edit(found -> {
      found.getMetadata().setLabels(Map.of("edited", "yes"));
      return found;
    });
    assertEquals("yes", edited.getMetadata().getLabels().get("edited"));
    assertEquals("old", edited.get("spec", "description"));
  }

  @Test
  void anApplyConflictsWithAnotherManagerUntilItIsForced() {
    secrets(admin).resource(wanted("one", Map.of("description", "first", "data", Map.of("key", "dmFsdWU=")))).fieldManager("first").serverSideApply();
    var other = secrets(admin).resource(wanted("one", Map.of("description", "second"))).fieldManager("second");
    assertEquals(409, assertThrows(KubernetesClientException.class, other::serverSideApply).getCode());
    assertEquals("second", other.forceConflicts().serverSideApply().get("spec", "description"));
    GenericKubernetesResource left = secrets(admin).resource(wanted("one", Map.of())).fieldManager("first").serverSideApply();
    assertNull(left.get("spec", "data"));
    assertEquals("second", left.get("spec", "description"));
  }

  @Test
  void anUpdateOfAnOldVersionConflicts() {
    var old = create("one", Map.of());
    merge("one", "{\"spec\":{\"description\":\"new\"}}");
    var locked = secrets(admin).resource(old).lockResourceVersion();
    assertEquals(409, assertThrows(KubernetesClientException.class, locked::update).getCode());
    assertEquals(409, assertThrows(KubernetesClientException.class, () -> create("one", Map.of())).getCode());
    var wrong = Map.of("data", Map.of("no key!", ""));
    assertEquals(422, assertThrows(KubernetesClientException.class, () -> create("two", wrong)).getCode());
  }

  @Test
  void aWatchHasEachChangeAndBookmarks() throws Exception {
    var begun = create("before", Map.of()).getMetadata().getResourceVersion();
    create("one", Map.of());
    merge("one", Server.SHARE);
    secret("before").delete();
    var options = new ListOptionsBuilder().withResourceVersion(begun).withAllowWatchBookmarks(true).withTimeoutSeconds(2L).build();
    admin.resource(new ConfigMapBuilder().withNewMetadata().withName("besides").withNamespace(namespace).endMetadata().build()).create();
    var noted = new Noted();
    try (var watch = secrets(admin).watch(options, noted)) {
      eventually("the bookmark", () -> noted.changes.size() > 3);
    }
    assertEquals(List.of("ADDED one", "MODIFIED one", "DELETED before", "BOOKMARK null"), noted.changes.subList(0, 4));
  }

  @Test
  void aWatchFromAForgottenVersionIs410() throws Exception {
    var noted = new Noted();
    try (var watch = secrets(admin).watch(new ListOptionsBuilder().withResourceVersion("1").build(), noted)) {
      assertTrue(noted.closed.get(60, TimeUnit.SECONDS).isHttpGone());
    }
  }

  /** What came on a watch, and why it ended. */
  private static final class Noted implements Watcher<GenericKubernetesResource> {
    final List<String> changes = new CopyOnWriteArrayList<>();
    final CompletableFuture<WatcherException> closed = new CompletableFuture<>();

    @Override
    public void eventReceived(Action action, GenericKubernetesResource found) {
      changes.add(action + " " + found.getMetadata().getName());
    }

    @Override
    public void onClose(WatcherException cause) {
      closed.complete(cause);
    }
  }

  @Test
  void anInformerListsAgainAfterThe410ThatEndsItsWatch() throws Exception {
    for (var name : List.of("shown", "hidden")) create(name, Map.of());
    merge("shown", Server.SHARE);
    try (var informer = secrets(viewer).inform()) {
      holds(informer, "shown");
      merge("hidden", Server.SHARE);
      holds(informer, "hidden", "shown");
      create("later", Map.of("access", List.of(Map.of("verbs", List.of("get"), "users", List.of("viewer")))));
      holds(informer, "hidden", "later", "shown");
      secret("shown").delete();
      holds(informer, "hidden", "later");
    }
  }

  private static void holds(SharedIndexInformer<GenericKubernetesResource> informer, String... wanted) throws Exception {
    eventually(String.join(",", wanted), () -> names(informer.getStore().list()).equals(List.of(wanted)));
  }

  @Test
  void aControllerHoldsObjectsWithAFinalizerUntilItIsDone() throws Exception {
    try (var informer = secrets(admin).inform(new Holder())) {
      create("one", Map.of());
      eventually("the finalizer", () -> secret("one").get().getMetadata().getFinalizers().equals(List.of(FINALIZER)));
      secret("one").delete();
      eventually("the removal", () -> informer.getStore().list().isEmpty());
    }
    assertEquals("one", admin.configMaps().inNamespace(namespace).withName("one-farewell").get().getData().get("was"));
  }

  private final class Holder implements ResourceEventHandler<GenericKubernetesResource> {
    @Override
    public void onAdd(GenericKubernetesResource found) {
      if (found.getFinalizers().isEmpty()) secrets(admin).resource(found).edit(one -> withFinalizers(one, List.of(FINALIZER)));
    }

    @Override
    public void onUpdate(GenericKubernetesResource old, GenericKubernetesResource found) {
      if (!found.isMarkedForDeletion() || found.getFinalizers().isEmpty()) return;
      var name = found.getMetadata().getName();
      admin.resource(new ConfigMapBuilder().withNewMetadata().withName(name + "-farewell").withNamespace(namespace).endMetadata().addToData("was", name).build()).create();
      secrets(admin).resource(found).edit(one -> withFinalizers(one, List.of()));
    }

    @Override
    public void onDelete(GenericKubernetesResource found, boolean unknown) {}

    private GenericKubernetesResource withFinalizers(GenericKubernetesResource one, List<String> finalizers) {
      one.getMetadata().setFinalizers(finalizers);
      return one;
    }
  }

  @Test
  void oneOfTwoCandidatesLeadsAndTheOtherFollowsWhenItIsGone() throws Exception {
    var first = new CountDownLatch(1);
    var second = new CountDownLatch(1);
    var leader = elect("first", first);
    assertTrue(first.await(60, TimeUnit.SECONDS));
    var follower = elect("second", second);
    var renewed = lease().getSpec().getRenewTime();
    eventually("a renewal", () -> lease().getSpec().getRenewTime().isAfter(renewed));
    assertEquals(1, second.getCount());
    leader.cancel(true);
    assertTrue(second.await(60, TimeUnit.SECONDS));
    assertEquals("second", lease().getSpec().getHolderIdentity());
    follower.cancel(true);
  }

  private CompletableFuture<?> elect(String identity, CountDownLatch leading) {
    var config = new LeaderElectionConfigBuilder().withName("election").withLock(new LeaseLock(namespace, "election", identity))
        .withLeaseDuration(Duration.ofSeconds(10)).withRenewDeadline(Duration.ofSeconds(8)).withRetryPeriod(Duration.ofMillis(500))
        .withReleaseOnCancel().withLeaderCallbacks(new LeaderCallbacks(leading::countDown, () -> {}, leader -> {})).build();
    return admin.leaderElector().withConfig(config).build().start();
  }

  private io.fabric8.kubernetes.api.model.coordination.v1.Lease lease() {
    return admin.leases().inNamespace(namespace).withName("election").get();
  }
}
