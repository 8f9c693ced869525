/** What V8 is told before the server is loaded. */
import { setFlagsFromString } from 'node:v8';

/**
 * No pretenuring. While many requests are under way at once, V8 sees that what it allocates for them outlives a minor
 * collection, and allocates it in the old generation from then on, for good. There it keeps all that a request refers to until
 * the next major collection: minor collections then copy everything, and took a sixth of the server's CPU.
 */
export function setV8Flags(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
