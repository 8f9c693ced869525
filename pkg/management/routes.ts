/** What features serve over HTTP besides their kinds. */
import type { Express } from 'express';
import { routeJoin, type JoinRoutes } from './clusters/join/routes.js';
import { routeConsole, type ConsoleRoutes } from './console/routes.js';
import { routeLogin, type LoginRoutes } from './login/routes.js';
import { routeWorkload, type WorkloadRoutes } from './login/workload/routes.js';

export interface FeatureRoutes {
  /** Agents of clusters that join. */
  readonly join: JoinRoutes;
  /** Undefined: there is no login. */
  readonly login: LoginRoutes | undefined;
  /** Undefined: tokens of workloads are exchanged for nothing. */
  readonly workload: WorkloadRoutes | undefined;
  /** Undefined: the console is not served. */
  readonly console: ConsoleRoutes | undefined;
}

export function routeFeatures(app: Express, { join, login, workload, console }: FeatureRoutes): void {
  routeJoin(app, join);
  routeWorkload(app, workload);
  routeLogin(app, login);
  routeConsole(app, console);
}
