import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from '@jest/globals';
import { joinCommand } from './join.js';
import { agentCommand, readOptions } from './options.js';

const REQUIRED = ['--cluster=east', '--management-kubeconfig=/m'];

describe('options of the agent', () => {
  afterEach(() => {
    delete process.env.MANAGEMENT_AGENT_SECURE_PORT;
  });

  test('include every flag that the chart sets', () => {
    const template = readFileSync(
      new URL('../../deploy/helm-agent/templates/deployment.yaml', import.meta.url),
      'utf8',
    );
    const given = [...template.matchAll(/^ +- .*?(--[a-z-]+)=/gm)].map((row) => row[1]);
    const defined = [agentCommand(), joinCommand()].flatMap(({ options }) => options.map(({ long }) => long));
    expect(given.length).toBeGreaterThan(10);
    expect(given.filter((flag) => !defined.includes(flag))).toEqual([]);
  });

  test('have defaults, are read from the environment, and flags take precedence', () => {
    expect(readOptions(REQUIRED)).toMatchObject({
      cluster: 'east',
      managementKubeconfig: '/m',
      securePort: 8443,
      revocationMaxAge: 7_200_000,
      metricsBindAddress: { address: '127.0.0.1', port: 9402 },
    });
    process.env.MANAGEMENT_AGENT_SECURE_PORT = '9000';
    expect(readOptions(REQUIRED).securePort).toBe(9000);
    expect(readOptions([...REQUIRED, '--secure-port=9001']).securePort).toBe(9001);
  });

  test.each([
    [],
    ['--cluster=East', '--management-kubeconfig=/m'],
    [...REQUIRED, '--user-prefix='],
    [...REQUIRED, '--user-prefix=system:'],
    [...REQUIRED, '--user-prefix=a b'],
    [...REQUIRED, '--revocation-max-age=1s'],
    [...REQUIRED, '--revocation-max-age=soon'],
    [...REQUIRED, '--secure-port=70000'],
    [...REQUIRED, '--metrics-bind-address=9402'],
    [...REQUIRED, '--tls-cert-file=/c'],
    [...REQUIRED, '--tunnel-api-server'],
    [...REQUIRED, '--unknown'],
    [...REQUIRED, 'more'],
  ])('refuses %s %s %s %s', (...argv) => {
    const command = agentCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    expect(() => readOptions(argv, command)).toThrow();
  });
});
