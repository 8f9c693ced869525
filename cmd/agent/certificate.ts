/** The serving certificate: the operator's, reloaded when its files change, or a self-signed one. */
import { readFile } from 'node:fs/promises';
import { servingNames } from '../../pkg/pki/servingnames.js';
import type { AgentOptions } from './options.js';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const CHECK_INTERVAL_MS = 10_000;

/** Rejects with the system's error if a file cannot be read. */
export async function loadCertificate(options: AgentOptions): Promise<Certificate> {
  const { tlsCertFile, tlsPrivateKeyFile, bindAddress } = options;
  if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined) {
    const [cert, key] = await Promise.all([
      readFile(tlsCertFile, 'utf8'),
      readFile(tlsPrivateKeyFile, 'utf8'),
    ]);
    return { cert, key };
  }
  // Loaded only if no certificate is given.
  const { issueAuthority, issueServing } = await import('../../pkg/pki/issue.js');
  const authority = await issueAuthority('management-agent-ca');
  const pair = await issueServing(authority, servingNames(bindAddress));
  return { key: pair.key, cert: pair.certificate };
}

/**
 * Calls `changed` with each new certificate. `failed`: called when `changed` throws or the files cannot be
 * read; the next check retries.
 */
export function followCertificate(
  options: AgentOptions,
  first: Certificate,
  changed: (certificate: Certificate) => void,
  failed: (error: unknown) => void,
): () => void {
  if (options.tlsCertFile === undefined) return () => undefined;
  let current = first;
  const check = async (): Promise<void> => {
    const found = await loadCertificate(options);
    if (found.cert === current.cert && found.key === current.key) return;
    changed(found);
    current = found;
  };
  const timer = setInterval(() => void check().catch(failed), CHECK_INTERVAL_MS).unref();
  return () => clearInterval(timer);
}
