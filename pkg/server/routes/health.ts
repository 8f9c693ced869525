import type { Exchange } from '../httpexchange.js';

/** Something that must be true for the server to be healthy. `check` throws, with a text for operators, when not. */
export interface HealthCheck {
  readonly name: string;
  /** Whether it is made only when it is asked for: the endpoint as a whole does not depend on it. */
  readonly apart?: boolean;
  check(): void | Promise<void>;
}

/** `healthz`, `livez`, `readyz`. */
export interface HealthEndpoint {
  readonly name: string;
  readonly checks: readonly HealthCheck[];
}

/** Logs failing checks. */
export type ReportFailure = (endpoint: string, check: string, error: unknown) => void;

const TEXT = 'text/plain; charset=utf-8';
const NOT_FOUND = '404 page not found\n';

/**
 * Answers `/<endpoint>` and `/<endpoint>/<check>`, any method
 * (`k8s.io/apiserver/pkg/server/healthz.InstallPathHandler`). `rest` is the path after the endpoint: `''` or a check.
 */
export async function serveHealth(
  { response }: Exchange,
  endpoint: HealthEndpoint,
  rest: string,
  query: URLSearchParams,
  report: ReportFailure,
): Promise<void> {
  response.setHeader('Content-Type', TEXT);
  if (rest === '') {
    const answer = await all(endpoint, query, report);
    response.statusCode = answer.healthy ? 200 : 500;
    response.end(answer.text);
    return;
  }
  const check = endpoint.checks.find(({ name }) => name === rest);
  if (check === undefined) {
    response.statusCode = 404;
    response.end(NOT_FOUND);
    return;
  }
  const error = await failureOf(check);
  if (error === undefined) return void response.end('ok');
  report(endpoint.name, check.name, error);
  response.statusCode = 500;
  response.end(`internal server error: ${error.message}\n`);
}

interface Answer {
  readonly healthy: boolean;
  readonly text: string;
}

async function all(
  { name, checks }: HealthEndpoint,
  query: URLSearchParams,
  report: ReportFailure,
): Promise<Answer> {
  const excluded = new Set(query.getAll('exclude'));
  const results = await Promise.all(
    checks
      .filter(({ apart }) => apart !== true)
      .map(async (check) => {
        if (excluded.has(check.name)) return `[+]${check.name} excluded: ok\n`;
        const error = await failureOf(check);
        if (error === undefined) return `[+]${check.name} ok\n`;
        report(name, check.name, error);
        return `[-]${check.name} failed: reason withheld\n`;
      }),
  );
  const healthy = results.every((line) => line.startsWith('[+]'));
  if (healthy && !query.has('verbose')) return { healthy, text: 'ok' };
  const unknown = [...excluded].filter((text) => !checks.some((check) => check.name === text)).sort();
  const lines = results.join('') + warning(unknown);
  return { healthy, text: `${lines}${name} check ${healthy ? 'passed' : 'failed'}\n` };
}

function warning(unknown: readonly string[]): string {
  if (unknown.length === 0) return '';
  const names = unknown.map((text) => JSON.stringify(text)).join(', ');
  return `warn: some health checks cannot be excluded: no matches for ${names}\n`;
}

async function failureOf(check: HealthCheck): Promise<Error | undefined> {
  try {
    await check.check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
