/** The dashboard and the alerts: where the chart puts the first, and that both ask for labels that there are. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { alertRules, selectorsOf } from '../fixtures/host/alertrules.js';
import { render, renderText, type ChartObject } from '../fixtures/host/chart.js';
import { dashboardPanels, dashboardText } from '../fixtures/host/dashboard.js';
import { describeWith } from '../fixtures/program.js';

const ENABLED = 'metrics.dashboard.enabled=true';
/** What Prometheus adds to every series, and what it does not take from the server at all. */
const OF_PROMETHEUS = ['job', 'namespace', 'instance'];
const [UP, OF_ANY_NODE] = ['up', /^(process|nodejs)_/];

/** Labels by metric, as the reference has them, which is written from the code. */
const REFERENCE = new Map<string, readonly string[]>(
  [
    ...readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8').matchAll(
      /^\| `(\w+)` \| (\w+) \| ([^|]*) \|/gm,
    ),
  ].flatMap(([, name = '', type, cell = '']): [string, string[]][] => {
    const labels = [...cell.matchAll(/`(\w+)`/g)].map(([, label = '']) => label);
    const parts: [string, string[]][] = [
      [`${name}_bucket`, [...labels, 'le']],
      [`${name}_count`, labels],
    ];
    return type === 'histogram' ? parts : [[name, labels]];
  }),
);

/** What an expression asks for and no server tells. */
function unknownIn(expr: string): string[] {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
  return selectorsOf({ expr })
    .filter(({ name }) => name !== UP && !OF_ANY_NODE.test(name))
    .flatMap(({ name, labels }) => {
      const known = REFERENCE.get(name);
      if (known === undefined) return [name];
      return [...Object.keys(labels), ...grouped]
        .filter((label) => ![...known, ...OF_PROMETHEUS].includes(label))
        .map((label) => `${name}{${label}}`);
    });
}

const dashboards = (values: readonly string[]): ChartObject[] =>
  render(values).filter(({ metadata }) => metadata.name === 'release-management-apiserver-dashboard');

describeWith('helm')('the chart', () => {
  test('has no dashboard by default', () => {
    expect(dashboards([])).toEqual([]);
    expect(dashboards(['metrics.dashboard=null'])).toEqual([]);
  });

  test('has the dashboard as it is, where the sidecar of Grafana finds it', () => {
    const [found] = dashboards([ENABLED]);
    expect(found).toMatchObject({ kind: 'ConfigMap', metadata: { labels: { grafana_dashboard: '1' } } });
    expect(found?.data).toEqual({ 'management-release-management-apiserver.json': dashboardText() });
    expect(found?.metadata.annotations).toBeUndefined();
  });

  test('has it with other labels, and in a folder', () => {
    const folder = 'metrics.dashboard.annotations.grafana_folder=Platform';
    const [found] = dashboards([ENABLED, folder, 'metrics.dashboard.labels.team=x']);
    expect(found?.metadata).toMatchObject({
      labels: { grafana_dashboard: '1', team: 'x' },
      annotations: { grafana_folder: 'Platform' },
    });
    expect(() => renderText([ENABLED, 'metrics.dashboard.folder=x'])).toThrow(/folder/);
  });

  test('alerts of metrics and labels that the reference has', () => {
    const rules = alertRules(['backup.enabled=true', 'backup.claimName=backups']);
    expect(rules.length).toBeGreaterThan(6);
    expect(rules.flatMap(({ expr }) => unknownIn(expr))).toEqual([]);
  });
});

describeWith('helm')('alerts', () => {
  const backup = ['backup.enabled=true', 'backup.claimName=backups'];

  test('lead to their part of the page, where it is said to be', () => {
    const page = 'metrics.alerts.runbookURL=https://docs.example.com/monitoring';
    const rules = alertRules([...backup, page]);
    expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(
      rules.map(({ alert }) => `https://docs.example.com/monitoring#${alert.toLowerCase()}`),
    );
  });

  test.each([[[]], [['metrics.alerts.runbookURL=null']]])('lead nowhere otherwise: %j', (values) => {
    const names = alertRules([...backup, ...values]).flatMap(({ annotations }) => Object.keys(annotations));
    expect([...new Set(names)]).toEqual(['summary']);
  });

  test('lead to no part of a page that is said to be one', () => {
    expect(() => renderText(['metrics.alerts.runbookURL=https://docs.example.com/#a'])).toThrow(/runbookURL/);
  });
});

test('the dashboard asks for metrics and labels that the reference has', () => {
  const asked = dashboardPanels().flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(asked.length).toBeGreaterThan(16);
  for (const expr of asked) {
    expect([expr, selectorsOf({ expr }).map(({ labels }) => 'job' in labels)]).toEqual([expr, [true]]);
    expect([expr, unknownIn(expr)]).toEqual([expr, []]);
  }
});

test('each panel of the dashboard has an id and a place of its own', () => {
  const panels = dashboardPanels();
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length);
  expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
});
