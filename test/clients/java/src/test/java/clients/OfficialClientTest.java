package clients;

import static clients.Server.GROUP;
import static clients.Server.eventually;
import static io.kubernetes.client.custom.V1Patch.PATCH_FORMAT_APPLY_YAML;
import static io.kubernetes.client.custom.V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH;
import static io.kubernetes.client.custom.V1Patch.PATCH_FORMAT_JSON_PATCH;
import static io.kubernetes.client.custom.V1Patch.PATCH_FORMAT_STRATEGIC_MERGE_PATCH;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import com.google.gson.reflect.TypeToken;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.extended.controller.builder.ControllerBuilder;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.kubernetes.client.extended.leaderelection.LeaderElector;
import io.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.CustomObjectsApi;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import io.kubernetes.client.util.generic.options.ListOptions;
import io.kubernetes.client.util.generic.options.PatchOptions;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** io.kubernetes:client-java and client-java-extended. */
class OfficialClientTest {
  private static final String FINALIZER = "example.com/client-java";

  private final ApiClient admin = client(Server.ADMIN);
  private final CoreV1Api core = new CoreV1Api(admin);
  private final DynamicKubernetesApi secrets = secretsOf(admin);
  private final DynamicKubernetesApi seen = secretsOf(client(Server.VIEWER));
  private String namespace;

  private static ApiClient client(String variable) {
    try (var reader = Files.newBufferedReader(Server.kubeconfig(variable))) {
      return ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(reader)).setReadTimeout(Duration.ZERO).build();
    } catch (java.io.IOException error) {
      throw new AssertionError(error);
    }
  }

  private static DynamicKubernetesApi secretsOf(ApiClient client) {
    return new DynamicKubernetesApi(GROUP, "v1", "sharedsecrets", client);
  }

  @BeforeEach
  void makeNamespace() throws ApiException {
    namespace = makeNamespace("official-");
  }

  static String makeNamespace(String prefix) throws ApiException {
    var wanted = new V1Namespace().metadata(new V1ObjectMeta().generateName(prefix));
    return new CoreV1Api(client(Server.ADMIN)).createNamespace(wanted).execute().getMetadata().getName();
  }

  private DynamicKubernetesObject create(String name, String spec) throws ApiException {
    var json = """
        {"apiVersion":"management.svc.example/v1","kind":"SharedSecret",
         "metadata":{"name":"%s","namespace":"%s"},"spec":%s}""".formatted(name, namespace, spec);
    var wanted = new DynamicKubernetesObject(JsonParser.parseString(json).getAsJsonObject());
    return secrets.create(wanted).throwsApiException().getObject();
  }

  private DynamicKubernetesObject patch(String name, String format, String patch) throws ApiException {
    return secrets.patch(namespace, name, format, new V1Patch(patch)).throwsApiException().getObject();
  }

  private void share(String name) throws ApiException {
    patch(name, PATCH_FORMAT_JSON_MERGE_PATCH, Server.SHARE);
  }

  private static List<String> names(List<? extends KubernetesObject> objects) {
    return objects.stream().map(found -> found.getMetadata().getName()).sorted().toList();
  }

  @Test
  void aListComesInPagesOfOneState() throws ApiException {
    for (var name : List.of("a", "b", "c", "d", "e")) create(name, "{}");
    var first = secrets.list(namespace, new ListOptions().limit(3)).throwsApiException().getObject();
    assertEquals(2, first.getMetadata().getRemainingItemCount());
    create("ab", "{}");
    var token = first.getMetadata().getContinue();
    var rest = secrets.list(namespace, new ListOptions().limit(3)._continue(token)).throwsApiException().getObject();
    var both = Stream.concat(first.getItems().stream(), rest.getItems().stream()).toList();
    assertEquals(List.of("a", "b", "c", "d", "e"), names(both));
    assertEquals(first.getMetadata().getResourceVersion(), rest.getMetadata().getResourceVersion());
  }

  @Test
  void aTypedListIsSelectedByLabelsAndFields() throws ApiException {
    for (var name : List.of("a", "b", "c")) {
      var metadata = new V1ObjectMeta().name(name).labels(Map.of("made", "here"));
      core.createNamespacedConfigMap(namespace, new V1ConfigMap().metadata(metadata)).execute();
    }
    var listed = core.listNamespacedConfigMap(namespace).labelSelector("made=here").fieldSelector("metadata.name!=b").execute();
    assertEquals(List.of("a", "c"), names(listed.getItems()));
  }

  @Test
  void aContinueTokenExpiresWithTheRightsThatItWasGivenFor() throws ApiException {
    for (var name : List.of("a", "b", "c")) create(name, "{}");
    share("a");
    share("b");
    var first = seen.list(namespace, new ListOptions().limit(1)).throwsApiException().getObject();
    share("c");
    var next = seen.list(namespace, new ListOptions().limit(1)._continue(first.getMetadata().getContinue()));
    assertEquals(410, next.getHttpStatusCode());
    assertEquals("Expired", next.getStatus().getReason());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    PATCH_FORMAT_JSON_PATCH + "|[{\"op\":\"add\",\"path\":\"/spec/description\",\"value\":\"new\"}]",
    PATCH_FORMAT_JSON_MERGE_PATCH + "|{\"spec\":{\"description\":\"new\"}}",
    PATCH_FORMAT_STRATEGIC_MERGE_PATCH + "|{\"spec\":{\"description\":\"new\"}}",
  })
  void eachPatchChangesWhatItNames(String format, String body) throws ApiException {
    create("one", "{\"data\":{\"key\":\"dmFsdWU=\"}}");
    var spec = patch("one", format, body).getRaw().getAsJsonObject("spec");
    assertEquals("new", spec.get("description").getAsString());
    assertEquals("dmFsdWU=", spec.getAsJsonObject("data").get("key").getAsString());
  }

  @Test
  void aStrategicMergePatchMergesAListByItsKey() throws ApiException {
    var robot = new V1ServiceAccount().metadata(new V1ObjectMeta().name("robot")).addSecretsItem(new V1ObjectReference().name("one"));
    core.createNamespacedServiceAccount(namespace, robot).execute();
    var body = new V1Patch("{\"secrets\":[{\"name\":\"two\"}]}");
    var patched = PatchUtils.patch(V1ServiceAccount.class,
        () -> core.patchNamespacedServiceAccount("robot", namespace, body).buildCall(null), PATCH_FORMAT_STRATEGIC_MERGE_PATCH, admin);
    assertEquals(List.of("one", "two"), patched.getSecrets().stream().map(V1ObjectReference::getName).sorted().toList());
  }

  @Test
  void anApplyConflictsWithAnotherManagerUntilItIsForced() throws ApiException {
    apply("first", false, "{\"description\":\"first\",\"data\":{\"key\":\"dmFsdWU=\"}}");
    var refused = assertThrows(ApiException.class, () -> apply("second", false, "{\"description\":\"second\"}"));
    assertEquals(409, refused.getCode());
    var forced = apply("second", true, "{\"description\":\"second\"}").getRaw().getAsJsonObject("spec");
    assertEquals("second", forced.get("description").getAsString());
    assertTrue(forced.has("data"));
    assertFalse(apply("first", false, "{}").getRaw().getAsJsonObject("spec").has("data"));
  }

  private DynamicKubernetesObject apply(String manager, boolean force, String spec) throws ApiException {
    var body = "{\"apiVersion\":\"management.svc.example/v1\",\"kind\":\"SharedSecret\",\"metadata\":{\"name\":\"one\"},\"spec\":" + spec + "}";
    var options = new PatchOptions().force(force);
    options.setFieldManager(manager);
    return secrets.patch(namespace, "one", PATCH_FORMAT_APPLY_YAML, new V1Patch(body), options).throwsApiException().getObject();
  }

  @Test
  void anUpdateOfAnOldVersionConflicts() throws ApiException {
    var old = create("one", "{}");
    patch("one", PATCH_FORMAT_JSON_MERGE_PATCH, "{\"spec\":{\"description\":\"new\"}}");
    assertEquals(409, secrets.update(old).getHttpStatusCode());
    assertEquals(200, secrets.update(secrets.get(namespace, "one").getObject()).getHttpStatusCode());
    assertEquals(409, assertThrows(ApiException.class, () -> create("one", "{}")).getCode());
    assertEquals(422, assertThrows(ApiException.class, () -> create("two", "{\"data\":{\"no key!\":\"\"}}")).getCode());
  }

  @Test
  void aWatchHasEachChangeAndABookmarkAtItsEnd() throws Exception {
    var begun = create("before", "{}").getMetadata().getResourceVersion();
    create("one", "{}");
    share("one");
    secrets.delete(namespace, "before");
    core.createNamespacedConfigMap(namespace, new V1ConfigMap().metadata(new V1ObjectMeta().name("besides"))).execute();
    var changes = watched(begun);
    assertEquals(List.of("ADDED one", "MODIFIED one", "DELETED before"), changes.subList(0, 3));
    assertTrue(changes.get(3).startsWith("BOOKMARK "));
    create("after", "{}");
    assertEquals("ADDED after", watched(changes.get(3).substring("BOOKMARK ".length())).get(0));
  }

  /** A watch until the server ends it: the type of each event, and the name or version of its object. */
  private List<String> watched(String version) throws Exception {
    var call = new CustomObjectsApi(admin)
        .listNamespacedCustomObject(GROUP, "v1", namespace, "sharedsecrets")
        .watch(true).allowWatchBookmarks(true).timeoutSeconds(2).resourceVersion(version).buildCall(null);
    var changes = new ArrayList<String>();
    var type = new TypeToken<Watch.Response<Map<String, Object>>>() {}.getType();
    try (var watch = Watch.<Map<String, Object>>createWatch(admin, call, type)) {
      for (var event : watch) changes.add(event.type + " " + (event.object == null ? event.status.getCode() : nameOrVersion(event.object)));
    }
    return changes;
  }

  private static Object nameOrVersion(Map<String, Object> found) {
    var metadata = (Map<?, ?>) found.get("metadata");
    return metadata.containsKey("name") ? metadata.get("name") : metadata.get("resourceVersion");
  }

  @Test
  void aWatchFromAForgottenVersionIs410() throws Exception {
    assertEquals(List.of("ERROR 410"), watched("1"));
  }

  @Test
  void anInformerListsAgainAfterThe410ThatEndsItsWatch() throws Exception {
    for (var name : List.of("shown", "hidden")) create(name, "{}");
    share("shown");
    var factory = new SharedInformerFactory();
    var informer = factory.sharedIndexInformerFor(seen, DynamicKubernetesObject.class, 0, namespace);
    factory.startAllRegisteredInformers();
    holds(informer, "shown");
    share("hidden");
    holds(informer, "hidden", "shown");
    create("later", "{\"access\":[{\"verbs\":[\"get\"],\"users\":[\"viewer\"]}]}");
    holds(informer, "hidden", "later", "shown");
    secrets.delete(namespace, "shown");
    holds(informer, "hidden", "later");
    factory.stopAllRegisteredInformers();
  }

  private static void holds(SharedIndexInformer<DynamicKubernetesObject> informer, String... wanted) throws Exception {
    eventually(String.join(",", wanted), () -> names(informer.getIndexer().list()).equals(List.of(wanted)));
  }

  @Test
  void aControllerHoldsObjectsWithAFinalizerUntilItIsDone() throws Exception {
    var factory = new SharedInformerFactory(admin);
    var informer = factory.sharedIndexInformerFor(secrets, DynamicKubernetesObject.class, 0, namespace);
    var controller = ControllerBuilder.defaultBuilder(factory)
        .watch(queue -> ControllerBuilder.controllerWatchBuilder(DynamicKubernetesObject.class, queue).build())
        .withReconciler(request -> reconcile(informer, request)).withName("holder").withReadyFunc(informer::hasSynced).build();
    factory.startAllRegisteredInformers();
    var running = new Thread(controller);
    running.start();
    create("one", "{}");
    eventually("the finalizer", () -> List.of(FINALIZER).equals(secrets.get(namespace, "one").getObject().getMetadata().getFinalizers()));
    secrets.delete(namespace, "one");
    eventually("the removal", () -> secrets.get(namespace, "one").getHttpStatusCode() == 404);
    assertEquals("one", core.readNamespacedConfigMap("one-farewell", namespace).execute().getData().get("was"));
    controller.shutdown();
    factory.stopAllRegisteredInformers();
    running.join(60_000);
  }

  private Result reconcile(SharedIndexInformer<DynamicKubernetesObject> informer, Request request) {
    var found = informer.getIndexer().getByKey(request.getNamespace() + "/" + request.getName());
    if (found == null) return new Result(false);
    var finalizers = found.getMetadata().getFinalizers() == null ? List.<String>of() : found.getMetadata().getFinalizers();
    try {
      if (found.getMetadata().getDeletionTimestamp() == null && finalizers.isEmpty()) {
        patch(request.getName(), PATCH_FORMAT_JSON_MERGE_PATCH, "{\"metadata\":{\"finalizers\":[\"" + FINALIZER + "\"]}}");
      } else if (found.getMetadata().getDeletionTimestamp() != null && finalizers.contains(FINALIZER)) {
        var farewell = new V1ConfigMap().metadata(new V1ObjectMeta().name(request.getName() + "-farewell")).putDataItem("was", request.getName());
        core.createNamespacedConfigMap(namespace, farewell).execute();
        patch(request.getName(), PATCH_FORMAT_JSON_MERGE_PATCH, "{\"metadata\":{\"finalizers\":null}}");
      }
      return new Result(false);
    } catch (ApiException error) {
      return new Result(true);
    }
  }

  @Test
  void oneOfTwoCandidatesLeadsAndTheOtherFollowsWhenItIsGone() throws Exception {
    var first = new CountDownLatch(1);
    var second = new CountDownLatch(1);
    var leader = elector("first");
    leaderThread(leader, first).start();
    assertTrue(first.await(60, TimeUnit.SECONDS));
    try (var follower = elector("second")) {
      leaderThread(follower, second).start();
      var leases = new CoordinationV1Api(admin);
      var renewed = leases.readNamespacedLease("election", namespace).execute().getSpec().getRenewTime();
      eventually("a renewal", () -> leases.readNamespacedLease("election", namespace).execute().getSpec().getRenewTime().isAfter(renewed));
      assertEquals(1, second.getCount());
      leader.close();
      assertTrue(second.await(60, TimeUnit.SECONDS));
      assertEquals("second", leases.readNamespacedLease("election", namespace).execute().getSpec().getHolderIdentity());
    }
  }

  private LeaderElector elector(String identity) {
    var lock = new LeaseLock(namespace, "election", identity, admin);
    return new LeaderElector(new LeaderElectionConfig(lock, Duration.ofSeconds(10), Duration.ofSeconds(8), Duration.ofMillis(500)));
  }

  private static Thread leaderThread(LeaderElector elector, CountDownLatch leading) {
    var thread = new Thread(() -> elector.run(leading::countDown, () -> {}));
    thread.setDaemon(true);
    return thread;
  }
}
