import type { ConfigMap } from '../../../api/core/v1/configmap.js';
import { ACCOUNT_NAME, ACCOUNT_UID, Secret, TOKEN_SECRET } from '../../../api/core/v1/secret.js';
import { asKind, type KubeObject } from '../../../api/resource.js';
import { forbidden } from '../../apimachinery/errors.js';
import { generateName } from '../../apimachinery/names.js';
import type { Authorizer } from '../../authorization/interface.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import { timestamp } from '../../registry/object/metadata.js';
import type { RequestServices } from '../../registry/virtualresource.js';
import { kindsOf, type AdmissionPlugin } from '../chain.js';

export interface TokenSecretParts {
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly issue: RequestServices['issueToken'];
  readonly lifetimes: Pick<RequestServices['lifetimes'], 'endFor' | 'madeWithFor'>;
  /** The account as it is stored. */
  readonly findAccount: (namespace: string, name: string) => Promise<KubeObject | undefined>;
  /** The ConfigMap in which the server's certificate authority is published, by the cache. */
  readonly findAuthority: (namespace: string) => ConfigMap | undefined;
}

/** Such a token ends with its Secret, and no client waits for this. */
const FOREVER_SECONDS = 100 * 365 * 24 * 3600;

/**
 * Fills Secrets of type `kubernetes.io/service-account-token` when they are written, with what the token controller of
 * kube-controller-manager adds a moment later. Beyond Kubernetes, the writer needs the right to `create`
 * `serviceaccounts/token`, and the token ends with the writer's credential, as one of a TokenRequest does.
 */
export function serviceAccountTokens(parts: TokenSecretParts): AdmissionPlugin {
  return {
    name: 'ServiceAccountToken',
    concerns: kindsOf('', 'Secret'),
    async mutate(attributes, object) {
      const secret = asKind(Secret, object);
      if (secret.type !== TOKEN_SECRET || (secret.data?.token ?? '') !== '') return;
      const { operation, requester, dryRun, namespace } = attributes;
      const name = secret.metadata.annotations?.[ACCOUNT_NAME] ?? '';
      if (requester.internal === true || name === '') return;
      const hindrance = await hindranceOf(parts, attributes, name);
      if (hindrance !== undefined && operation === 'CREATE')
        throw forbidden(attributes.definition, attributes.name, hindrance);
      if (hindrance !== undefined || dryRun) return;
      const account = await parts.findAccount(namespace, name);
      if (account !== undefined) await fill(parts, attributes, secret, account);
    },
  };
}

/** Why the writer may not have a token of the account. */
async function hindranceOf(
  { authorizer }: TokenSecretParts,
  { requester, namespace }: AdmissionAttributes,
  name: string,
): Promise<string | undefined> {
  if (requester.scope !== undefined)
    return 'a credential with a scope cannot create tokens, which would have no scope';
  const { allowed } = await authorizer.authorize(requester, {
    kind: 'resource',
    verb: 'create',
    group: '',
    version: 'v1',
    resource: 'serviceaccounts',
    subresource: 'token',
    namespace,
    name,
  });
  return allowed
    ? undefined
    : `the token of service account "${name}" needs the right to create serviceaccounts/token`;
}

async function fill(
  { issue, lifetimes, findAuthority }: TokenSecretParts,
  { namespace, requester, warn }: AdmissionAttributes,
  secret: Secret,
  account: KubeObject,
): Promise<void> {
  const { metadata } = secret;
  // The token names its Secret.
  if ((metadata.name ?? '') === '') metadata.name = generateName(metadata.generateName ?? '');
  const { name = '', uid = '' } = account.metadata;
  const issuedAt = Math.floor(Date.now() / 1000);
  const end = await lifetimes.endFor(requester);
  const { token } = await issue({
    namespace,
    serviceAccount: { name, uid },
    heldBy: metadata.name,
    madeWith: await lifetimes.madeWithFor(requester),
    issuedAt,
    expiresAt: end === undefined ? issuedAt + FOREVER_SECONDS : Math.floor(end / 1000),
  });
  if (end !== undefined)
    warn?.(`the token ends with the credential that its Secret is made with, at ${timestamp(end)}`);
  metadata.annotations = { ...metadata.annotations, [ACCOUNT_UID]: uid };
  const authority = findAuthority(namespace)?.data?.['ca.crt'];
  secret.data = {
    ...secret.data,
    token: base64(token),
    namespace: base64(namespace),
    ...(authority !== undefined && { 'ca.crt': base64(authority) }),
  };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
