import { isPrintable } from '../quote.js';

const MAX_BYTES = 128;

/**
 * Who writes: the `fieldManager` parameter, or the User-Agent up to its first `/`, without what cannot be printed and
 * at most 128 bytes long. May be empty (`k8s.io/apiserver/pkg/endpoints/handlers/create.go`, managerOrUserAgent).
 */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager;
  let name = '';
  let bytes = 0;
  for (const character of userAgent.split('/', 1)[0] as string) {
    if (!isPrintable(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_BYTES) break;
    name += character;
  }
  return name;
}
