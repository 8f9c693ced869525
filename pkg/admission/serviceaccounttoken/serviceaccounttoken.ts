import { ACCOUNT_NAME, ACCOUNT_UID, Secret, TOKEN_SECRET } from '../../../api/core/v1/secret.js';
import { asKind, type KubeObject, type ObjectKey } from '../../../api/resource.js';
import { forbidden } from '../../apimachinery/errors.js';
import { encodeBase64 } from '../../apimachinery/schema/base64.js';
import { generateName } from '../../apimachinery/names.js';
import type { Authorizer } from '../../authorization/interface.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import { timestamp } from '../../registry/object/metadata.js';
import type { RequestServices } from '../../registry/virtualresource.js';
import { kindsOf, type AdmissionPlugin } from '../chain.js';
import { requestFor } from '../../apimachinery/attributes.js';
import { ServiceAccount } from '../../../api/core/v1/serviceaccount.js';

export interface TokenSecretParts {
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly issue: RequestServices['issueToken'];
  readonly lifetimes: Pick<RequestServices['lifetimes'], 'endFor' | 'madeWithFor'>;
  /** The account as it is stored. */
  readonly findAccount: (key: ObjectKey) => Promise<KubeObject | undefined>;
  /** PEM of the authority that signs the server's certificate. */
  readonly authority: () => string;
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
    async mutate(attributes, object, previous) {
      const [secret, before] = [asKind(Secret, object), asKind(Secret, previous)];
      const { requester, dryRun, namespace } = attributes;
      const name = accountOf(secret);
      if (secret.type !== TOKEN_SECRET || requester.internal === true || name === '') return;
      const token = tokenOf(secret);
      if (before !== undefined && tokenOf(before) === token) return;
      // Whoever removes a token gets the next one by their own right, and not by that of who writes the Secret later.
      const isRenewal = before !== undefined && token === '';
      if (isRenewal && accountOf(before) !== name) return;
      // A token that is sent may be one that has ended with another Secret of this name.
      const hindrance = await hindranceOf(parts, attributes, name);
      if (hindrance !== undefined && !isRenewal)
        throw forbidden(attributes.definition, attributes.name, hindrance);
      if (hindrance !== undefined || token !== '' || dryRun) return;
      const account = await parts.findAccount({ namespace, name });
      if (account !== undefined) await fill(parts, attributes, secret, account);
    },
  };
}

const accountOf = ({ metadata }: Secret): string => metadata.annotations?.[ACCOUNT_NAME] ?? '';
const tokenOf = ({ data }: Secret): string => data?.token ?? '';

/** Why the writer may not have a token of the account. */
async function hindranceOf(
  { authorizer }: TokenSecretParts,
  { requester, namespace }: AdmissionAttributes,
  name: string,
): Promise<string | undefined> {
  if (requester.scope !== undefined)
    return 'a credential with a scope cannot create tokens, which would have no scope';
  const asked = requestFor('create', ServiceAccount, { namespace, name, subresource: 'token' });
  const { allowed } = await authorizer.authorize(requester, asked);
  return allowed
    ? undefined
    : `the token of service account "${name}" needs the right to create serviceaccounts/token`;
}

async function fill(
  { issue, lifetimes, authority }: TokenSecretParts,
  { definition, namespace, requester, warn }: AdmissionAttributes,
  secret: Secret,
  account: KubeObject,
): Promise<void> {
  const { metadata } = secret;
  // The token names its Secret.
  if ((metadata.name ?? '') === '') metadata.name = generateName(metadata.generateName ?? '');
  const { name = '', uid = '' } = account.metadata;
  const issuedAt = Math.floor(Date.now() / 1000);
  const end = await lifetimes.endFor(requester);
  const madeWith = await lifetimes.madeWithFor(requester);
  const expiresAt = end === undefined ? issuedAt + FOREVER_SECONDS : Math.floor(end / 1000);
  if (expiresAt <= issuedAt)
    throw forbidden(definition, metadata.name ?? '', 'the credential in use has expired');
  const { token } = await issue({
    namespace,
    serviceAccount: { name, uid },
    heldBy: metadata.name,
    madeWith,
    issuedAt,
    expiresAt,
  });
  if (end !== undefined || madeWith !== undefined)
    warn?.(
      `the token ends with the credential that its Secret is made with${end === undefined ? '' : `, at ${timestamp(end)}`}`,
    );
  metadata.annotations = { ...metadata.annotations, [ACCOUNT_UID]: uid };
  secret.data = {
    ...secret.data,
    token: encodeBase64(token),
    namespace: encodeBase64(namespace),
    'ca.crt': encodeBase64(authority()),
  };
}
