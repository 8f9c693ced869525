/** What a person should look at: pure, so that the home page only shows it. */
import type { AccessKeyView } from './accesskeys.js';
import type { ProjectView } from './projects.js';

export type Attention =
  | { readonly kind: 'key ends'; readonly name: string; readonly at: number }
  | { readonly kind: 'key never used'; readonly name: string; readonly since: number }
  | { readonly kind: 'project'; readonly name: string; readonly type: string; readonly message: string }
  | { readonly kind: 'project is deleted'; readonly name: string; readonly since: number };

const SOON_MS = 7 * 86_400_000;
const UNUSED_MS = 30 * 86_400_000;
const DELETED_MS = 60_000;

/** `now`: ms since 1970. Sessions of browsers end as they should. */
export function attentionOf(
  keys: readonly AccessKeyView[],
  projects: readonly ProjectView[],
  now: number,
): Attention[] {
  const found: Attention[] = [];
  for (const { metadata, type, disabled, expires, lastActivity } of keys) {
    if (type === 'Login' || disabled || (expires !== undefined && expires <= now)) continue;
    const name = metadata.name ?? '';
    const created = Date.parse(metadata.creationTimestamp ?? '');
    if (expires !== undefined && expires - now < SOON_MS) found.push({ kind: 'key ends', name, at: expires });
    else if (lastActivity === undefined && now - created > UNUSED_MS)
      found.push({ kind: 'key never used', name, since: created });
  }
  for (const { metadata, conditions } of projects) {
    const name = metadata.name ?? '';
    const since = Date.parse(metadata.deletionTimestamp ?? '');
    if (now - since > DELETED_MS) found.push({ kind: 'project is deleted', name, since });
    for (const { type, status, message = '' } of conditions)
      if (status === 'False') found.push({ kind: 'project', name, type, message });
  }
  return found;
}
