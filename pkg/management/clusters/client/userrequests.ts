/** Requests of users to a cluster, with the credentials of its kubeconfig, which impersonate the user. */
import { request as begin, type RequestOptions } from 'node:https';
import type { ClientRequest } from 'node:http';
import { textIn, membersOf } from '../../../apimachinery/encoding/members.js';
import { badRequest, failure, StatusError } from '../../../apimachinery/errors.js';
import { boundInterim } from '../../../apimachinery/interimresponses.js';
import { destinationOf } from '../../../hostclient/configuration.js';
import type { ClusterAnswer, Connection, UserRequest } from './interface.js';

/** As many as in one tunnel of an agent. */
export const MAX_USER_REQUESTS = 1_000;
/** A request that is not long-lived is aborted after both ends were silent for this time. */
const IDLE_MS = 60_000;
/** As the TLS handshake of clients of Kubernetes. */
const CONNECT_TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 256 * 1024;
/** How long the cluster's word counts that it honours impersonation. */
const HONOURED_MS = 60_000;
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const USER = 'impersonate-user';

interface UserRequestParts {
  readonly server: string;
  /** Credentials and the agent. Rejects with StatusError. */
  readonly options: () => Promise<RequestOptions>;
  readonly request: Connection['request'];
}

export class UserRequests {
  private readonly url: URL;
  private readonly begun = new Set<ClientRequest>();
  private honouredUntil = 0;
  private closed = false;

  constructor(
    private readonly what: string,
    private readonly parts: UserRequestParts,
  ) {
    this.url = new URL(parts.server);
  }

  /** As {@link Connection.open}. */
  async open(asked: UserRequest): Promise<ClientRequest> {
    if (this.begun.size >= MAX_USER_REQUESTS)
      throw failure('ServiceUnavailable', `${this.what} has too many requests in flight`, {
        retryAfterSeconds: 1,
      });
    const options = await this.parts.options().catch((error: unknown) => {
      // An address that the policy refuses is no fault of the request.
      throw error instanceof StatusError && error.code === 400 ? unusable(this.what, error.message) : error;
    });
    if (performance.now() >= this.honouredUntil) await this.checkImpersonation(asked);
    if (this.closed)
      throw failure('ServiceUnavailable', `the kubeconfig of ${this.what} has changed`, {
        retryAfterSeconds: 1,
      });
    const made = this.begin(options, asked);
    this.begun.add(made);
    made.once('close', () => this.begun.delete(made));
    return made;
  }

  /** Ends requests, and begins no more. */
  close(): void {
    this.closed = true;
    for (const one of this.begun) one.destroy();
  }

  /** A proxy in front of an API server may ignore the headers: then everybody would have the rights of the kubeconfig. */
  private async checkImpersonation({ headers }: UserRequest): Promise<void> {
    const as = impersonationIn(headers);
    const body = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
    const answer = await this.parts.request({ method: 'POST', path: REVIEWS, body, headers: as });
    const [user = ''] = as[USER] ?? [];
    // Headers contain bytes.
    const isHonoured = user !== '' && reviewed(answer) === Buffer.from(user, 'latin1').toString('utf8');
    if (!isHonoured) throw refused(this.what, answer);
    this.honouredUntil = performance.now() + HONOURED_MS;
  }

  private begin(options: RequestOptions, { method, path, headers, lasting }: UserRequest): ClientRequest {
    const { headers: credentials, ...others } = options;
    const own = Object.entries(credentials ?? {}).flatMap(([name, value]) => [name, String(value)]);
    try {
      const made = begin({
        ...others,
        ...destinationOf(this.url, path),
        method,
        maxHeaderSize: MAX_HEADER_BYTES,
        // Node adds no Host to these.
        headers: ['Host', this.url.host, ...own, ...headers],
      });
      // An aborted request emits an error even when nobody listens any more.
      made.on('error', () => undefined);
      boundInterim(made);
      boundConnect(made);
      if (!lasting) made.setTimeout(IDLE_MS, () => made.destroy(new Error('no answer in time')));
      return made;
    } catch (error) {
      if (error instanceof TypeError)
        throw badRequest('the path or a header has characters that cannot be sent');
      throw error;
    }
  }
}

/** Pooled sockets are connected already. */
function boundConnect(made: ClientRequest): void {
  const late = setTimeout(() => made.destroy(new Error('no connection in time')), CONNECT_TIMEOUT_MS);
  const inTime = (): void => clearTimeout(late);
  made.once('close', inTime).once('socket', (socket) => {
    if (made.reusedSocket) inTime();
    else socket.once('secureConnect', inTime);
  });
}

/** Values by name, in lower case. `headers`: names and values alternate. */
function impersonationIn(headers: readonly string[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    const lower = name.toLowerCase();
    if (lower.startsWith('impersonate-')) (found[lower] ??= []).push(value);
  }
  return found;
}

const reviewed = ({ object }: ClusterAnswer): string | undefined =>
  textIn(membersOf(membersOf(object.status).userInfo), 'username');

function refused(what: string, { status, object }: ClusterAnswer): StatusError {
  const why =
    status === 401
      ? 'the cluster rejects its credentials'
      : status === 403
        ? `it may not impersonate users: ${textIn(object, 'message') ?? 'forbidden'}`
        : `the cluster does not say that it honours impersonation (${status})`;
  return unusable(what, why);
}

const unusable = (what: string, why: string): StatusError =>
  failure('ServiceUnavailable', `${what} cannot be used by its kubeconfig: ${why}`, {});
