/** Names of kinds and objects in errors; the objects may be malformed. */
import type { JsonValue } from '../../../api/resource.js';
import { asMap, memberOf } from './typed/typed.js';

/** `group/v1, Kind=K`; `/, Kind=` if both are missing. */
export function kindText(object: JsonValue): string {
  const apiVersion = stringMember(object, 'apiVersion');
  const parts = apiVersion.split('/');
  if (parts.length > 2) return '/, Kind=';
  const [version = '', group = ''] = parts.reverse();
  return `${group}/${version}, Kind=${stringMember(object, 'kind')}`;
}

/** `namespace/name; group/v1, Kind=K` */
export function objectText(object: JsonValue): string {
  const metadata = memberOf(asMap(object), 'metadata') ?? null;
  return `${stringMember(metadata, 'namespace')}/${stringMember(metadata, 'name')}; ${kindText(object)}`;
}

function stringMember(object: JsonValue, name: string): string {
  const value = memberOf(asMap(object), name);
  return typeof value === 'string' ? value : '';
}
