/** Headers of the console's pages and files. */
import { PAGE_HEADERS } from '../../server/routes/pageheaders.js';

/**
 * Scripts and styles are files of this server, not inline, and no text becomes a script (Content Security Policy Level
 * 3, Trusted Types). Pages cannot be framed, and forms have no target: the app sends their content itself.
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

/** `Cache-Control` of session data. */
export const NO_CACHE = 'no-store';
