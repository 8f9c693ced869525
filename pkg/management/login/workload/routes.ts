/** The exchange of tokens of workloads, as OAuth has it (RFC 8693). */
import type { Express, Request } from 'express';
import { LoginFailure } from '../interface.js';
import type { WorkloadExchange } from './exchange.js';
import { WORKLOAD_TOKEN } from '../paths.js';
import { routeEndpoint, tokenAnswer, type Parameters } from '../oauth.js';
import { exchangeOf } from '../../../server/routes/routes.js';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN_TYPES = ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token'];
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const ANNOTATION = 'management.svc.example/workload-';

export interface WorkloadRoutes {
  readonly exchange: Pick<WorkloadExchange, 'exchange'>;
  /** Called with unexpected errors, and if an issuer cannot be reached. */
  readonly failed: (error: unknown) => void;
}

/** Undefined: the path is not served. */
export function routeWorkload(app: Express, workload: WorkloadRoutes | undefined): void {
  if (workload === undefined) return;
  const { exchange, failed } = workload;
  routeEndpoint(app, {
    path: WORKLOAD_TOKEN,
    failed,
    unavailable: 'Tokens cannot be exchanged now. Try again later.',
    answer: (of, request) => answer(exchange, of, request),
  });
}

async function answer(
  exchange: WorkloadRoutes['exchange'],
  of: Parameters,
  request: Request,
): Promise<object> {
  if (of('grant_type') !== GRANT_TYPE)
    throw new LoginFailure(400, `grant_type must be ${GRANT_TYPE}`, 'unsupported_grant_type');
  if (!TOKEN_TYPES.includes(of('subject_token_type')))
    throw new LoginFailure(400, `subject_token_type must be one of ${TOKEN_TYPES.join(', ')}`);
  const { key, issuer, subject, rule } = await exchange.exchange(of('subject_token'));
  const { audit } = exchangeOf(request);
  for (const [name, value] of Object.entries({ issuer, subject, rule, key: key.name }))
    audit?.annotated(ANNOTATION + name, value);
  return { ...tokenAnswer(key), issued_token_type: ACCESS_TOKEN };
}
