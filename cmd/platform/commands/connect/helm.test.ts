import { expect, test } from '@jest/globals';
import { asCommand, installation, printedArguments } from './helm.js';

const chart = {
  namespace: 'agents',
  kubeContext: undefined,
  cluster: '007',
  chart: './chart.tgz',
  server: 'https://platform.example/a,b',
  authority: 'PEM',
  token: 'sealed.token',
  values: ['image.repository=agent'],
};

test('the token is in the input of helm, and not in its arguments', () => {
  const { args, input } = installation(chart);
  expect(args.join(' ')).toBe(
    'upgrade --install management-agent ./chart.tgz --namespace agents --create-namespace --values - --set image.repository=agent',
  );
  expect(JSON.parse(input)).toEqual({
    cluster: '007',
    management: { user: 'agent-007' },
    join: { server: chart.server, token: 'sealed.token', caBundle: 'UEVN' },
    tunnel: { enabled: true },
    service: { enabled: false },
    networkPolicy: { enabled: true },
  });
});

test('the printed command keeps texts as texts', () => {
  const line = asCommand(printedArguments(chart));
  for (const flag of [
    '--set-string cluster=007',
    "--set-string 'join.server=https://platform.example/a\\,b'",
    '--set-string join.token=sealed.token',
    '--set tunnel.enabled=true --set service.enabled=false',
    '--set image.repository=agent',
  ])
    expect(line).toContain(flag);
});
