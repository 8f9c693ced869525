import { X509Certificate, createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { readIfPresent, writePrivate } from './files.js';
import { issueServing, type KeyPair } from './issue.js';

/** The remaining part of its lifetime at which a serving certificate is replaced. */
const RENEW_BELOW = 1 / 3;

/**
 * Loads the serving certificate in `directory` (`apiserver.crt`, `apiserver.key`, `ca.crt`). Issues a new one if
 * there is none, it is near expiry, lacks one of `names`, or is of another authority. All files are 0600. The result
 * includes the authority's certificate, so that a client that does not trust it yet can display it.
 */
export async function keepServing(
  directory: string,
  authority: KeyPair,
  names: readonly string[],
  now = Date.now(),
): Promise<KeyPair> {
  const paths = { certificate: join(directory, 'apiserver.crt'), key: join(directory, 'apiserver.key') };
  const [certificate, key] = await Promise.all([readIfPresent(paths.certificate), readIfPresent(paths.key)]);
  if (certificate !== undefined && key !== undefined) {
    if (stillGood({ certificate, key }, authority, names, now))
      return chained({ certificate, key }, authority);
  }
  const made = await issueServing(authority, names, { now });
  await writePrivate(join(directory, 'ca.crt'), authority.certificate);
  await writePrivate(paths.key, made.key);
  await writePrivate(paths.certificate, made.certificate);
  return chained(made, authority);
}

const chained = ({ certificate, key }: KeyPair, authority: KeyPair): KeyPair => ({
  certificate: `${certificate.trimEnd()}\n${authority.certificate}`,
  key,
});

function stillGood(pair: KeyPair, authority: KeyPair, names: readonly string[], now: number): boolean {
  try {
    const certificate = new X509Certificate(pair.certificate);
    const issuer = new X509Certificate(authority.certificate);
    const begin = Date.parse(certificate.validFrom);
    const end = Date.parse(certificate.validTo);
    return (
      certificate.checkPrivateKey(createPrivateKey(pair.key)) &&
      certificate.verify(issuer.publicKey) &&
      begin <= now &&
      end - now > (end - begin) * RENEW_BELOW &&
      names.every((name) => covers(certificate, name))
    );
  } catch {
    return false;
  }
}

function covers(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
}
