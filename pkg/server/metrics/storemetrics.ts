/** Metrics of the store, its backups, and the serving certificate. */
import { X509Certificate } from 'node:crypto';
import type { Registry } from 'prom-client';
import { exposeGauges } from './series.js';

export interface StoreSource {
  /** Whether the store can be reached now. */
  readonly up: () => boolean;
  /** Why it is not served though it answers, in a word; undefined: it is not refused. */
  readonly refused: () => string | undefined;
}

export function exposeCertificate(registry: Registry, certificate: () => string | undefined): void {
  exposeGauges(
    registry,
    'management_apiserver_serving_certificate_expiration_timestamp_seconds',
    'When the serving certificate ends, in seconds since 1970.',
    () => {
      const pem = certificate();
      if (pem === undefined) return [];
      return [{ labels: {}, value: Date.parse(new X509Certificate(pem).validTo) / 1000 }];
    },
    'min',
  );
}

export function exposeLastBackup(registry: Registry, lastBackup: () => number | undefined): void {
  exposeGauges(
    registry,
    'management_apiserver_last_backup_timestamp_seconds',
    'When the store was last backed up, in seconds since 1970; 0: not that it is known.',
    () => [{ labels: {}, value: lastBackup() ?? 0 }],
    'max',
  );
}

export interface KeySecretSource {
  /** When the Secret was last found without keys of the store, in seconds since 1970; 0: never. */
  readonly lostAt: number;
  /** Whether nobody has said that there is a copy of the first key elsewhere. */
  readonly uncopied: boolean;
}

export function exposeKeySecret(registry: Registry, source: KeySecretSource): void {
  exposeGauges(
    registry,
    'management_apiserver_key_secret_lost_timestamp_seconds',
    'When the Secret with the keys of the store was last found without them, in seconds since 1970; 0: never.',
    () => [{ labels: {}, value: source.lostAt }],
    'max',
  );
  exposeGauges(
    registry,
    'management_apiserver_key_without_copy',
    'Whether the Secret with the keys of the store does not say that a copy is kept elsewhere: 1, or 0.',
    () => [{ labels: {}, value: Number(source.uncopied) }],
    'max',
  );
}

const REFUSALS = ['empty', 'other', 'behind', 'divided', 'replaced'];

export function exposeStore(registry: Registry, { up, refused }: StoreSource): void {
  exposeGauges(
    registry,
    'management_apiserver_store_refused',
    'Whether etcd answers and is not served, as it is not the store that the cluster knows: 1, or 0.',
    () => REFUSALS.map((reason) => ({ labels: { reason }, value: Number(refused() === reason) })),
  );
  exposeGauges(registry, 'management_apiserver_store_up', 'Whether etcd can be reached: 1, or 0.', () => [
    { labels: {}, value: Number(up()) },
  ]);
}
