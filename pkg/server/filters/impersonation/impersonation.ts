/**
 * Acting as someone else: `Impersonate-*` headers (`k8s.io/apiserver/pkg/endpoints/filters/impersonation` of 1.37.2). In a
 * constrained mode that takes two rights: `impersonate:<mode>` on the user, and `impersonate-on:<mode>:<verb>` on what is
 * requested. The verb `impersonate` on the user alone permits every request. The scope and the end of the client's
 * credential stay.
 */
import type { User } from '../../../authentication/interface.js';
import type { Authorizer } from '../../../authorization/interface.js';
import type { AuditRecord } from '../auditrecord.js';
import { attributesOf } from '../authorization.js';
import type { Exchange } from '../../httpexchange.js';
import type { RequestInfo } from '../../requestinfo.js';
import { checkMode, groupsOf, verbOf, type Attempt } from './checks.js';
import { MODES, type Mode } from './modes.js';
import { wantedUser } from './wanted.js';

/** A request, and what records as whom it is made. */
export interface Impersonation {
  readonly exchange: Pick<Exchange, 'request'>;
  readonly info: RequestInfo;
  readonly record?: Pick<AuditRecord, 'impersonated'> | undefined;
}

/**
 * The impersonated user, or `client` without impersonation. Throws, and rejects with, StatusError 400 for invalid headers
 * and 403 for what `client` may not do: of the first mode that suits the user, or of the one that `client` used last.
 */
export function impersonate(
  authorizer: Authorizer,
  client: User,
  { exchange, info, record }: Impersonation,
): User | Promise<User> {
  const wanted = wantedUser(exchange.request);
  if (wanted === undefined) return client;
  return impersonated({ authorizer, client, wanted, attributes: attributesOf(info) }, record);
}

async function impersonated(attempt: Attempt, record: Impersonation['record']): Promise<User> {
  const { authorizer, client, wanted } = attempt;
  const known = lastModes(authorizer);
  const mode = await permittedMode(attempt, known.get(client.name));
  remember(known, client.name, mode);
  const { scope, credential, byFrontProxy } = client;
  const user = {
    ...wanted,
    groups: groupsOf(mode.name, wanted),
    ...(scope !== undefined && { scope }),
    ...(credential !== undefined && { credential }),
    ...(byFrontProxy === true && { byFrontProxy }),
  };
  record?.impersonated(user, mode.name === 'legacy' ? undefined : verbOf(mode.name));
  return user;
}

async function permittedMode(attempt: Attempt, last: Mode | undefined): Promise<Mode> {
  let first: unknown;
  for (const mode of last === undefined ? MODES : [last, ...MODES.filter((other) => other !== last)]) {
    if (!mode.suits(attempt.wanted, attempt.client)) continue;
    try {
      await checkMode(mode.name, attempt);
      return mode;
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

/** The mode that a user used last is tried first: in most requests that costs no question more than it takes. */
type LastModes = Map<string, Mode>;

const MAX_USERS = 10_000;
const modes = new WeakMap<object, LastModes>();

function lastModes(authorizer: object): LastModes {
  let known = modes.get(authorizer);
  if (known === undefined) modes.set(authorizer, (known = new Map<string, Mode>()));
  return known;
}

function remember(known: LastModes, name: string, mode: Mode): void {
  if (known.get(name) === mode) return;
  if (known.size >= MAX_USERS) known.clear();
  known.set(name, mode);
}
