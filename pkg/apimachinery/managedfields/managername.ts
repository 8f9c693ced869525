import { isPrintable } from '../quote.js';

const MAX_BYTES = 128;

/**
 * The manager of a write: the `fieldManager` parameter, or the User-Agent up to its first `/`, without unprintable
 * characters and at most 128 bytes long. May be empty (`k8s.io/apiserver/pkg/endpoints/handlers/create.go`,
 * managerOrUserAgent).
 */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager;
  const slash = userAgent.indexOf('/');
  const product = slash < 0 ? userAgent : userAgent.slice(0, slash);
  if (product.length <= MAX_BYTES && /^[ -~]*$/.test(product)) return product;
  let name = '';
  let bytes = 0;
  for (const character of product) {
    if (!isPrintable(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_BYTES) break;
    name += character;
  }
  return name;
}
