import { shown, table } from '../report.js';

/** How a request reaches kube-apiserver. */
export type Way = 'direct' | 'proxy' | 'agent' | 'tunnel';

/** Of one round, per request. */
export interface Cost {
  /** In ms. */
  readonly p50: number;
  /** CPU in seconds: of kube-apiserver where it is asked directly, else of the proxy or the agent. */
  readonly cpu: number;
  /** Of the management API, where requests come through it. */
  readonly serverCpu?: number;
}

/** A Markdown table: of each row the medians of its rounds, and what is added to the direct way. */
export function agentReport(results: ReadonlyMap<string, ReadonlyMap<Way, readonly Cost[]>>): string {
  const head = [
    'row',
    'kube-apiserver p50',
    'its CPU',
    'plain proxy adds',
    'its CPU',
    'agent adds',
    'agent CPU',
    'tunnel adds',
    'agent CPU',
    'server CPU',
  ];
  const body = [...results].map(([name, byWay]) => {
    const of = (way: Way, value: (cost: Cost) => number | undefined): number | undefined =>
      median((byWay.get(way) ?? []).flatMap((cost) => value(cost) ?? []));
    const p50 = (way: Way): number | undefined => of(way, (cost) => cost.p50);
    const cpu = (way: Way): string =>
      shown(
        of(way, (cost) => cost.cpu),
        'cpu',
      );
    const added = (way: Way): string => milliseconds(minus(p50(way), p50('direct')));
    return [
      name,
      milliseconds(p50('direct')),
      cpu('direct'),
      added('proxy'),
      cpu('proxy'),
      added('agent'),
      cpu('agent'),

      added('tunnel'),
      cpu('tunnel'),
      shown(
        of('tunnel', (cost) => cost.serverCpu),
        'cpu',
      ),
    ];
  });
  return `p50, and CPU for each request: medians of the rounds.\n\n${table(head, body)}`;
}

const minus = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a - b;
const milliseconds = (ms: number | undefined): string => (ms === undefined ? '–' : `${ms.toFixed(2)} ms`);

function median(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
