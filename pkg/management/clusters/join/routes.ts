/** The exchange of a join token for the access key of an agent. */
import type { Express, Request } from 'express';
import { routeEndpoint, tokenAnswer, type Parameters } from '../../login/oauth.js';
import { exchangeOf } from '../../../server/routes/routes.js';
import type { JoinTokens } from './jointokens.js';
import { CLUSTER_JOIN } from './path.js';

const ANNOTATION = 'management.svc.example/join-';

export interface JoinRoutes {
  readonly tokens: Pick<JoinTokens, 'redeem'>;
  /** Called with unexpected errors. */
  readonly failed: (error: unknown) => void;
}

export function routeJoin(app: Express, { tokens, failed }: JoinRoutes): void {
  routeEndpoint(app, {
    path: CLUSTER_JOIN,
    failed,
    unavailable: 'Clusters cannot join now. Try again later.',
    answer: (of, request) => answer(tokens, of, request),
  });
}

async function answer(tokens: JoinRoutes['tokens'], of: Parameters, request: Request): Promise<object> {
  const cluster = of('cluster');
  const key = await tokens.redeem(of('token'), cluster);
  const { audit } = exchangeOf(request);
  audit?.annotated(`${ANNOTATION}cluster`, cluster);
  audit?.annotated(`${ANNOTATION}key`, key.name);
  return tokenAnswer(key);
}
