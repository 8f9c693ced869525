/**
 * Logins of devices without a browser (RFC 8628): the response to the device, and the content of its link for the
 * person.
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { Seal } from './sealedcookie.js';
import { LoginFailure } from './interface.js';

const LIFE_SECONDS = 600;
const INTERVAL_SECONDS = 5;
/** Consonants: no words, and none that look alike (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** A device that waits for a key. */
export interface WaitingDevice {
  readonly id: string;
  /** The code that it shows to the person. */
  readonly userCode: string;
  /** The name that it gives itself, without proof; may be empty. */
  readonly name: string;
  /** The address that it asked from, as this server sees it. */
  readonly from: string;
  /** When it asked, in ms since 1970. */
  readonly at: number;
}

/** The response to a device: the code and link for the person, and the code to poll with. */
export interface DeviceLogin {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** `page`: the URL of the page for the person, to which the sealed device is appended. */
export function beginDevice(
  seal: Seal,
  asks: Pick<WaitingDevice, 'name' | 'from'>,
  page: string,
): DeviceLogin {
  const device: WaitingDevice = {
    ...asks,
    id: randomBytes(32).toString('base64url'),
    userCode: `${letters()}-${letters()}`,
    at: Date.now(),
  };
  // The link does not contain the code to fetch the key with.
  const link = page + seal.seal('device link', device, LIFE_SECONDS * 1000);
  return {
    device_code: seal.seal('device', { id: device.id }, LIFE_SECONDS * 1000),
    user_code: device.userCode,
    verification_uri: link,
    verification_uri_complete: `${link}?user_code=${device.userCode}`,
    expires_in: LIFE_SECONDS,
    interval: INTERVAL_SECONDS,
  };
}

/** The device of a link. `userCode`: undefined if the link has none. Throws LoginFailure 400. */
export function deviceOf(seal: Seal, link: string, userCode: string | undefined): WaitingDevice {
  const device = seal.open<WaitingDevice>('device link', link);
  if (device === undefined)
    throw new LoginFailure(400, 'This link is not valid, or too old. Begin the login on the device again.');
  if (userCode !== undefined && userCode !== device.userCode)
    throw new LoginFailure(400, 'The code in this link is not that of the device.');
  return device;
}

/** The id of the device that asks for its key. Throws LoginFailure 400. */
export function askingDevice(seal: Seal, deviceCode: string): string {
  const device = seal.open<Pick<WaitingDevice, 'id'>>('device', deviceCode);
  if (device !== undefined) return device.id;
  throw new LoginFailure(400, 'The device code is not valid, or too old.', 'expired_token');
}

const letters = (): string => Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
