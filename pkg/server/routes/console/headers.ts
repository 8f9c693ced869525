/** What goes with the pages and files of the console. */
import { PAGE_HEADERS } from '../pageheaders.js';

/**
 * Scripts and styles are files of this server, none is in a page, and no text becomes a script (Content Security Policy
 * Level 3, Trusted Types). Nothing may frame a page, and forms go nowhere: the app sends what is typed itself.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  ...PAGE_HEADERS,
};

/** What tells of a session. */
export const NO_CACHE = 'no-store';
