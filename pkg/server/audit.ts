/** The record that the audit log keeps of a request, stage by stage. */
import type { AuditEvent, AuditUser, Stage } from '../audit/event.js';
import { auditLine } from '../audit/event.js';
import type { Policy } from '../audit/policy.js';
import { verdict } from '../audit/policy.js';
import type { AuditSink } from '../audit/sink.js';
import { internalError } from '../apimachinery/errors.js';
import type { Status } from '../apimachinery/errors.js';
import type { Decision } from '../authorization/interface.js';
import { observeBody } from './body.js';
import type { Call } from './call.js';
import { loggableUrl } from './log.js';
import type { RequestInfo } from './requestinfo.js';
import { captureBody } from './responsebody.js';

export interface AuditSettings {
  readonly policy: Policy;
  readonly sink: AuditSink;
  /** Whether a request that cannot be recorded is refused. */
  readonly strict: boolean;
  /** Whether objects that the request carries may be recorded: none of a kind that holds secrets. */
  readonly mayShow: (info: RequestInfo) => boolean;
}

/** Undefined where the policy asks for nothing. `user`: undefined where nobody proved who it was. */
export type BeginAudit = (
  call: Call,
  info: RequestInfo,
  user: AuditUser | undefined,
) => AuditRecord | undefined;

export interface AuditRecord {
  /** Throws StatusError 500 when the record must be kept and cannot. */
  received(): Promise<void>;
  impersonated(user: AuditUser): void;
  decided(decision: Decision): void;
  /** What a create called its object. */
  named(name: string): void;
  failed(status: Status): void;
  /** An answer that goes on for long has begun. */
  started(code: number): void;
  completed(code: number): void;
}

/** Answers whose text may quote what the client sent. */
const QUOTING = [400, 422];

export function createAudit({ policy, sink, strict, mayShow }: AuditSettings): BeginAudit {
  return (call, info, user) => {
    const { path, verb } = info;
    const { level, omitted } = verdict(policy, { user, verb, path, object: objectOf(info) });
    if (level === 'None') return undefined;
    const shows = mayShow(info);
    const draft = { ...draftOf(call, info, user), level };
    const bodies = shows && verb !== 'watch' ? bodiesOf(call, level) : () => ({});
    const write = (stage: Stage, more: Partial<AuditEvent> = {}): void => {
      // What must be recorded is recorded before anything is done.
      const omits = omitted.includes(stage) && !(strict && stage === 'RequestReceived');
      if (!omits) sink.write(auditLine({ ...draft, ...more, stage, at: Date.now() }));
    };
    let failure: Status | undefined;
    const responseOf = (code: number): AuditEvent['response'] => ({ code, ...(failure && { failure }) });
    return {
      async received() {
        write('RequestReceived');
        if (!strict) return;
        await sink.flush().catch(() => {
          throw internalError('the audit log cannot be written');
        });
      },
      impersonated(caller) {
        draft.impersonated = caller;
      },
      decided({ allowed, reason = '' }) {
        draft.annotations = {
          'authorization.k8s.io/decision': allowed ? 'allow' : 'forbid',
          'authorization.k8s.io/reason': reason,
        };
      },
      named(name) {
        if (draft.object !== undefined) draft.object = { ...draft.object, name };
      },
      failed(status) {
        const { message: _message, details: _details, ...quiet } = status;
        failure = shows || !QUOTING.includes(status.code ?? 0) ? status : quiet;
      },
      started: (code) => write('ResponseStarted', { response: responseOf(code) }),
      completed: (code) => write('ResponseComplete', { response: responseOf(code), ...bodies() }),
    };
  };
}

type Draft = { -readonly [Name in keyof AuditEvent]: AuditEvent[Name] };

function draftOf(call: Call, info: RequestInfo, user: AuditUser | undefined): Omit<Draft, 'level'> {
  const { request } = call.exchange;
  const address = request.socket.remoteAddress;
  return {
    auditId: call.auditId,
    stage: 'RequestReceived',
    requestUri: loggableUrl(info.path, info.query),
    verb: info.verb,
    user,
    impersonated: undefined,
    sourceIps: address === undefined ? [] : [address],
    userAgent: request.headers['user-agent'] ?? '',
    object: objectOf(info),
    received: Date.now() - (performance.now() - call.began),
    at: 0,
    annotations: {},
  };
}

function objectOf(info: RequestInfo): AuditEvent['object'] {
  if (info.kind === 'path') return undefined;
  const { group: apiGroup, version: apiVersion, resource, subresource, namespace, name } = info;
  return { apiGroup, apiVersion, resource, subresource, namespace, name };
}

type Bodies = Pick<AuditEvent, 'requestObject' | 'responseObject'>;

/** What was sent either way, where it is JSON. */
function bodiesOf({ exchange }: Call, level: AuditEvent['level']): () => Bodies {
  if (level === 'Metadata') return () => ({});
  let body: Buffer | undefined;
  observeBody(exchange.request, (whole) => {
    body = whole;
  });
  const answer = level === 'RequestResponse' ? captureBody(exchange.response) : () => undefined;
  return () => ({ requestObject: parsed(body), responseObject: parsed(answer()) });
}

function parsed(body: Buffer | undefined): unknown {
  if (body === undefined || body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
