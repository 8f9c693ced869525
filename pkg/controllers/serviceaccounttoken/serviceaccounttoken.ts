import { ACCOUNT_NAME, ACCOUNT_UID, Secret, TOKEN_SECRET } from '../../../api/core/v1/secret.js';
import { ServiceAccount } from '../../../api/core/v1/serviceaccount.js';
import { ignoring } from '../ignorederrors.js';
import { resourceOf, type CachedObject, type Controller } from '../interface.js';
import { uidOf } from '../target.js';
import { encodeBase64 } from '../../apimachinery/schema/base64.js';

/**
 * Deletes Secrets of type `kubernetes.io/service-account-token` whose account is not there, or was made anew, and keeps
 * `ca.crt` and `namespace` in the others (`k8s.io/kubernetes/pkg/controller/serviceaccount/tokens_controller.go`). Their
 * tokens are issued when they are written, with the writer's credential.
 */
export const serviceAccountTokenController: Controller<{ readonly authority: string }> = {
  name: 'serviceaccount-token-controller',
  user: 'tokens-controller',
  workers: 2,
  start({ client, follow, enqueue, authority }) {
    const secrets = resourceOf(client, Secret);
    const accounts = resourceOf(client, ServiceAccount);
    const enqueueToken = (secret: CachedObject<Secret>): void => {
      if (secret.bytes.includes(TOKEN_SECRET)) enqueue(`${secret.namespace}/${secret.name}`);
    };
    follow(secrets, {
      replaced() {
        for (const secret of secrets.list('')) enqueueToken(secret);
      },
      changed: enqueueToken,
      deleted: () => undefined,
    });
    follow(accounts, {
      replaced: () => undefined,
      changed: () => undefined,
      deleted({ namespace }) {
        for (const secret of secrets.list(namespace)) enqueueToken(secret);
      },
    });
    return {
      async reconcile(key) {
        const [namespace = '', name = ''] = key.split('/');
        const secret = secrets.cached({ namespace, name })?.object();
        if (secret?.type !== TOKEN_SECRET || secret.metadata.deletionTimestamp !== undefined) return;
        const { [ACCOUNT_NAME]: of = '', [ACCOUNT_UID]: uid } = secret.metadata.annotations ?? {};
        const account = await accounts.live({ namespace, name: of });
        if (account === undefined || (uid !== undefined && uid !== account.metadata.uid))
          return ignoring(
            [404, 409],
            secrets.delete({ namespace, name }, { uid: uidOf(secret), ...atVersion(secret) }),
          );
        const data = { 'ca.crt': encodeBase64(authority), namespace: encodeBase64(namespace) };
        if (secret.immutable === true || isIn(secret.data, data)) return;
        const target = { namespace, name, uid: uidOf(secret) };
        await ignoring(
          // 422: it would become too large.
          [404, 422],
          secrets.update(target, (copy) => ({ ...copy, data: { ...copy.data, ...data } })),
        );
      },
    };
  },
};

const atVersion = ({ metadata: { resourceVersion } }: Secret): { resourceVersion?: string } =>
  resourceVersion === undefined ? {} : { resourceVersion };

function isIn(found: Secret['data'] = {}, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => found[name] === value);
}
