import type { ResourceDefinition } from '../../../api/resource.js';
import type { HealthEndpoint } from './health.js';
import { DEBUG_PATHS } from './debug.js';
import { ISSUER_PATHS } from './issuerpaths.js';
import { ZPAGES } from './zpages.js';

export interface IndexSources {
  readonly definitions: readonly ResourceDefinition[];
  readonly health: readonly HealthEndpoint[];
  /** Undefined: not served. */
  readonly debug?: object | undefined;
}

/** The paths that `/` lists, sorted. */
export function indexPaths({ definitions, health, debug }: IndexSources): string[] {
  const paths = new Set([
    ...ISSUER_PATHS,
    ...ZPAGES,
    '/apis',
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/version',
    '/version',
  ]);
  if (debug !== undefined) for (const path of DEBUG_PATHS) paths.add(path);
  for (const { group, version } of definitions) {
    for (const path of pathsOf(group, version)) paths.add(path);
  }
  for (const { name, checks } of health) {
    paths.add(`/${name}`);
    for (const check of checks) paths.add(`/${name}/${check.name}`);
  }
  return [...paths].sort();
}

function pathsOf(group: string, version: string): string[] {
  if (group === '') return ['/api', `/api/${version}`, `/openapi/v3/api/${version}`];
  return [`/apis/${group}`, `/apis/${group}/${version}`, `/openapi/v3/apis/${group}/${version}`];
}
