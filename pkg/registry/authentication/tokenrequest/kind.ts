import { TokenRequest } from '../../../../api/authentication.k8s.io/v1/tokenrequest.js';
import { ServiceAccount } from '../../../../api/core/v1/serviceaccount.js';
import type { KubeObject } from '../../../../api/resource.js';
import { badRequest, conflict, fieldInvalid, forbidden, invalid } from '../../../apimachinery/errors.js';
import { timestamp } from '../../object/metadata.js';
import {
  ISSUED_CREDENTIAL,
  type ObjectName,
  type AnswerContext,
  type VirtualResource,
  type RequestServices,
} from '../../virtualresource.js';

const DEFAULT_SECONDS = 3600;
const LEAST_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
/** The resource that errors about the request itself name. */
const REQUEST = { group: 'authentication.k8s.io', plural: 'TokenRequest' };

type Spec = NonNullable<TokenRequest['spec']>;

/** A token for a service account (`k8s.io/kubernetes/pkg/registry/core/serviceaccount/storage/token.go`). */
export const kind: VirtualResource<typeof TokenRequest> = {
  definition: TokenRequest,
  below: { definition: ServiceAccount, subresource: 'token' },
  async answer(request, context) {
    const { namespace, name, services, user } = context;
    if (user.scope !== undefined)
      throw forbidden(
        REQUEST,
        name,
        'a credential with a scope cannot create tokens, which would have no scope',
      );
    checkNames(request, context);
    const account = await services.read('serviceaccounts', { namespace, name });
    const uid = account.metadata.uid ?? '';
    const asked = request.metadata.uid ?? '';
    if (asked !== '' && asked !== uid) {
      const why = `the UID in the token request (${asked}) does not match the UID of the service account (${uid})`;
      throw conflict(REQUEST, name, why);
    }
    const spec = (request.spec ??= {});
    const audiences = (spec.audiences = spec.audiences?.length ? spec.audiences : [...services.audiences]);
    checkExpiration((spec.expirationSeconds ??= DEFAULT_SECONDS));
    const now = Date.now();
    const seconds = (spec.expirationSeconds = await lifetime(spec.expirationSeconds, now, context));
    const secret = await boundSecret(spec, namespace, services);
    const madeWith = await services.lifetimes.madeWithFor(user);
    const issuedAt = Math.floor(now / 1000);
    const { token, id } = await services.issueToken({
      namespace,
      serviceAccount: { name, uid },
      secret,
      madeWith,
      audiences,
      issuedAt,
      expiresAt: issuedAt + seconds,
    });
    context.annotate(ISSUED_CREDENTIAL, `JTI=${id}`);
    request.metadata = { ...request.metadata, name, namespace, uid, creationTimestamp: timestamp(now) };
    request.status = { token, expirationTimestamp: timestamp(now + seconds * 1000) };
    return request;
  },
};

/** The body may repeat the names of the path. */
function checkNames({ metadata }: KubeObject, { namespace, name }: AnswerContext): void {
  const check = (member: 'name' | 'namespace', expected: string): void => {
    const value = metadata[member] ?? '';
    if (value === '' || value === expected) return;
    const text = `must match the service account ${member} if specified`;
    const errors = [fieldInvalid(`metadata.${member}`, value, text)];
    throw invalid(TokenRequest, name, errors);
  };
  check('name', name);
  check('namespace', namespace);
}

function checkExpiration(seconds: number): void {
  const path = 'spec.expirationSeconds';
  if (seconds < LEAST_SECONDS) {
    const text = 'may not specify a duration less than 10 minutes';
    throw invalid(TokenRequest, '', [fieldInvalid(path, seconds, text)]);
  }
  if (seconds > MAX_SECONDS) {
    const text = 'may not specify a duration larger than 2^32 seconds';
    throw invalid(TokenRequest, '', [fieldInvalid(path, seconds, text)]);
  }
}

/** A token that is to last longer gets this lifetime, and its request a warning. */
const MAX_TOKEN_SECONDS = 24 * 3600;

/** The requested lifetime, shortened to the limits of the server and the caller's credential. */
async function lifetime(
  asked: number,
  now: number,
  { user, name, write, services: { lifetimes } }: AnswerContext,
): Promise<number> {
  const end = (await lifetimes.endFor(user)) ?? Infinity;
  const rest = Math.floor(end / 1000) - Math.floor(now / 1000);
  if (rest <= 0) throw forbidden(REQUEST, name, 'the credential in use has expired');
  const seconds = Math.min(asked, MAX_TOKEN_SECONDS, rest);
  if (seconds < asked) write.warn(`requested expiration of ${asked} seconds shortened to ${seconds} seconds`);
  return seconds;
}

/** Tokens can only be bound to Secrets here, of the kinds that Kubernetes allows. */
async function boundSecret(
  { boundObjectRef: ref }: Spec,
  namespace: string,
  services: RequestServices,
): Promise<ObjectName | undefined> {
  if (ref === undefined) return undefined;
  const { kind: bound = '', apiVersion = '', name = '', uid: asked = '' } = ref;
  if (bound !== 'Secret' || apiVersion !== 'v1') {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${bound}`);
  }
  const { metadata } = await services.read('secrets', { namespace, name });
  const uid = metadata.uid ?? '';
  if (asked !== '' && asked !== uid) {
    const why = `the UID in the bound object reference (${asked}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', plural: 'Secret' }, name, why);
  }
  return { name, uid };
}
