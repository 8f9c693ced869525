import type { ShownCertificate } from '../interface.js';
import type { AuthorityBundle } from './bundle.js';
import { verifyClient, type Verdict } from './verify.js';

/** Whether `bundle` verifies a client's certificate, and until when. */
export type CertificateVerifier = (shown: ShownCertificate, bundle: AuthorityBundle) => Verdict;

/** Judges a connection once for each bundle and again when time may have changed it. `now`: ms since the epoch. */
export function certificateVerifyCache(now: () => number = Date.now): CertificateVerifier {
  const verdicts = new WeakMap<ShownCertificate, Verdict & { readonly bundle: AuthorityBundle }>();
  return (shown, bundle) => {
    const at = now();
    const known = verdicts.get(shown);
    if (known !== undefined && known.bundle === bundle && at <= known.until) return known;
    const verdict = { ...verifyClient(shown, bundle, at), bundle };
    verdicts.set(shown, verdict);
    return verdict;
  };
}
