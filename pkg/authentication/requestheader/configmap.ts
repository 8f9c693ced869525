/** The ConfigMap in which kube-apiserver publishes the trusted client and front proxy authorities. */
import { membersOf } from '../../apimachinery/encoding/members.js';
import { parseBundle, type AuthorityBundle } from '../certificates/bundle.js';
import { headerNames, type ClientTrust, type RequestHeaderSettings } from './settings.js';
import { parseJson } from '../../apimachinery/encoding/depth.js';
import { messageOf } from '../../apimachinery/caught.js';

export const NAMESPACE = 'kube-system';
export const NAME = 'extension-apiserver-authentication';

const CLIENT_CA = 'client-ca-file';
const PROXY_CA = 'requestheader-client-ca-file';

/** Reads the ConfigMap; a half without members is undefined. Throws Error that names the invalid member. */
export function readConfigMap(object: unknown): ClientTrust {
  const { kind, data = {} } = membersOf(object);
  if (kind !== 'ConfigMap') throw new Error('it is no ConfigMap');
  if (!isTexts(data)) throw new Error('its data are not texts');
  const clients = bundleOf(data, CLIENT_CA);
  const authorities = bundleOf(data, PROXY_CA);
  return { clients, proxy: authorities && proxyOf(data, authorities) };
}

type Data = Readonly<Record<string, string>>;

function proxyOf(data: Data, authorities: AuthorityBundle): RequestHeaderSettings {
  const headers = (member: string): string[] => headerNames(listOf(data, member), member);
  const usernameHeaders = headers('requestheader-username-headers');
  if (usernameHeaders.length === 0) throw new Error('requestheader-username-headers names no header');
  const allowedNames = listOf(data, 'requestheader-allowed-names');
  if (allowedNames.includes('')) throw new Error('requestheader-allowed-names has an empty name');
  return {
    authorities,
    allowedNames,
    usernameHeaders,
    uidHeaders: headers('requestheader-uid-headers'),
    groupHeaders: headers('requestheader-group-headers'),
    extraHeaderPrefixes: headers('requestheader-extra-headers-prefix'),
  };
}

const own = (data: Data, member: string): string => (Object.hasOwn(data, member) ? (data[member] ?? '') : '');

function bundleOf(data: Data, member: string): AuthorityBundle | undefined {
  const pem = own(data, member);
  if (pem.trim() === '') return undefined;
  try {
    return parseBundle(pem);
  } catch (error) {
    throw new Error(`${member}: ${messageOf(error)}`);
  }
}

/** JSON; empty if absent. */
function listOf(data: Data, member: string): string[] {
  const text = own(data, member);
  if (text.trim() === '') return [];
  let list: unknown;
  try {
    list = parseJson(text);
  } catch {
    list = undefined;
  }
  if (Array.isArray(list) && list.every((one): one is string => typeof one === 'string')) return list;
  throw new Error(`${member} is not a JSON list of texts`);
}

function isTexts(data: unknown): data is Data {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false;
  return Object.values(data).every((value) => typeof value === 'string');
}
