/** A start-up error that the operator can fix: one line. */
import { codeOf, messageOf } from './caught.js';

export class StartError extends Error {
  override readonly name = 'StartError';
}

const HINTS: Record<string, string> = {
  EEXIST: 'exists already and is no directory',
  EACCES: 'permission denied',
  EADDRINUSE: 'already in use',
  EADDRNOTAVAIL: 'not an address of this machine',
  EISDIR: 'is a directory',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on the device',
  ENOTDIR: 'part of the path is not a directory',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
};

/** As {@link inWords}, without anything that the message may quote: a path can be a secret that stands in its place. */
export function reasonAlone(error: unknown): string {
  const code = codeOf(error) ?? 'unknown error';
  return HINTS[code] ?? code;
}

/** A readable message for a system error (`ENOENT` …). */
export function inWords(error: unknown): string {
  const [code, message] = [codeOf(error), messageOf(error)];
  const text = (code === undefined ? undefined : HINTS[code]) ?? message;
  return String(text).replace(/\s*\n\s*/g, ' ');
}
