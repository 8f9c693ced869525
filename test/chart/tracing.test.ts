/** Traces of requests: the configuration, its place in the Pods, and the way to the collector. */
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { parseTracingConfig } from '../../pkg/tracing/config.js';
import { podSpecs, render, renderText, type ChartObject, type Container } from '../fixtures/host/chart.js';
import { describeWith } from '../fixtures/program.js';

const ENDPOINT = 'tracing.endpoint=http://collector.monitoring:4318';
const AUTHORITY = 'tracing.authority=-----BEGIN';
const FOLDER = '/etc/management-apiserver/tracing';
const MAP = 'release-management-apiserver-tracing';

const found = (objects: readonly ChartObject[], kind: string, name: string): ChartObject | undefined =>
  objects.find((each) => each.kind === kind && each.metadata.name === name);
/** Without the flags of etcd, which commands in the container read, too. */
const besidesFlags = (env: readonly { readonly name: string }[] = []) =>
  env.filter(({ name }) => !name.startsWith('MANAGEMENT_APISERVER_'));
const server = (objects: readonly ChartObject[]): Container | undefined =>
  objects
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap(podSpecs)
    .flatMap(({ containers }) => containers)[0];
const annotations = (values: readonly string[]): unknown =>
  render(values)
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec }) => (spec as { template: { metadata: object } }).template.metadata)
    .map((metadata) => (metadata as { annotations?: object }).annotations);

/** Ports that the servers may connect to at any address. */
function portsAnywhere(values: readonly string[]): number[] {
  const policy = found(render(values), 'NetworkPolicy', 'release-management-apiserver');
  const { egress } = policy?.spec as { egress: { to?: object[]; ports: { port: number }[] }[] };
  return egress.filter(({ to }) => to === undefined).flatMap(({ ports }) => ports.map(({ port }) => port));
}

describeWith('helm')('the chart', () => {
  test('traces nothing by default', () => {
    expect(renderText([])).not.toMatch(/tracing|OTEL/);
    expect(renderText(['tracing.samplingRatePerMillion=5', AUTHORITY])).not.toMatch(/tracing|OTEL/);
  });

  test.each([
    ['the default rate', [], 0.001],
    ['another rate', ['tracing.samplingRatePerMillion=500000'], 0.5],
    ['every request', ['tracing.samplingRatePerMillion=1000000'], 1],
    ['no request of its own accord', ['tracing.samplingRatePerMillion=0'], 0],
  ])('writes a configuration that the server reads: %s', (_what, values, ratio) => {
    const objects = render([ENDPOINT, ...values]);
    const { data } = found(objects, 'ConfigMap', MAP) ?? {};
    expect(Object.keys(data ?? {})).toEqual(['tracing.yaml']);
    const config = parseTracingConfig(parse(data?.['tracing.yaml'] ?? ''));
    expect(config).toEqual({ url: 'http://collector.monitoring:4318/v1/traces', ratio });
    const { args, volumeMounts, env } = server(objects) ?? {};
    expect(args).toContain(`--tracing-config-file=${FOLDER}/tracing.yaml`);
    expect(volumeMounts).toContainEqual({ name: 'tracing', mountPath: FOLDER, readOnly: true });
    expect(besidesFlags(env)).toEqual([]);
  });

  test('reads the headers from a Secret, and mounts the authority of the collector', () => {
    const objects = render([ENDPOINT, AUTHORITY, 'tracing.headersSecretName=ours', 'audit.log=file']);
    expect(found(objects, 'ConfigMap', MAP)?.data).toMatchObject({ 'ca.crt': '-----BEGIN' });
    expect(besidesFlags(server(objects)?.env)).toEqual([
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      {
        name: 'OTEL_EXPORTER_OTLP_HEADERS',
        valueFrom: { secretKeyRef: { name: 'ours', key: 'headers' } },
      },
      { name: 'OTEL_EXPORTER_OTLP_CERTIFICATE', value: `${FOLDER}/ca.crt` },
    ]);
  });

  test('restarts the servers when the configuration changes', () => {
    const rate = 'tracing.samplingRatePerMillion=2';
    expect(annotations([ENDPOINT])).toEqual(annotations([ENDPOINT]));
    expect(annotations([ENDPOINT])).not.toEqual(annotations([ENDPOINT, rate]));
    expect(annotations([ENDPOINT])).not.toEqual(annotations([ENDPOINT, AUTHORITY]));
  });

  test.each([
    ['http://collector.monitoring:4318', 4318],
    ['collector.monitoring:4319', 4319],
    ['https://collector.example.com/otlp/v1/traces', 443],
    ['http://collector.monitoring', 80],
    ['http://[fd00::1]:4318/v1/traces', 4318],
    ['http://[fd00::1]', 80],
  ])('lets the servers connect to %s', (endpoint, port) => {
    expect(portsAnywhere([`tracing.endpoint=${endpoint}`])).toEqual([53, 53, port]);
  });

  test('lets backups and etcd connect to no collector', () => {
    const objects = render([ENDPOINT, 'backup.enabled=true', 'backup.claimName=backups']);
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
    const named = policies.filter(({ spec }) => JSON.stringify(spec).includes('4318'));
    expect(policies).toHaveLength(3);
    expect(named.map(({ metadata }) => metadata.name)).toEqual(['release-management-apiserver']);
  });

  test.each([
    'tracing.endpoint=http://user:password@collector:4318',
    'tracing.endpoint=http://collector:4318?token=x',
    'tracing.endpoint=grpc://collector:4317',
    'tracing.endpoint=http://collector:port',
    'tracing.samplingRatePerMillion=1000001',
    'tracing.samplingRatePerMillion=0.5',
    'tracing.headersSecretName=Not_a_name',
    'server.flags={--tracing-config-file=/x}',
  ])('refuses %s', (value) => {
    expect(() => renderText([ENDPOINT, value])).toThrow(/tracing|flags/);
  });
});
