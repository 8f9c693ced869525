package clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import generated.ApiClient;
import generated.ApiException;
import generated.api.CoreV1Api;
import generated.api.ManagementSvcExampleV1Api;
import generated.model.ExampleSvcManagementV1SharedSecret;
import generated.model.ExampleSvcManagementV1SharedSecretSpec;
import generated.model.IoK8sApimachineryPkgApisMetaV1ObjectMeta;
import java.io.ByteArrayInputStream;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What OpenAPI Generator makes of /openapi/v2. Its models refuse fields that they do not know. It cannot write Kubernetes' own kinds, whose
 * operations take every media type, as Kubernetes has it: that leaves it without one.
 */
class GeneratedClientTest {
  private final ApiClient client = new ApiClient();
  private final ManagementSvcExampleV1Api management = new ManagementSvcExampleV1Api(client);
  private String namespace;

  @BeforeEach
  void makeNamespace() throws Exception {
    client.setBasePath(Server.setting(Server.ADMIN, "server"));
    var authority = Base64.getDecoder().decode(Server.setting(Server.ADMIN, "certificate-authority-data"));
    client.setSslCaCert(new ByteArrayInputStream(authority));
    client.setApiKey(Server.setting(Server.ADMIN, "token"));
    client.setApiKeyPrefix("Bearer");
    namespace = OfficialClientTest.makeNamespace("generated-");
  }

  private ExampleSvcManagementV1SharedSecret create(String name, ExampleSvcManagementV1SharedSecretSpec spec) throws ApiException {
    var wanted = new ExampleSvcManagementV1SharedSecret().metadata(new IoK8sApimachineryPkgApisMetaV1ObjectMeta().name(name)).spec(spec);
    return management.createManagementSvcExampleV1NamespacedSharedSecret(namespace, wanted, null, null, null, null);
  }

  @Test
  void anObjectIsCreatedReadReplacedAndDeleted() throws ApiException {
    var made = create("one", new ExampleSvcManagementV1SharedSecretSpec().data(Map.of("key", "dmFsdWU=")));
    assertTrue(made.getMetadata().getCreationTimestamp().isAfter(java.time.OffsetDateTime.now().minusMinutes(5)));
    made.getSpec().setDescription("new");
    var replaced = management.replaceManagementSvcExampleV1NamespacedSharedSecret("one", namespace, made, null, null, null, null);
    assertEquals("new", replaced.getSpec().getDescription());
    assertEquals(replaced, management.readManagementSvcExampleV1NamespacedSharedSecret("one", namespace, null));
    var conflict = assertThrows(ApiException.class,
        () -> management.replaceManagementSvcExampleV1NamespacedSharedSecret("one", namespace, made, null, null, null, null));
    assertEquals(409, conflict.getCode());
    management.deleteManagementSvcExampleV1NamespacedSharedSecret("one", namespace, null, null, null, null, null, null);
    var gone = assertThrows(ApiException.class, () -> management.readManagementSvcExampleV1NamespacedSharedSecret("one", namespace, null));
    assertEquals(404, gone.getCode());
  }

  @Test
  void aListComesInPages() throws ApiException {
    for (var name : List.of("a", "b", "c")) create(name, new ExampleSvcManagementV1SharedSecretSpec());
    var first = management.listManagementSvcExampleV1NamespacedSharedSecret(
        namespace, null, null, null, null, null, 2, null, null, null, null, null);
    assertEquals(List.of("a", "b"), first.getItems().stream().map(found -> found.getMetadata().getName()).toList());
    var rest = management.listManagementSvcExampleV1NamespacedSharedSecret(
        namespace, null, null, first.getMetadata().getContinue(), null, null, 2, null, null, null, null, null);
    assertEquals(List.of("c"), rest.getItems().stream().map(found -> found.getMetadata().getName()).toList());
  }

  @Test
  void listsOfOtherKindsAreAsTheirModelsSay() throws ApiException {
    var keys = management.listManagementSvcExampleV1OwnedAccessKey(null, null, null, null, null, null, null, null, null, null, null);
    assertFalse(keys.getItems().isEmpty());
    assertTrue(new CoreV1Api(client).listCoreV1Namespace(null, null, null, null, null, null, null, null, null, null, null).getItems().size() > 1);
    management.listManagementSvcExampleV1User(null, null, null, null, null, null, null, null, null, null, null);
    management.listManagementSvcExampleV1Project(null, null, null, null, null, null, null, null, null, null, null);
  }
}
